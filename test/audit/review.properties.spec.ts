import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalLine,
  contentOf,
  endOfLog,
  EVENT_TYPES,
  evidenceBehind,
  fold,
  isReview,
  loadTable,
  needsTwo,
  newTable,
  rowsOf,
  saveTable,
  SHAPES,
  takeChanges,
  type AnyEvent,
  type EventOf,
  type Item,
  type ReviewChange,
  type ReviewEvent,
  type TableState,
} from '#audit';
import { CARDS } from '#baccarat';
import { anyEventOf } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import { decoded, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { overTables, rounds } from '../kit/rounds.js';

/** What somebody may try after an event of the game: numbers choose the finding and the details. */
interface Try {
  readonly verb: (typeof VERBS)[number];
  readonly who: string;
  readonly as: string;
  readonly detail: number;
  readonly after: number;
}
const VERBS = [
  'viewed',
  'claimed',
  'claimed',
  'claimed',
  'released',
  'commented',
  'ruling-proposed',
  'ruling-proposed',
  'ruling-proposed',
  'ruling-signed',
  'ruling-signed',
  'ruling-signed',
  'ruling-refused',
  'ruling-taken-back',
  'escalated',
  'reopened',
  'again',
  // what the floor does to the coup of the finding
  'coup voided',
  'card corrected',
  'card corrected',
  'dealer corrected',
  'settled late',
] as const;

const anyTry: fc.Arbitrary<Try> = fc.record({
  verb: fc.constantFrom(...VERBS),
  // dora deals; mira is named and sends in games; the others only review
  who: fc.constantFrom('pia', 'sam', 'dora', 'mira'),
  as: fc.constantFrom('pit-boss', 'pit-boss', 'surveillance', 'compliance', 'regulator'),
  detail: fc.nat(19),
  after: fc.constantFrom(1, 1, 1, 30, 90, 700),
});

/** Two people who work on one finding, most of the time as they should, while the game goes on. */
const anyCampaign: fc.Arbitrary<readonly (readonly [number, Try])[]> = fc
  .record({
    from: fc.nat(25),
    people: fc.constantFrom(['pia', 'sam'], ['sam', 'pia'], ['pia', 'dora'], ['mira', 'sam']),
    waits: fc.array(fc.nat(4), { minLength: 8, maxLength: 8 }),
    tries: fc.array(anyTry, { minLength: 8, maxLength: 8 }),
    lawful: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
    between: fc.constantFrom('ruling-signed', 'ruling-signed', 'dealer corrected'),
  })
  .map(({ from, people: [one, other], waits, tries, lawful, between }) => {
    let at = from;
    const usual = [
      ['claimed', one],
      ['ruling-proposed', one],
      [between, between === 'ruling-signed' ? other : one],
      ['ruling-signed', other],
    ] as const;
    return tries.map((each, i) => {
      at += waits[i] as number;
      const [verb, who] = usual[i] ?? [];
      const isUsual = verb && who && lawful[i] !== 0;
      return [at, isUsual ? { ...each, verb, who, as: 'pit-boss' } : each] as const;
    });
  });

/** A game, and what people try between its events. */
const reviewedGame = fc.tuple(anyGame(60), fc.array(anyCampaign, { minLength: 3, maxLength: 8 }));

const NOBODY = 'person/nobody#nothing';
const NO_EVIDENCE = '0'.repeat(64);

/** What somebody sees who tries something. */
interface Sight {
  readonly item: Item | undefined;
  readonly time: number;
  readonly number: number;
  readonly heard: readonly Sent[];
  readonly state: TableState;
}

/** Returns what the floor does to the coup of a finding; undefined if it is not within reach. */
function floorEvent(
  { verb, who }: Pick<Try, 'verb' | 'who'>,
  item: Item,
  { state, time, number }: Sight,
): Sent | undefined {
  const shoe = [state.open, state.before].find((each) => each?.ref === item.shoeRef);
  const coup = shoe?.coups.find(({ ref }) => ref === item.coupRef);
  if (!shoe || !coup) return undefined;
  const sent = (type: string, data: object): Sent => ({
    ...{ specversion: '1.0', type: `shoeprint.${type}.v1`, source: 'person/floor' },
    ...{ id: `${number}`, time: new Date(time).toISOString(), table: 'T1', shoe: shoe.name, data },
  });
  const said = { by: 'floor', reason: 'seen on video' };
  if (verb === 'coup voided') return sent('coup-voided', { coup: coup.number, ...said });
  if (verb === 'settled late')
    return sent('bet-settled', { seat: 1, bet: 'banker', stake: 'returned', paid: 0 });
  if (verb === 'dealer corrected') {
    const signOn = shoe.journal.findLast(({ type }) => type === 'dealer-signed-on');
    if (!signOn || signOn.type === 'gap') return undefined;
    const data = { ...signOn.data, dealer: who };
    const event = `${signOn.source}#${signOn.id}`;
    return sent('observation-corrected', { event, data, ...said });
  }
  const card = coup.cards[number % Math.max(1, coup.cards.length)];
  if (verb !== 'card corrected' || !card) return undefined;
  const { data } = card.event;
  const right = CARDS[(number * 7) % CARDS.length];
  return sent('observation-corrected', {
    ...{ event: `${card.event.source}#${card.event.id}`, data: { ...data, card: right }, ...said },
  });
}

/** Returns the data of each act, as somebody sends it who sees the item; a few details are wrong. */
function dataOfTry(item: Item | undefined, detail: number): Readonly<Record<string, object>> {
  const evidence = detail === 10 ? NO_EVIDENCE : (item?.evidence ?? NO_EVIDENCE);
  const proposal = detail === 9 ? NOBODY : (item?.proposal?.ref ?? NOBODY);
  return {
    claimed: { lease: 60 },
    commented: { text: 'looked at the video' },
    'ruling-proposed': {
      disposition: detail % 2 === 0 ? 'dealer-error-corrected' : 'no-error',
      policy: 'review@1',
      evidence,
      ...(detail === 8 ? undefined : { note: 'seen on video' }),
      ...(detail === 7 ? { amount: 1_000_000, favours: 'house' } : undefined),
    },
    'ruling-signed': { proposal, evidence },
    'ruling-refused': { proposal, reason: 'look again' },
    'ruling-taken-back': { proposal },
    escalated: { to: 'surveillance', reason: 'graver' },
    reopened: { ruling: item?.ruling?.ref ?? NOBODY, reason: 'a new witness' },
  };
}

/** Returns the event of a try, made as somebody would who sees the desk as it is. */
function eventOfTry({ verb, who, as, detail, after }: Try, sight: Sight): Sent {
  const { item, time, number, heard } = sight;
  const repeated = heard[detail % Math.max(1, heard.length)];
  if (verb === 'again' && repeated)
    return detail % 2 === 0
      ? { ...repeated, time: new Date(time).toISOString() }
      : { ...repeated, data: { ...(repeated.data as object), as: 'surveillance' } };
  const finding = item?.id ?? 'never-raised';
  const played = item && floorEvent({ verb, who }, item, sight);
  if (played) return played;
  const more = dataOfTry(item, detail);
  const type = Object.hasOwn(more, verb) || verb === 'released' ? verb : 'viewed';
  return {
    ...{ specversion: '1.0', type: `shoeprint.finding-${type}.v1`, source: `person/${who}` },
    ...{ id: `${type}/${finding}/${number}`, time: new Date(time + after * 1000).toISOString() },
    ...{ table: 'T1', data: { finding, as, ...more[type] } },
  };
}

/**
 * Writes the log of a game and of what people tried. A campaign is about the last finding that was
 * raised before it began, or else the first after.
 */
function logOf([game, campaigns]: Played): Sent[] {
  const state = newTable('T1');
  const log: Sent[] = [];
  const heard: Sent[] = [];
  const about = new Map<number, string>();
  const take = (event: Sent): void => {
    log.push(event);
    fold(state, decoded(event), BOOK);
  };
  let time = Date.parse('2026-11-20T12:00:00Z');
  for (const [at, event] of game.entries()) {
    take(event);
    for (const [nth, campaign] of campaigns.entries())
      for (const [when, each] of campaign) {
        if (when !== at && !(when > at && at === game.length - 1)) continue;
        time += each.after * 1000;
        const last = [...state.desk.items.keys()].at(-1 - (nth % 2));
        if (!about.has(nth) && last) about.set(nth, last);
        const item = state.desk.items.get(about.get(nth) ?? '');
        const act = eventOfTry(each, { item, time, number: log.length, heard, state });
        if ((act.type as string).startsWith('shoeprint.finding-')) heard.push(act);
        take(act);
      }
  }
  return log;
}
type Played = readonly [readonly Sent[], readonly (readonly (readonly [number, Try])[])[]];

/** Something that happened in a review, with the table as it was just before the event. */
interface Step {
  readonly event: AnyEvent;
  readonly before: Item | undefined;
  readonly changes: readonly ReviewChange[];
  readonly state: TableState;
}

/** Folds a log, and looks after each event. */
function walk(log: readonly Sent[], look: (step: Step) => void): TableState {
  const state = newTable('T1');
  for (const sent of log) {
    const event = decoded(sent);
    const before = isReview(event) ? state.desk.items.get(event.data.finding) : undefined;
    fold(state, event, BOOK);
    look({ event, before, changes: takeChanges(state).reviews, state });
  }
  return state;
}

const context = { policy: (ref: string) => BOOK.policies.get(ref) as never };

/** Visits every act on a finding that took effect. */
function forEachTaken(log: readonly Sent[], look: (event: ReviewEvent, step: Step) => void): void {
  walk(log, (step) => {
    const { event, changes } = step;
    for (const change of changes)
      if (change.is === 'reviewed' && change.outcome === 'taken' && isReview(event))
        look(event, step);
  });
}

const personOf = ({ source }: { readonly source: string }) => source.slice('person/'.length);
const RULES_ON = new Set<string>([
  'finding-claimed',
  'finding-ruling-proposed',
  'finding-ruling-signed',
  'finding-ruling-refused',
  'finding-reopened',
]);

describe('whatever is played and whatever people try about its findings,', () => {
  it('nobody signs or refuses what they proposed', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        forEachTaken(logOf(game), (event, { before }) => {
          if (event.type === 'finding-ruling-signed' || event.type === 'finding-ruling-refused')
            expect(before?.proposal?.by).not.toBe(personOf(event));
        });
      }),
      overTables(50),
    );
  });

  it('nobody who was on that coup or who sent its events decides about it', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        forEachTaken(logOf(game), (event, { before, state }) => {
          if (!RULES_ON.has(event.type) || !before) return;
          const shoe = [state.open, state.before].find((each) => each?.ref === before.shoeRef);
          const coup = shoe?.coups.find(({ ref }) => ref === before.coupRef);
          expect(coup?.dealers ?? []).not.toContain(personOf(event));
          if (event.type === 'finding-ruling-signed')
            expect(coup?.dealers ?? []).not.toContain(before.proposal?.by);
          const behind = evidenceBehind(state, before.id) ?? [];
          expect(behind.map(({ source }) => source)).not.toContain(event.source);
        });
      }),
      overTables(50),
    );
  });

  it('a signature is given on the evidence of the proposal, as the evidence then is', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        forEachTaken(logOf(game), (event, { before, state }) => {
          if (event.type !== 'finding-ruling-signed' && event.type !== 'finding-ruling-proposed')
            return;
          const behind = evidenceBehind(state, event.data.finding);
          const lines = behind?.map((each) => `${contentOf(each)}\n`).join('');
          if (lines !== undefined)
            expect(createHash('sha256').update(lines).digest('hex')).toBe(event.data.evidence);
          expect(before?.evidence).toBe(event.data.evidence);
          if (event.type === 'finding-ruling-signed')
            expect(before?.proposal?.evidence).toBe(event.data.evidence);
        });
      }),
      overTables(50),
    );
  });

  it('a final ruling that needs two persons has two', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        const proposals = new Map<string, EventOf<'finding-ruling-proposed'>>();
        forEachTaken(logOf(game), (event, { before, state }) => {
          const reference = `${event.source}#${event.id}`;
          if (event.type === 'finding-ruling-proposed') proposals.set(reference, event);
          const ruling = state.desk.items.get(event.data.finding)?.ruling;
          if (ruling?.ref !== reference || !before) return;
          const proposal = proposals.get(before.proposal?.ref ?? reference);
          if (proposal && needsTwo(before, proposal, context)) {
            expect(ruling.signedBy).not.toBeNull();
            expect(ruling.signedBy).not.toBe(ruling.proposedBy);
          }
        });
      }),
      overTables(50),
    );
  });

  it('nothing is ruled while its coup is open, or by a person who has not claimed it', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        forEachTaken(logOf(game), (event, { before, state }) => {
          if (event.type !== 'finding-ruling-proposed') return;
          expect(before?.claim?.by).toBe(personOf(event));
          expect(state.open?.coup?.ref ?? null).not.toBe(before?.coupRef ?? undefined);
        });
      }),
      overTables(50),
    );
  });

  it('no ruling holds for a finding that was withdrawn, amended or raised again after it', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        const ruled = new Map<string, string>();
        walk(logOf(game), ({ state }) => {
          for (const item of state.desk.items.values()) {
            const shoe = [state.open, state.before].find((each) => each?.ref === item.shoeRef);
            if (!shoe || item.state !== 'ruled' || !item.ruling) continue;
            const finding = JSON.stringify(shoe.found.get(item.id)?.finding);
            expect(item.standing).toBe(finding !== undefined);
            if (finding === undefined) continue;
            expect(finding).toBe(ruled.get(item.ruling.ref) ?? finding);
            ruled.set(item.ruling.ref, finding);
          }
        });
      }),
      overTables(50),
    );
  });

  it('the desk holds exactly the findings that stand in the shoes within reach', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        const state = walk(logOf(game), () => undefined);
        const standing = [...state.desk.items.values()].filter((item) => item.standing);
        for (const shoe of [state.open, state.before])
          if (shoe)
            expect(
              standing.flatMap(({ id, shoeRef }) => (shoeRef === shoe.ref ? [id] : [])).sort(),
            ).toEqual([...shoe.found.keys()].sort());
        expect(state.desk.acts.size).toBeLessThanOrEqual(4096);
      }),
      overTables(50),
    );
  });

  it('the table may be saved and loaded between any two events', () => {
    const result = (log: readonly Sent[], cuts: ReadonlySet<number>) => {
      let state = newTable('T1');
      const changes: unknown[] = [];
      for (const [at, event] of log.entries()) {
        if (cuts.has(at)) state = loadTable(saveTable(state), BOOK);
        fold(state, decoded(event), BOOK);
        changes.push(...takeChanges(state).reviews);
      }
      endOfLog(state, BOOK);
      changes.push(...takeChanges(state).reviews);
      return { changes, saved: saveTable(state) };
    };
    fc.assert(
      fc.property(reviewedGame, fc.array(fc.nat(120), { maxLength: 5 }), (game, cuts) => {
        const log = logOf(game);
        expect(result(log, new Set(cuts))).toEqual(result(log, new Set()));
      }),
      overTables(50),
    );
  });

  it('the review of one finding does not depend on the reviews of the others', () => {
    const outcomes = (log: readonly Sent[], finding: string) => {
      const seen: unknown[] = [];
      walk(log, ({ changes }) => {
        for (const change of changes) if (change.finding === finding) seen.push(change);
      });
      return seen;
    };
    fc.assert(
      fc.property(reviewedGame, (game) => {
        const log = logOf(game);
        const findings = new Set<string>();
        walk(log, ({ changes }) => changes.forEach(({ finding }) => findings.add(finding)));
        for (const finding of findings) {
          const alone = log.filter(
            ({ type, data }) =>
              !(type as string).startsWith('shoeprint.finding-') ||
              (data as { finding: string }).finding === finding,
          );
          expect(outcomes(alone, finding)).toEqual(outcomes(log, finding));
        }
      }),
      overTables(50),
    );
  });

  it('reviews change nothing else of the table', () => {
    const game = (log: readonly Sent[]) => {
      const state = newTable('T1');
      const rows: unknown[] = [];
      for (const event of log) {
        fold(state, decoded(event), BOOK);
        const { shoes, outside } = rowsOf(takeChanges(state));
        for (const shoe of shoes)
          rows.push([shoe.findings(), shoe.coups(), shoe.unjudgeable(), shoe.ledger()]);
        rows.push(...outside.map(({ finding }) => finding));
      }
      const {
        desk: _,
        admission,
        ...rest
      } = JSON.parse(saveTable(state)) as {
        readonly desk: unknown;
        readonly admission: object;
      };
      // reviews are admitted too, so what counts events has other numbers in the same order
      return JSON.stringify({ rows, rest, admission: { ...admission, counts: undefined } }).replace(
        /"admitted":\d+/g,
        '',
      );
    };
    fc.assert(
      fc.property(reviewedGame, (played) => {
        const log = logOf(played);
        const alone = log.filter(({ type }) => !(type as string).startsWith('shoeprint.finding-'));
        expect(game(log)).toBe(game(alone));
      }),
      overTables(50),
    );
  });

  it('every event is counted once', () => {
    fc.assert(
      fc.property(reviewedGame, (game) => {
        const log = logOf(game);
        const state = walk(log, () => undefined);
        endOfLog(state, BOOK);
        const { read, admitted, duplicates, equivocal, late } = state.admission.counts;
        expect(read).toBe(log.length);
        expect(admitted + duplicates + equivocal + late).toBe(read);
      }),
      overTables(50),
    );
  });
});

/** The types that a journal may hold. */
const JOURNALED = EVENT_TYPES.filter(
  (type) => SHAPES[type].by === undefined || type === 'gap-declared',
);

describe('the content of an event, written back from what the fold holds,', () => {
  it('is what was recorded, in whatever order and with whatever spaces it was sent', () => {
    const shuffled = (value: unknown, pick: () => number): unknown =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .map(([name, member]) => [pick(), name, shuffled(member, pick)] as const)
              .sort((a, b) => a[0] - b[0])
              .map(([, name, member]) => [name, member]),
          )
        : value;
    fc.assert(
      fc.property(
        fc.constantFrom(...JOURNALED).chain((type) => anyEventOf(type)),
        fc.infiniteStream(fc.nat(1000)),
        fc.constantFrom(undefined, 1, '\t'),
        (sent, order, space) => {
          const pick = (): number => order.next().value as number;
          const { data, ...attributes } = sent as { readonly data: object };
          const fields =
            sent.type === 'shoeprint.observation-corrected.v1' ? data : shuffled(data, pick);
          const given = { ...(shuffled(attributes, pick) as object), data: fields };
          const text = JSON.stringify(given, null, space);
          expect(contentOf(decoded(text))).toBe(canonicalLine(text));
        },
      ),
      { numRuns: rounds(4000) },
    );
  });
});
