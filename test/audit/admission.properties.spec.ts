import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  endOfLog,
  fold,
  loadTable,
  newTable,
  rowsOf,
  saveTable,
  takeChanges,
  type AuditedUnjudgeable,
  type Counts,
  type TableState,
} from '#audit';
import { anyStream } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import { audit, decoded, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { expectSame, overTables, rounds } from '../kit/rounds.js';

/** Takes the rows of a table that changed. */
function takeRows(state: TableState): unknown[] {
  const { shoes, outside } = rowsOf(takeChanges(state));
  const findings = (of: typeof outside): unknown[] =>
    of.map(({ raised, ...finding }) => ({ ...finding, raised: raised() }));
  return [
    ...shoes.map((rows) => ({
      shoe: rows.shoe,
      changed: rows.mark !== null,
      coups: rows.coups(),
      findings: findings(rows.findings()),
      unjudgeable: rows.unjudgeable(),
      sums: rows.sums((time) => time.slice(0, 10)),
      ledger: rows.ledger(),
    })),
    ...findings(outside),
  ];
}

/**
 * Folds to the end. Saves the state, discards it and loads it again before the events at `cuts`.
 */
function folded(
  events: readonly Sent[],
  cuts: ReadonlySet<number> = new Set(),
): { rows: unknown[]; saved: string; counts: Counts; read: number; sum: number } {
  let state = newTable('T1');
  const all: unknown[] = [];
  for (const [at, event] of events.entries()) {
    if (cuts.has(at)) state = loadTable(saveTable(state), BOOK);
    fold(state, decoded(event), BOOK);
    all.push(...takeRows(state));
  }
  if (cuts.has(events.length)) state = loadTable(saveTable(state), BOOK);
  endOfLog(state, BOOK);
  all.push(...takeRows(state));
  const { counts } = state.admission;
  const { read, admitted, duplicates, equivocal, late } = counts;
  return {
    rows: all,
    saved: saveTable(state),
    counts,
    read,
    sum: admitted + duplicates + equivocal + late,
  };
}

describe('any log of one table, even an absurd one,', () => {
  it('folds without an exception, and counts every event once', () => {
    fc.assert(
      fc.property(fc.oneof(anyStream(120), anyGame(120)), (events) => {
        const { read, sum } = folded(events);
        expect(read).toBe(events.length);
        expect(sum).toBe(events.length);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('may be split anywhere: a saved and loaded state leads to the same rows and the same state', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyStream(50), anyGame(50)),
        fc.array(fc.nat(51), { minLength: 1, maxLength: 4 }),
        (events, cuts) => {
          const [whole, split] = [folded(events), folded(events, new Set(cuts))];
          expect(split.rows).toEqual(whole.rows);
          expect(split.saved).toBe(whole.saved);
        },
      ),
      { numRuns: rounds(800) },
    );
  });

  it('may be split after a correction of nothing known, whose reference a gap leaves open', () => {
    const of = (source: string, id: string, type: string, more: Partial<Sent>): Sent => ({
      ...{ specversion: '1.0', type: `shoeprint.${type}.v1`, source, id, data: {} },
      ...{ time: '2026-11-20T12:00:00.000Z', table: 'T1', ...more },
    });
    const sent = (session: string, sequence: number, type: string, more: Partial<Sent>): Sent =>
      of('device/shoe', `${session}/${sequence}`, type, { session, sequence, ...more });
    const data = { event: 'nobody#knows', data: {}, by: 'sam', reason: 'misread' };
    const events = [
      of('device/shoe', 'a', 'shoe-opened', { shoe: 'S1', data: { ...openingData, reports: [] } }),
      sent('1', 2, 'coup-closed', { shoe: 'S1' }), // without number 1
      sent('2', 1, 'observation-corrected', { data }), // a new session: number 1 never comes
      sent('1', 3, 'card-moved', { shoe: 'S1', data: { event: 'nobody#knows', to: 'player' } }),
      of('person/sam', 'a correction', 'observation-corrected', { data }),
    ];
    const whole = folded(events);
    const listed = (whole.rows as { unjudgeable?: AuditedUnjudgeable[] }[])
      .flatMap(({ unjudgeable }) => unjudgeable ?? [])
      .flatMap(({ entry }) => (entry?.codes.includes('PR-09') ? entry.events : []));
    expect(listed).toEqual(expect.arrayContaining(['device/shoe#2/1', 'person/sam#a correction']));
    for (const cut of events.keys()) {
      const split = folded(events, new Set([cut, events.length]));
      expect(split.rows).toEqual(whole.rows);
      expect(split.saved).toBe(whole.saved);
    }
  });

  it('may be split after every event', () => {
    fc.assert(
      fc.property(anyGame(40), (events) => {
        expect(folded(events, new Set(events.keys())).rows).toEqual(folded(events).rows);
      }),
      { numRuns: 100 },
    );
  });
});

/** Some play with all that makes a table forget: more shoes, restarted sessions, more sessions. */
const forgetful: fc.Arbitrary<Sent[]> = fc
  .tuple(
    anyGame(30),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'again',
          'other',
          'other',
          'restart',
          'hole',
          'card',
          'call',
          'sessions',
          'shoes',
          'shoes',
        ),
        fc.nat(),
        fc.nat(999),
      ),
      { minLength: 6, maxLength: 20 },
    ),
  )
  .map(([game, acts]) => {
    const events = [...game];
    let shoe = 'S1';
    const report = (source: string, session: string, sequence: number, code: number): Sent => ({
      ...(game[0] as Sent),
      type: sequence === 1 ? 'shoeprint.device-online.v1' : 'shoeprint.device-error.v1',
      ...{ source, session, sequence, shoe: undefined },
      id: `${session}/${sequence}/${code}`,
      data: { code },
    });
    for (const [act, which, salt] of acts) {
      const event = events[which % events.length] as Sent;
      const { source, session } = event as { source: string; session?: string };
      if (act === 'again') events.push(event);
      else if (act === 'other')
        events.push({ ...event, time: `2026-11-21T00:00:00.${100 + salt}Z` });
      else if (act === 'restart' && session) events.push(report(source, session, 1, salt));
      else if (act === 'hole') events.push(report('device/x', 'holes', 3, salt));
      else if (act === 'sessions')
        for (let n = 0; n < 257; n += 1) events.push(report('device/x', `${salt}-${n}`, 1, n));
      else if (act === 'card' || act === 'call')
        events.push({
          ...(game[0] as Sent),
          ...PERSON,
          ...(act === 'card'
            ? { type: 'shoeprint.card-drawn.v1', shoe, data: { card: null, to: null } }
            : {
                type: 'shoeprint.supervisor-called.v1',
                shoe: undefined,
                data: { reason: `${salt}` },
              }),
          id: act,
        });
      else if (act === 'shoes')
        for (let n = 0; n <= which % 4; n += 1) {
          shoe = `${events.length}-${n}`;
          const id = `${shoe}/${salt}`;
          const data = { ...openingData, reports: [] };
          const opening = { ...PERSON, type: 'shoeprint.shoe-opened.v1', id, shoe, data };
          events.push({ ...(game[0] as Sent), ...opening });
        }
    }
    return events;
  });
const PERSON = { source: 'person/sam', session: undefined, sequence: undefined };
const openingData = {
  rules: 'punto-banco-no-burn@1',
  decks: 8,
  kind: 'physical',
  currency: 'USD',
};

describe('the id of a finding', () => {
  it('is never given in two shoes or two coups, whatever the table has forgotten', () => {
    fc.assert(
      fc.property(forgetful, (events) => {
        const state = newTable('T1');
        const places = new Map<string, string>();
        for (const event of events) {
          fold(state, decoded(event), BOOK);
          const { shoes, outside } = rowsOf(takeChanges(state));
          for (const { finding, shoeRef, coupRef } of [
            ...shoes.flatMap((rows) => rows.findings()),
            ...outside,
          ]) {
            const place = JSON.stringify([shoeRef, coupRef]);
            expect([finding.code, places.get(finding.id) ?? place]).toEqual([finding.code, place]);
            places.set(finding.id, place);
          }
        }
      }),
      overTables(),
    );
  });
});

describe('a log whose sources number their events', () => {
  /**
   * Ids are remembered for the open shoe and the one before. Beyond those, an event without a
   * number would count as new.
   */
  const forgottenAt = (log: readonly Sent[], event: Sent): number => {
    const openings = log.flatMap(({ type }, i) =>
      type === 'shoeprint.shoe-opened.v1' && i > log.indexOf(event) ? [i] : [],
    );
    const distinct = openings.filter((i) => log.indexOf(log[i] as Sent) === i);
    return event.sequence === undefined ? (distinct[1] ?? log.length) : log.length;
  };

  it('leads to the same rows if any of its events repeat', () => {
    fc.assert(
      fc.property(
        anyGame(60),
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 12 }),
        (events, repeats) => {
          const again = [...events];
          for (const [which, where] of repeats) {
            const event = events[which % events.length] as Sent;
            const first = again.indexOf(event);
            again.splice(first + 1 + (where % (forgottenAt(again, event) - first)), 0, event);
          }
          const [once, repeated] = [folded(events), folded(again)];
          expectSame(repeated.rows, once.rows);
          expect(repeated.counts).toEqual({
            ...once.counts,
            read: again.length,
            duplicates: repeats.length,
          });
        },
      ),
      overTables(),
    );
  });

  it('leads to the same verdict if the events of a device arrive in another order but overtake no other source', () => {
    const endsWaits = ({ type }: Sent): boolean =>
      type === 'shoeprint.shoe-closed.v1' || type === 'shoeprint.device-offline.v1';
    fc.assert(
      fc.property(
        anyGame(80),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 40 })), {
          minLength: 1,
          maxLength: 8,
        }),
        (events, delays) => {
          const order = [...events];
          for (const [which, by] of delays) {
            const at = which % order.length;
            const event = order[at] as Sent;
            if (event.sequence === undefined) continue;
            let to = at;
            while (
              to < at + by &&
              order[to + 1]?.source === event.source &&
              !endsWaits(order[to + 1] as Sent) &&
              !endsWaits(event)
            )
              to += 1;
            order.splice(to, 0, ...order.splice(at, 1));
          }
          const [inOrder, delayed] = [events, order].map((log) => {
            const { state, findings, unjudgeable, ledger, coups } = audit(log);
            const lastOfEach = new Map(coups.map((coup) => [coup.ref, coup]));
            const byId = new Map(findings.map((finding) => [finding.id, finding]));
            const bySeat = new Map(ledger.map((line) => [`${line.shoe} ${line.seat}`, line]));
            return [byId, unjudgeable, bySeat, lastOfEach, state.admission.counts];
          });
          expectSame(delayed, inOrder);
        },
      ),
      overTables(),
    );
  });
});
