import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fold, newTable, type AnyEvent, type EventData, type Finding } from '#audit';
import {
  CARDS,
  due,
  factsOf,
  outcomeOf,
  readRules,
  specialsOf,
  totalOf,
  type Card,
  type Rules,
} from '#baccarat';
import { HOUSE } from '../baccarat/house-rules.js';
import { audit, decoded, type Audited } from '../kit/audit.js';
import { bookOf } from '../kit/house.js';
import { ARE_MANY, overTables } from '../kit/rounds.js';
import { TableLog } from '../kit/table.js';

/** Rules with every bet, and two bets that ask for single cards in place of two that do not. */
const EXPOSED = [{ codes: ['DL-05'], do: ['settle'], source: 'house', section: '1' }] as const;
const SOURCES = { house: { title: 'House', section: '1', edition: '1' } };
const DECKS = [1, 8];
const PLAIN = readRules({
  ...HOUSE,
  decks: DECKS,
  id: 'punto-banco',
  sources: SOURCES,
  irregularities: EXPOSED,
});
const PATTERNED = readRules({
  ...HOUSE,
  decks: DECKS,
  id: 'super-6',
  sources: SOURCES,
  irregularities: EXPOSED,
  tableau: { ...HOUSE.tableau, player: 'DDDDDOSS' },
  bets: HOUSE.bets.map((bet) =>
    bet.id === 'small'
      ? { id: 'small', pays: [{ when: { player: ['7?', '?H'] }, odds: '9 to 1' }] }
      : bet.id === 'big'
        ? { id: 'big', pays: [{ when: { banker: ['??', 'K?', '?S'] }, odds: '9 to 1' }] }
        : bet,
  ),
  specials: [...HOUSE.specials, 'small'],
});
const RULES = { plain: PLAIN, patterned: PATTERNED };
const BOOK = bookOf(PLAIN, PATTERNED);

/** Events that a judgment of their own concerns, whatever the cards of the coup are. */
const APART: ReadonlySet<string> = new Set(['DV-01', 'SH-02', 'PR-07']);

type To = 'player' | 'banker' | null;
interface Play {
  readonly rules: keyof typeof RULES;
  readonly cards: readonly { card: Card; to: To; exposed: boolean; unread: boolean }[];
  readonly calls: readonly { after: number; hand: 'player' | 'banker'; off: number }[];
  readonly declared: readonly Declared[];
  readonly bets: readonly Bet[];
  readonly moved: { card: number; to: 'player' | 'banker' | 'discard'; after: number } | null;
  readonly isLast: boolean;
  readonly kind: 'normal' | 'dummy';
  readonly end: 'closed' | 'void' | 'open';
}
interface Declared {
  readonly after: number;
  readonly by: 'dealer' | 'device';
  readonly outcome: 'player' | 'banker' | 'tie' | 'right';
  readonly totals: readonly [number, number] | null;
  readonly specials: 'right' | readonly string[] | null;
}
interface Bet {
  readonly seat: number;
  readonly bet: string;
  readonly settled: { stake: 'returned' | 'taken'; paid: number; marked: number } | null;
}

const card = fc.constantFrom(...CARDS);
const hand = fc.constantFrom('player' as const, 'banker' as const);

/** Deals by the rules, and then changes what is dealt. */
const deal = (rules: Rules, least: number, most: number): fc.Arbitrary<Play['cards']> =>
  fc
    .record({
      drawn: fc.array(card, { minLength: 11, maxLength: 11 }),
      more: fc.array(fc.constantFrom('player' as const, 'banker' as const, null), { maxLength: 5 }),
      isLawful: fc.boolean(),
      turned: fc.option(fc.nat(5), { freq: 3 }),
      nameless: fc.array(fc.nat(7), { maxLength: 4 }),
      exposed: fc.array(fc.nat(7), { maxLength: 1 }),
      unread: fc.uniqueArray(
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom<number>(0, 1, 2, 3) },
          { weight: 3, arbitrary: fc.constantFrom<number>(4, 5) },
          fc.constantFrom<number>(6, 7),
        ),
        { minLength: least, maxLength: most },
      ),
      stops: fc.option(fc.constantFrom(3, 4, 5), { freq: 4 }),
    })
    .map(({ drawn, more, isLawful, turned, nameless, exposed, unread, stops }) => {
      const hands = { player: [] as Card[], banker: [] as Card[] };
      const laid: { card: Card; to: To }[] = [];
      for (let next = due(hands, rules); next.step === 'card'; next = due(hands, rules)) {
        const drawnCard = drawn[laid.length] as Card;
        hands[next.to].push(drawnCard);
        laid.push({ card: drawnCard, to: next.to });
      }
      if (!isLawful) for (const to of more) laid.push({ card: drawn[laid.length] as Card, to });
      return laid.slice(0, stops ?? laid.length).map((each, i) => ({
        card: each.card,
        to: nameless.includes(i)
          ? null
          : turned === i && each.to
            ? each.to === 'player'
              ? ('banker' as const)
              : ('player' as const)
            : each.to,
        exposed: exposed.includes(i),
        unread: unread.includes(i),
      }));
    });

const declared: fc.Arbitrary<Declared> = fc.record({
  after: fc.oneof(fc.constant(9), fc.constant(9), fc.constantFrom(4, 5)),
  by: fc.constantFrom('dealer' as const, 'device' as const),
  outcome: fc.constantFrom('right', 'right', 'player', 'banker', 'tie'),
  totals: fc.option(fc.tuple(fc.nat(9), fc.nat(9)), { freq: 2 }),
  specials: fc.oneof(
    fc.constant(null),
    fc.constant('right' as const),
    fc.subarray(['natural', 'player-pair', 'dragon-7']),
  ),
});

const bets: fc.Arbitrary<Bet[]> = fc.array(
  fc.record({
    seat: fc.constantFrom(1, 2),
    bet: fc.constantFrom(...HOUSE.bets.map(({ id }) => id), 'player', 'banker', 'banker', 'tie'),
    settled: fc.option(
      fc.record({
        stake: fc.constantFrom('returned' as const, 'taken' as const),
        paid: fc.constantFrom(0, 0, 10_000, 9500, 80_000, 110_000),
        marked: fc.constantFrom(0, 0, 500, 400),
      }),
      { freq: 5 },
    ),
  }),
  { maxLength: 5 },
);

/** Returns a coup with so many unread cards, if that many are dealt. */
const anyPlay = (least: number, most: number): fc.Arbitrary<Play> =>
  fc.constantFrom('plain' as const, 'plain' as const, 'patterned' as const).chain((rules) =>
    fc.record({
      rules: fc.constant(rules),
      cards: deal(RULES[rules], least, most),
      calls: fc.array(
        fc.record({
          after: fc.constantFrom(2, 4, 5, 6, 7),
          hand,
          off: fc.constantFrom(0, 0, 1, 4),
        }),
        {
          maxLength: 3,
        },
      ),
      declared: fc.array(declared, { maxLength: 3 }),
      bets,
      moved: fc
        .option(
          fc.record({
            card: fc.nat(6),
            to: fc.constantFrom('player' as const, 'banker' as const, 'discard' as const),
            after: fc.constantFrom(4, 5, 6, 9),
          }),
          { freq: 7, nil: null },
        )
        .map((moved) => moved),
      isLast: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      kind: fc.constantFrom(
        'normal' as const,
        'normal' as const,
        'normal' as const,
        'dummy' as const,
      ),
      end: fc.constantFrom(
        'closed' as const,
        'closed' as const,
        'closed' as const,
        'void' as const,
        'open' as const,
      ),
    }),
  );

/** Returns the events of a coup whose every card was read, and the references of the unread ones. */
function recorded(play: Play): { events: readonly AnyEvent[]; unread: ReadonlySet<string> } {
  const { cards, calls, bets: placed, moved, isLast, kind, end } = play;
  const rules = RULES[play.rules];
  const log = new TableLog();
  log.open({
    rules: rules.ref,
    // a shoe that runs out has one deck, because all of its cards are drawn
    decks: isLast ? 1 : 8,
    reports: ['outcomes', 'bets', 'settlements', 'commission', 'cut-card', 'dealers'],
  });
  log.dealer();
  if (isLast) {
    for (let i = 0; i < 52 - cards.length; i += 1)
      log.add('shoe', 'card-drawn', { card: CARDS[i % 52] as Card, to: 'burn' });
  }
  log.add('terminal', 'coup-opened', { coup: 1, kind });
  const seen = new Set<string>();
  for (const { seat, bet } of placed) {
    if (!seen.has(`${seat} ${bet}`))
      log.add('terminal', 'bet-placed', { seat, bet, amount: 10_000 });
    seen.add(`${seat} ${bet}`);
  }
  log.add('terminal', 'betting-closed', {});
  const hands = { player: [] as Card[], banker: [] as Card[] };
  const refs: string[] = [];
  const unread = new Set<string>();
  const after = (count: number, isEnd: boolean): void => {
    for (const call of calls) {
      if (call.after !== count) continue;
      const total = (totalOf(hands[call.hand]) + call.off) % 10;
      log.add('shoe', 'hand-called', { hand: call.hand, total });
    }
    if (moved && refs[moved.card] && (moved.after === count || (isEnd && moved.after === 9)))
      log.add('person/sam', 'card-moved', {
        event: refs[moved.card] as string,
        to: moved.to,
        by: 'sam',
        reason: 'misplaced',
      });
    for (const each of play.declared)
      if (each.after === count || (isEnd && each.after === 9)) declare(log, rules, hands, each);
  };
  after(0, false);
  for (const [i, { card: drawn, to, exposed, unread: isUnread }] of cards.entries()) {
    const next = due(hands, rules);
    const place = to ?? (next.step === 'card' ? next.to : null);
    if (place) hands[place].push(drawn);
    const ref = log.add('shoe', 'card-drawn', { card: drawn, to, exposed });
    refs.push(ref);
    if (isUnread) unread.add(ref);
    after(i + 1, i + 1 === cards.length);
  }
  for (const { seat, bet, settled } of placed)
    if (settled)
      log.add('terminal', 'bet-settled', {
        seat,
        bet,
        stake: settled.stake,
        paid: settled.paid,
        commissionMarked: settled.marked,
      });
  if (end === 'closed') log.add('terminal', 'coup-closed', {});
  if (end === 'void') log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'a card fell' });
  return { events: log.events.map((event) => decoded(event)), unread };
}

function declare(
  log: TableLog,
  rules: Rules,
  hands: { player: Card[]; banker: Card[] },
  { by, outcome, totals, specials }: Declared,
): void {
  const right = outcomeOf(totalOf(hands.player), totalOf(hands.banker));
  const data: EventData['outcome-declared'] = {
    by,
    outcome: outcome === 'right' ? right : outcome,
    ...(totals && { player: totals[0], banker: totalOf(hands.banker) }),
    ...(specials && {
      specials: specials === 'right' ? specialsOf(rules, factsOf(hands), hands) : [...specials],
    }),
  };
  log.add('terminal', 'outcome-declared', data);
}

const withCard = (event: AnyEvent, read: Card | null): AnyEvent =>
  ({ ...event, data: { ...event.data, card: read } }) as AnyEvent;
const referenceOf = ({ source, id }: AnyEvent): string => `${source}#${id}`;

/** Returns the log with these cards in place of the unread ones. Those without one stay unread. */
function linesOf(
  { events, unread }: ReturnType<typeof recorded>,
  cards: readonly Card[],
): AnyEvent[] {
  let at = 0;
  return events.map((event) =>
    unread.has(referenceOf(event)) ? withCard(event, cards[at++] ?? null) : event,
  );
}

/** Audits the log with these cards in place of the unread ones. */
const read = (log: ReturnType<typeof recorded>, cards: readonly Card[]): Audited =>
  audit(linesOf(log, cards), { book: BOOK, once: true });

/** Cards of each value, a second ten, and each in a second suit. */
const ONE_OF_VALUE = CARDS.filter((each) => each[1] === 'S' && !'TJQ'.includes(each[0] as string));
const TWO_SUITS = CARDS.filter(
  (each) => 'SH'.includes(each[1] as string) && !'TJ'.includes(each[0] as string),
);

/**
 * Yields readings of so many unread cards: all of one; of two, each rank in two suits and each card
 * that lies in the coup; of three the same, but without pairs and suits if nothing asks for them.
 * Those that come one after another differ in every card.
 */
function* readings(play: Play, log: ReturnType<typeof recorded>): Generator<Audited> {
  const count = log.unread.size;
  const known = play.cards.map((each) => each.card);
  const isAsked = play.bets.length > 0 || play.declared.some(({ specials }) => specials);
  const some =
    count === 1
      ? CARDS
      : count === 2 && isAsked && play.rules === 'patterned'
        ? CARDS
        : isAsked
          ? [...new Set([...TWO_SUITS, ...known])]
          : ONE_OF_VALUE;
  const all = some.length ** count;
  for (let number = 0; number < all; number += 1) {
    let rest = (number * STRIDE) % all;
    const cards: Card[] = [];
    for (let i = 0; i < count; i += 1) {
      cards.push(some[rest % some.length] as Card);
      rest = Math.floor(rest / some.length);
    }
    yield read(log, cards);
  }
}

/** A prime that divides no number of readings. */
const STRIDE = 7919;

const bySeat = (code: string): boolean => /^(BT|PY|CM)/.test(code);
const keyOf = ({ code, seat, bet }: Finding): string =>
  bySeat(code) ? `${code} ${seat} ${bet}` : code;
const keysOf = ({ findings }: Audited): Set<string> =>
  new Set(findings.filter(({ code }) => !APART.has(code)).map(keyOf));

/** What the contract wants of a log with unread cards. */
interface Expected {
  readonly raised: readonly string[];
  readonly listed: readonly string[];
  /** Ids of findings that every reading has, with their impact, or none if it differs. */
  readonly alike: ReadonlyMap<string, string>;
  /** The hands that findings of RS-01 name in the readings. */
  readonly hands: ReadonlySet<string | undefined>;
}

/** Finds out what must be raised and listed, from readings one by one. */
class Expecting {
  count = 0;
  private readonly some = new Set<string>();
  private readonly hands = new Set<string | undefined>();
  private every: Set<string> | undefined;
  private alike: Map<string, string> | undefined;

  add(audited: Audited): void {
    this.count += 1;
    const keys = keysOf(audited);
    for (const key of keys) this.some.add(key);
    this.every = this.every ? new Set([...this.every].filter((key) => keys.has(key))) : keys;
    const impacts = impactsOf(audited);
    for (const { code, hand: named } of audited.findings)
      if (code === 'RS-01') this.hands.add(named);
    this.alike = new Map(
      [...(this.alike ?? impacts)].flatMap(([id, impact]) => {
        const here = impacts.get(id);
        return here === undefined ? [] : [[id, here === impact ? impact : NO_IMPACT] as const];
      }),
    );
  }

  get expected(): Expected {
    const raised = this.every ?? new Set();
    const open = [...this.some].filter((key) => !raised.has(key)).map(codeOf);
    return {
      raised: [...raised].sort(),
      listed: [...new Set(open)].sort(),
      alike: this.alike ?? new Map(),
      hands: this.hands,
    };
  }
}

/** After so many readings, twice as many and so on, what they want is compared for the first time. */
const READINGS_LEAST = 60;
/** Of so many tables, one is compared with all of its readings. */
const TABLES_TO_A_WHOLE = 300;
const whole = fc.nat(TABLES_TO_A_WHOLE - 1).map((n) => n === 0);

/**
 * Compares what was found in a log with unread cards with what its readings want. Whether
 * something is in some readings and not in others is followed to the last reading. What holds in
 * all of them is tried on sixty or more, and on the last too if this is a `whole` comparison.
 */
function compareWithReadings(play: Play, log: ReturnType<typeof recorded>, isWhole: boolean): void {
  const audited = read(log, []);
  const found = { raised: [...keysOf(audited)].sort(), listed: listedIn(audited) };
  const expecting = new Expecting();
  let enough = isWhole ? Infinity : READINGS_LEAST;
  for (const reading of readings(play, log)) {
    expecting.add(reading);
    if (expecting.count < enough) continue;
    if (differences(audited, found, expecting.expected).length === 0) return;
    enough *= 2;
  }
  expect(differences(audited, found, expecting.expected)).toEqual([]);
}

const NO_IMPACT = 'null';
const impactsOf = ({ findings }: Audited): Map<string, string> =>
  new Map(
    findings
      .filter(({ code }) => !APART.has(code))
      .map(({ id, impact }) => [id, JSON.stringify(impact ?? null)]),
  );

/** Returns in words how what was found differs from what must be found. */
function differences(
  audited: Audited,
  { raised, listed }: Pick<Expected, 'raised' | 'listed'>,
  wanted: Expected,
): string[] {
  const all: string[] = [];
  const compare = (what: string, is: unknown, must: unknown): void => {
    if (is !== must) all.push(`${what}: ${String(is)}, not ${String(must)}`);
  };
  compare('raised', raised.join(', '), wanted.raised.join(', '));
  compare('listed', listed.join(', '), wanted.listed.join(', '));
  const impacts = impactsOf(audited);
  for (const [id, impact] of wanted.alike) compare(`impact of ${id}`, impacts.get(id), impact);
  const [one] = wanted.hands.size === 1 ? wanted.hands : [undefined];
  for (const { code, hand: named } of audited.findings)
    if (code === 'RS-01') compare('hand of RS-01', named, one);
  return all;
}

const listedIn = ({ unjudgeable }: Audited): string[] =>
  [...new Set(unjudgeable.flatMap(({ codes }) => codes))].sort();

const dealt = (drawn: Card, to: To, unread = false): Play['cards'][number] => ({
  card: drawn,
  to,
  exposed: false,
  unread,
});

/** How many readings of a table are tried. */
const READINGS = ARE_MANY ? 4 : 20;

describe('with unread cards', () => {
  it.each([
    ['one', 1, 1],
    ['two or three', 2, 3],
  ])(
    'raises what every reading raises, and lists what some readings raise, of %s',
    (_, least, most) => {
      const once = fc.property(anyPlay(least, most), whole, (play, isWhole) => {
        const log = recorded(play);
        fc.pre(log.unread.size > 0);
        compareWithReadings(play, log, isWhole);
      });
      fc.assert(once, overTables());
    },
  );

  it('does so with four unread cards, if nothing depends on more than their values', () => {
    const once = fc.property(anyPlay(4, 4), whole, (play, isWhole) => {
      const log = recorded(withoutCards(play));
      fc.pre(log.unread.size === 4 && !areTooMany(linesOf(log, [])));
      compareWithReadings(withoutCards(play), log, isWhole);
    });
    fc.assert(once, overTables());
  });

  it('lays a card where it is due in some readings, though in others that lie alike none is', () => {
    const play: Play = {
      rules: 'patterned',
      cards: [
        dealt('AS', 'player', true),
        dealt('9D', 'banker'),
        dealt('AS', 'player'),
        dealt('AS', 'banker', true),
        dealt('AS', null),
        dealt('AS', null),
        dealt('AS', null),
      ],
      ...{ calls: [], declared: [], bets: [] },
      moved: { card: 4, to: 'discard', after: 6 },
      ...{ isLast: true, kind: 'normal', end: 'closed' },
    };
    compareWithReadings(play, recorded(play), false);
  });

  it('knows the value of each card, not only of two together, once a card was moved', () => {
    const play: Play = {
      rules: 'patterned',
      cards: [
        dealt('AS', 'player'),
        dealt('AS', 'banker', true),
        dealt('AS', 'player', true),
        dealt('8S', 'banker'),
        dealt('AS', null, true),
      ],
      ...{ calls: [], declared: [], bets: [{ seat: 1, bet: 'small', settled: null }] },
      moved: { card: 0, to: 'player', after: 9 },
      ...{ isLast: true, kind: 'normal', end: 'closed' },
    };
    compareWithReadings(play, recorded(play), false);
  });

  it('agrees with any reading of any number of unread cards', () => {
    const once = fc.property(
      anyPlay(4, 8),
      fc.array(fc.array(card, { minLength: 11, maxLength: 11 }), {
        minLength: READINGS,
        maxLength: READINGS,
      }),
      (play, samples) => {
        const log = recorded(play);
        const audited = read(log, []);
        const [raised, listed] = [keysOf(audited), new Set(listedIn(audited))];
        for (const cards of samples) {
          const keys = keysOf(read(log, cards));
          expect([...raised].filter((key) => !keys.has(key))).toEqual([]);
          const missed = [...keys].filter((key) => !raised.has(key) && !listed.has(codeOf(key)));
          expect(missed).toEqual([]);
        }
      },
    );
    fc.assert(once, overTables());
  });
});

describe('with four unread cards and more', () => {
  it('judges drawing again, in every reading, once a card was moved', () => {
    const log = recorded({
      rules: 'plain',
      cards: [
        dealt('2C', 'player'),
        dealt('3H', 'banker'),
        dealt('JH', null, true),
        dealt('TD', 'player', true),
        dealt('2H', 'player', true),
        dealt('JH', null, true),
      ],
      calls: [
        { after: 2, hand: 'player', off: 4 },
        { after: 2, hand: 'banker', off: 1 },
        { after: 2, hand: 'banker', off: 4 },
      ],
      declared: [{ after: 9, by: 'dealer', outcome: 'player', totals: null, specials: null }],
      bets: [{ seat: 1, bet: 'banker-pair', settled: { stake: 'taken', paid: 0, marked: 500 } }],
      moved: { card: 3, to: 'player', after: 5 },
      ...{ isLast: false, kind: 'normal', end: 'closed' },
    });
    expect(keysOf(read(log, ['4S', 'AS', 'AS', 'AS']))).toContain('TC-04');
    expect(listedIn(read(log, []))).toContain('TC-04');
  });

  it('judges a hand with a fourth card no further, so that seven leave few readings', () => {
    const log = new TableLog();
    log.open({ rules: PLAIN.ref });
    log.dealer();
    log.add('terminal', 'coup-opened', { coup: 1 });
    log.draw('P ?? B ?? P ?? B ?? - ?? P ?? - ??');
    expect(areTooMany(log.events.map((event) => decoded(event)))).toBe(false);
  });
});

/** Cards to any hand or none, most of them unread, and moves of earlier ones. */
const tangled = fc.array(
  fc.record({
    card: fc.option(card, { freq: 5, nil: null }),
    to: fc.constantFrom('player' as const, 'banker' as const, null),
    moved: fc.option(
      fc.tuple(
        fc.nat(11),
        fc.constantFrom('player' as const, 'banker' as const, 'discard' as const),
      ),
      { freq: 2 },
    ),
  }),
  { minLength: 4, maxLength: 12, size: 'max' },
);

describe('however many cards of a coup are unread and moved,', () => {
  it('at most 10,000 classes of readings are followed, and what is raised holds in any', () => {
    const once = fc.property(
      tangled,
      fc.array(fc.array(card, { minLength: 12, maxLength: 12 }), { minLength: 5, maxLength: 5 }),
      (dealt, samples) => {
        const log = new TableLog();
        log.open({ rules: PLAIN.ref, reports: ['outcomes', 'bets', 'settlements'] });
        log.dealer();
        log.add('terminal', 'coup-opened', { coup: 1 });
        log.add('terminal', 'bet-placed', { seat: 1, bet: 'banker', amount: 10_000 });
        const drawn: string[] = [];
        for (const { card: seen, to, moved } of dealt) {
          const event = moved && drawn[moved[0]];
          if (event) log.add('person/sam', 'card-moved', { event, to: moved[1], by: 'sam' });
          drawn.push(log.add('shoe', 'card-drawn', { card: seen, to }));
        }
        log.add('terminal', 'outcome-declared', { outcome: 'banker', by: 'dealer' });
        log.add('terminal', 'bet-settled', { seat: 1, bet: 'banker', stake: 'taken', paid: 0 });
        log.add('terminal', 'coup-closed', {});
        const events = log.events.map((event) => decoded(event));
        expect(mostClasses(events)).toBeLessThanOrEqual(10_000);
        const unread = new Set(drawn.filter((_, i) => dealt[i]?.card === null));
        const recording = { events, unread };
        const raised = keysOf(read(recording, []));
        for (const cards of samples) {
          const keys = keysOf(read(recording, cards));
          expect([...raised].filter((key) => !keys.has(key))).toEqual([]);
        }
      },
    );
    fc.assert(once, overTables(50));
  });

  it('at most 10,000 classes are followed even if six cards without a named hand are unread, and one of them moves', () => {
    const log = new TableLog();
    log.open({ rules: PLAIN.ref });
    log.dealer();
    log.add('terminal', 'coup-opened', { coup: 1 });
    const [first = ''] = log.draw('- ?? - ?? - ?? - ?? - ?? - ??');
    log.add('person/sam', 'card-moved', { event: first, to: 'banker', by: 'sam', reason: 'fell' });
    log.add('terminal', 'outcome-declared', { outcome: 'banker', by: 'dealer' });
    expect(mostClasses(log.events.map((event) => decoded(event)))).toBeLessThanOrEqual(10_000);
  });
});

/** Returns whether there are more classes of readings than are followed, so that much is left open. */
function areTooMany(events: readonly AnyEvent[]): boolean {
  const state = newTable('T1');
  return events.some((event) => {
    fold(state, event, BOOK);
    return state.open?.coup?.readings?.fillings.length === 0;
  });
}

/** Returns the most classes of readings that are followed at any time. */
function mostClasses(events: readonly AnyEvent[]): number {
  const state = newTable('T1');
  const counts = events.map((event) => {
    fold(state, event, BOOK);
    const fillings = state.open?.coup?.readings?.fillings ?? [];
    return fillings.reduce((sum, { worlds }) => sum + worlds.count, 0);
  });
  return Math.max(...counts);
}

const codeOf = (key: string): string => key.split(' ')[0] as string;

/**
 * Returns a coup in which nothing asks for single cards: no bets and announcements, and no card
 * that moves. After a move a card whose value was merged with others can have any value again,
 * which can list a code that no reading raises (decision 3).
 */
const withoutCards = (play: Play): Play => ({
  ...play,
  moved: null,
  isLast: false,
  bets: [],
  declared: play.declared.map((each) => ({ ...each, specials: null })),
});
