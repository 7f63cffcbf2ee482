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
  type AnyEvent,
  type EventType,
  type TableState,
} from '#audit';
import { referenceOf as nameOf } from '../../libs/audit/src/events/events.js';
import { positionOf } from '../../libs/audit/src/history/journal.js';
import { SeatLedger } from '../../libs/audit/src/ledger/seat-ledger.js';
import type { Prefix } from '../../libs/audit/src/state.js';
import { dataOf, NARROW, type World } from '../kit/any-event.js';
import { decoded, Standing, type Sent } from '../kit/audit.js';
import { SMALL_BOOK } from '../kit/house.js';
import { expectSame, overTables } from '../kit/rounds.js';
import { DECKS, smallTable } from '../kit/short-table.js';

const DOCUMENTS = [
  'punto-banco@1',
  'nsw-crown@1',
  'super-6@1',
  'ez-baccarat@1',
  'macau-2011@1',
] as const;
const FAULTS = ['TC-05', 'RS-02', 'RS-09', 'PY-01', 'BT-01', 'DL-06', 'DL-16'];
/** Values that often meet those of a simulated table. */
const DENSE: World = {
  ...NARROW,
  ordinals: fc.integer({ min: 1, max: 6 }),
  amounts: fc.constantFrom(0, 1, 100, 500, 2500),
};
const INJECTED: readonly EventType[] = [
  'card-moved',
  'coup-voided',
  'bet-settled',
  'dealer-signed-on',
  'dealer-relieved',
  'commission-collected',
  'commission-waived',
  'seat-left',
  'card-drawn',
  'cut-card-drawn',
  'bet-placed',
  'outcome-declared',
  'coup-closed',
];

const CORRECTED: readonly EventType[] = [
  ...INJECTED,
  'coup-opened',
  'coup-opened',
  'shoe-closed',
  'observation-corrected',
];

interface Table {
  readonly rules: string;
  readonly seed: number;
  readonly faults: readonly string[];
  readonly coups: number;
  readonly decks: 1 | 2;
  readonly isNumbered: boolean;
  readonly milliseconds: number;
  readonly edits: readonly Edit[];
}
interface Edit {
  readonly where: number;
  readonly what: 'correct' | 'add' | 'lose' | 'delay';
  readonly back: number;
  /** What is added. */
  readonly type: EventType;
  /** What is corrected: the last of this type, or any event so far back. */
  readonly target: EventType | null;
  readonly seed: number;
}

const tables: fc.Arbitrary<Table> = fc.record({
  rules: fc.constantFrom(...DOCUMENTS),
  seed: fc.nat(9_999),
  faults: fc.uniqueArray(fc.constantFrom(...FAULTS), { maxLength: 3 }),
  coups: fc.integer({ min: 3, max: 8 }),
  decks: DECKS,
  isNumbered: fc.boolean(),
  milliseconds: fc.constantFrom(200, 1500, 1500),
  edits: fc.array(
    fc.record({
      where: fc.nat(9_999).map((of10000) => of10000 / 10_000),
      what: fc.constantFrom(
        ...Array<'correct'>(16).fill('correct'),
        ...Array<'add'>(10).fill('add'),
        'lose',
        'delay',
      ),
      back: fc.oneof(fc.nat(12), fc.nat(200), fc.nat(200)),
      type: fc.constantFrom(...INJECTED),
      target: fc.option(fc.constantFrom(...CORRECTED)),
      seed: fc.nat(1_000_000),
    }),
    { minLength: 1, maxLength: 14, size: 'max' },
  ),
});

const referenceOf = ({ source, id }: Sent): string => `${source as string}#${id as string}`;
const typeOf = ({ type }: Sent): EventType =>
  (type as string).replace(/^shoeprint\.|\.v1$/g, '') as EventType;

/** Returns data for an event of a type. References name cards among these events. */
function anyData(type: EventType, seed: number, among: readonly Sent[]): Sent {
  const [data] = fc.sample(dataOf(type, DENSE), { seed, numRuns: 1 }) as [Sent];
  const cards = among.filter((event) => typeOf(event) === 'card-drawn');
  const card = cards[seed % Math.max(1, cards.length)];
  return 'event' in data && card ? { ...data, event: referenceOf(card) } : data;
}

/** Returns other data for an event. Half of the coups keep their number, and change their kind. */
function corrected(event: Sent, seed: number, among: readonly Sent[]): Sent {
  const data = anyData(typeOf(event), seed, among);
  const { coup } = event.data as { coup?: number };
  return typeOf(event) === 'coup-opened' && seed % 2 === 0 ? { ...data, coup } : data;
}

/** Returns a table's log with events added, lost and corrected at random. */
function logOf(table: Table): Sent[] {
  const faults = table.faults.filter(
    (code) => table.rules === 'punto-banco@1' || !/^(BT|PY)/.test(code),
  );
  const log = smallTable({ ...table, bets: true, faults });
  for (const [n, { where, what, back, type, target, seed }] of table.edits.entries()) {
    const at = 1 + Math.floor(where * (log.length - 1));
    const before = log[at - 1] as Sent;
    const among = log.slice(Math.max(0, at - 60), at);
    if (what === 'lose' || what === 'delay') {
      const isLost = what === 'lose' ? 'for ever' : back;
      if (typeOf(before) !== 'shoe-opened') log[at - 1] = { ...before, isLost };
      continue;
    }
    const shoe = (
      log.slice(0, at).findLast((event) => event.shoe) ?? log.find((event) => event.shoe)
    )?.shoe;
    const added = { ...before, shoe, source: 'person/sam', id: `added ${n}`, isLost: undefined };
    const wrong =
      log.slice(0, at - (back % 40)).findLast((event) => typeOf(event) === target) ??
      log[Math.max(0, at - 1 - back)] ??
      before;
    const data =
      what === 'add'
        ? anyData(type, seed, among)
        : {
            event: referenceOf(wrong),
            data: corrected(wrong, seed, among),
            ...(seed % 5 === 0 ? {} : { by: 'sam', reason: 'camera' }),
          };
    const name = what === 'add' ? type : 'observation-corrected';
    log.splice(at, 0, { ...added, type: `shoeprint.${name}.v1`, data });
  }
  return stamped(log, table);
}

/**
 * Numbers the events if the table does, and sets their times. Leaves out those that are lost. One
 * that is delayed comes when its number is known to be missing, with the correction that enters it.
 */
function stamped(log: readonly Sent[], { isNumbered, milliseconds }: Table): Sent[] {
  const numbers = new Map<unknown, number>();
  let ms = Date.parse('2026-11-20T12:00:00Z');
  const delayed: { readonly until: number; readonly event: Sent }[] = [];
  const sent = log.flatMap(({ isLost, ...event }, at): Sent[] => {
    const { source } = event;
    const number = (numbers.get(source) ?? 0) + 1;
    numbers.set(source, number);
    ms += milliseconds;
    const isPerson = (source as string).startsWith('person/');
    const numbered =
      isNumbered && !isPerson
        ? { session: '1', sequence: number }
        : { session: undefined, sequence: undefined };
    const stamp = { ...event, ...numbered, time: new Date(ms).toISOString() };
    if (typeof isLost === 'number') delayed.push({ until: at + 70 + isLost, event: stamp });
    return isLost === undefined ? [stamp] : [];
  });
  for (const { until, event } of delayed) {
    const data = { event: referenceOf(event), data: event.data, by: 'sam', reason: 'camera' };
    const correction = {
      ...event,
      ...{ type: 'shoeprint.observation-corrected.v1', source: 'person/sam', data },
      ...{ id: `enters ${until}`, session: undefined, sequence: undefined },
    };
    sent.splice(Math.min(until, sent.length), 0, event, correction);
  }
  return sent;
}

/** Makes every stretch of play seem to reach every other, so that corrections replay all of them. */
function joinStretches({ open, before }: TableState): void {
  for (const shoe of [open, before])
    for (const point of shoe?.checkpoints ?? []) {
      point.earliest = 0;
      point.latest = (shoe?.checkpoints.length ?? 0) - 1;
    }
}

/** What does not follow from the journal, or does not matter. */
const APART: ReadonlySet<string> = new Set([
  ...[
    'changes',
    'changed',
    'sha256',
    'rules',
    'positions',
    'searches',
    'journal',
    'played',
    'cause',
    'at',
  ],
  ...['found', 'obligations', 'readings'],
]);

/** Whether a value is the beginning of a list that has gone on since. */
const isPrefix = (value: unknown): value is Prefix =>
  typeof value === 'object' && value !== null && 'list' in value && 'count' in value;

/** All that follows from the journal of a table's shoes, as text. */
const imageOf = ({ open, before }: TableState): string =>
  JSON.stringify(
    [open, before],
    (name, value: unknown) => {
      if (APART.has(name)) return undefined;
      if (isPrefix(value)) return value.list.slice(0, value.count);
      if (!(value instanceof Map || value instanceof SeatLedger)) return value;
      const entries = Array.from<unknown, string>(value, (entry) => JSON.stringify(entry));
      // a seat whose first entry a correction took away stays in checkpoints, with nothing
      return entries.filter((entry) => !/^\[\d+,\{("\w+":0,?)+\}\]$/.test(entry)).sort();
    },
    1,
  );

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;

/** What stands in the rows of a table. */
const rowsIn = ({ findings, unjudgeable, ledger, coups }: Standing): unknown => ({
  findings: findings.toSorted(byId),
  unjudgeable: unjudgeable.map((entry) => JSON.stringify(entry)).sort(),
  ledger: ledger.map((line) => JSON.stringify(line)).sort(),
  coups: [...new Map(coups.map((coup) => [coup.ref, coup])).values()].toSorted((a, b) =>
    a.ref < b.ref ? -1 : 1,
  ),
});

/** Folds a log; `before` sees the state before each correction. */
function folded(
  events: readonly AnyEvent[],
  before?: (state: TableState) => void,
): { readonly state: TableState; readonly rows: unknown } {
  const state = newTable('T1');
  const standing = new Standing();
  for (const event of events) {
    const isCorrection = event.type === 'observation-corrected';
    // what a correction must change is only seen in rows that were drawn before it
    if (isCorrection) standing.take(rowsOf(takeChanges(state)));
    if (isCorrection) before?.(state);
    fold(state, event, SMALL_BOOK);
    if (isCorrection) standing.take(rowsOf(takeChanges(state)));
  }
  endOfLog(state, SMALL_BOOK);
  standing.take(rowsOf(takeChanges(state)));
  return { state, rows: rowsIn(standing) };
}

describe('a correction, whatever it corrects and wherever it comes', () => {
  it('leads to what judging its shoe again from the start leads to', () => {
    fc.assert(
      fc.property(tables, (table) => {
        const events = logOf(table).map((event) => decoded(event));
        const one = folded(events);
        // the two images cost as much as the rest, so a third of the tables is compared with them
        if (table.seed % 3 === 0)
          expect(imageOf(one.state)).toBe(imageOf(loadTable(saveTable(one.state), SMALL_BOOK)));
        const whole = folded(events, joinStretches);
        expectSame(one.rows, whole.rows);
        const found = ({ open, before }: TableState): unknown =>
          [open, before].map((shoe) => shoe && [...shoe.found].sort());
        expectSame(found(one.state), found(whole.state));
      }),
      overTables(),
    );
  });
});

describe('an event of a shoe', () => {
  it('is found by its reference, however often one looks and wherever first', () => {
    fc.assert(
      fc.property(tables, fc.infiniteStream(fc.nat()), (table, places) => {
        const { open } = folded(logOf(table).map((event) => decoded(event))).state;
        fc.pre(open !== null && open !== undefined);
        Object.assign(open, { positions: null, searches: 0 });
        const { played } = open;
        const references = played.map((entry) => (entry.type === 'gap' ? '' : nameOf(entry)));
        for (const reference of references.filter((each) => each !== '')) {
          const from = places.next().value % played.length;
          const at = positionOf(open, reference, from);
          expect([references[at], positionOf(open, `${reference}-none`, from)]).toEqual([
            reference,
            -1,
          ]);
        }
      }),
      overTables(),
    );
  });
});
