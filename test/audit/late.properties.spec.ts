import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { audit, onceDecoded, type Audited, type Sent } from '../kit/audit.js';
import { SMALL_BOOK } from '../kit/house.js';
import { expectSame, overTables } from '../kit/rounds.js';
import { DECKS, smallTable, type SmallTable } from '../kit/short-table.js';

const FAULTS = [
  'TC-05',
  'TC-08',
  'RS-01',
  'RS-02',
  'DL-06',
  'DL-02',
  'PY-01',
  'PY-03',
  'CM-02',
  'RS-07',
  'RS-09',
  'BT-01',
  'SH-04',
  'DL-16',
  'CM-05',
];
const DOCUMENTS = ['punto-banco@1', 'punto-banco-taken@1', 'super-6@1', 'ez-baccarat@1'];

/**
 * Returns two shoes, every event numbered, with clocks that agree: each event a second and a half
 * later.
 */
function eventsOf(table: SmallTable): Sent[] {
  const numbers = new Map<unknown, number>();
  let ms = Date.parse('2026-11-20T12:00:00Z');
  return smallTable(table).map((event) => {
    const number = (numbers.get(event.source) ?? 0) + 1;
    numbers.set(event.source, number);
    ms += 1500;
    return { ...event, session: '1', sequence: number, time: new Date(ms).toISOString() };
  });
}

const referenceOf = ({ source, id }: Sent): string => `${source as string}#${id as string}`;

/**
 * Loses the event at `at`, delivers it after `delay` more events, and enters it by a correction.
 * The event is one of a shoe: what came before the first opening belongs to the table.
 */
function entered(events: readonly Sent[], at: number, delay: number): Sent[] | undefined {
  const lost = events[at] as Sent;
  if (lost.type === 'shoeprint.shoe-opened.v1') return undefined;
  if (at < events.findIndex(({ type }) => type === 'shoeprint.shoe-opened.v1')) return undefined;
  const next = events.findIndex((event, i) => i > at && event.source === lost.source);
  if (next < 0) return undefined;
  const openings = events.flatMap(({ type }, i) =>
    i > at && type === 'shoeprint.shoe-opened.v1' ? [i] : [],
  );
  if (next >= (openings[1] ?? events.length)) return undefined;
  // The table waits for the number until 64 events wait.
  const arrives = Math.min(events.length, next + 65 + delay);
  const correction: Sent = {
    ...lost,
    type: 'shoeprint.observation-corrected.v1',
    ...{ source: 'person/sam', id: 'late', session: undefined, sequence: undefined },
    data: { event: referenceOf(lost), data: lost.data, by: 'sam', reason: 'camera' },
  };
  const rest = events.filter((event) => event !== lost);
  return [...rest.slice(0, arrives - 1), lost, correction, ...rest.slice(arrives - 1)];
}

/** What must be the same: all but findings about devices and people, positions and receipts. */
const verdictOf = ({ findings, unjudgeable, ledger, coups }: Audited): unknown => ({
  findings: findings
    .filter(({ code }) => !/^(DV|PR)/.test(code))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  unjudgeable: unjudgeable.map(({ why: _, ...entry }) => JSON.stringify(entry)).sort(),
  ledger: ledger.map((line) => JSON.stringify(line)).sort(),
  coups: [...new Map(coups.map((coup) => [coup.ref, coup])).values()].toSorted((a, b) =>
    a.ref < b.ref ? -1 : 1,
  ),
});

const losses = fc.record({
  rules: fc.constantFrom(...DOCUMENTS),
  seed: fc.nat(9_999),
  faults: fc.uniqueArray(fc.constantFrom(...FAULTS), { maxLength: 4 }),
  coups: fc.integer({ min: 3, max: 8 }),
  decks: DECKS,
  where: fc.nat(9_999).map((of10000) => of10000 / 10_000),
  delay: fc.nat(200),
});

describe('a lost message that the floor enters', () => {
  it('leads to the result of the log in which it was never lost', () => {
    fc.assert(
      fc.property(losses, ({ where, delay, ...table }) => {
        const faults = table.faults.filter(
          (code) => table.rules === 'punto-banco@1' || !/^(CM|SH-04)/.test(code),
        );
        const events = eventsOf({ ...table, bets: true, faults });
        const log = entered(events, Math.floor(where * events.length), delay);
        fc.pre(log !== undefined);
        const decode = onceDecoded();
        const [late, whole] = [log, events].map((each) =>
          verdictOf(audit(each.map(decode), { book: SMALL_BOOK, once: true })),
        );
        expectSame(late, whole);
      }),
      overTables(),
    );
  });
});
