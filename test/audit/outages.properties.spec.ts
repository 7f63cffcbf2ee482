import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnyEvent } from '#audit';
import { DOCUMENTS } from '../simulate/simulated.js';
import { audit, type Audited, type Sent } from '../kit/audit.js';
import { SMALL_BOOK } from '../kit/house.js';
import { overTables } from '../kit/rounds.js';
import { DECKS, smallTable, type SmallTable } from '../kit/short-table.js';

const READER = 'device/reader';
const OTHERS = ['device/b', 'device/c'] as const;

const CALLS = ['hand-called', 'outcome-declared'] as const;
const BETS = ['bet-placed', 'bet-withdrawn', 'bet-settled'] as const;
const COMMISSION = ['commission-collected', 'commission-waived', 'seat-left'] as const;
const PEOPLE = ['dealer-signed-on', 'dealer-relieved'] as const;

/** The types that one device sends. The reader draws the cards, and may send any other. */
const TYPES = [
  ['card-drawn'],
  ['shoe-opened', 'shoe-closed', 'cut-card-drawn'],
  ['coup-opened', 'coup-closed', 'coup-voided'],
  ['betting-closed'],
  CALLS,
  BETS,
  COMMISSION,
  PEOPLE,
] as const satisfies readonly (readonly AnyEvent['type'][])[];
/** The kinds of message other than play. What an outage hides of them depends on its source. */
const NOT_PLAY: readonly (readonly string[])[] = [CALLS, [...BETS, ...COMMISSION], PEOPLE];

interface Table extends Omit<SmallTable, 'rules' | 'faults'> {
  readonly document: number;
  readonly devices: readonly string[];
}

/** How a device is lost: whether it says that it goes offline, and whether it comes back. */
type Manner = 'comes online' | 'goes offline and comes online' | 'goes offline for good';
const MANNERS: readonly Manner[] = [
  'comes online',
  'goes offline and comes online',
  'goes offline for good',
];

const tablesWith = (devices: fc.Arbitrary<string>): fc.Arbitrary<Table> =>
  fc.record({
    document: fc.nat(DOCUMENTS.length - 1),
    seed: fc.nat(99_999),
    bets: fc.boolean(),
    coups: fc.integer({ min: 4, max: 8 }),
    decks: DECKS,
    devices: fc
      .array(devices, { minLength: TYPES.length - 1, maxLength: TYPES.length - 1 })
      .map((others) => [READER, ...others]),
  });
const tables = tablesWith(fc.constantFrom(READER, ...OTHERS));
const tablesWithReader = tablesWith(fc.constantFrom(...OTHERS));

const typeOf = ({ type }: Sent): string => (type as string).replace(/^shoeprint\.|\.v1$/g, '');
const isOf =
  (type: AnyEvent['type']) =>
  (event: Sent): boolean =>
    typeOf(event) === type;

/** Returns the kind of a message, as an index of `NOT_PLAY`; -1 for play. */
const kindOf = (event: Sent): number =>
  NOT_PLAY.findIndex((types) => types.includes(typeOf(event)));

/** Returns two shoes of a table, each event from the device that sends its type. */
function played({ document, devices, ...table }: Table, faults: readonly string[] = []): Sent[] {
  const rules = DOCUMENTS[document] as string;
  return smallTable({ ...table, rules, faults }).map((event) => {
    const sender = TYPES.findIndex((types) => (types as readonly string[]).includes(typeOf(event)));
    return { ...event, source: devices[sender] ?? (event.source as string) };
  });
}

/** Numbers the events of each device. A reader that came online again has a new session. */
function numbered(log: readonly Sent[]): Sent[] {
  const numbers = new Map<unknown, number>();
  let session = 1;
  return log.map((event) => {
    const { source } = event;
    if ((source as string).startsWith('person/')) return event;
    if (typeOf(event) === 'device-online' && source === READER) {
      session += 1;
      numbers.delete(source);
    }
    const sequence = (numbers.get(source) ?? 0) + 1;
    numbers.set(source, sequence);
    const name = source === READER ? `${session}` : '1';
    return { ...event, id: `${name}/${sequence}`, session: name, sequence };
  });
}

const note = (like: Sent, type: string, data: Sent): Sent => {
  const { shoe: _, ...event } = like;
  return { ...event, source: READER, type: `shoeprint.${type}.v1`, data };
};

/** An outage: the indexes in the whole log from the last event before it up to its end. */
interface Outage {
  readonly since: number;
  readonly end: number;
  readonly manner: Manner;
}

/**
 * Chooses an outage that begins after a card of the reader, and of which it is certain that a shoe
 * is open: where the reader comes online, else where it goes offline. The reader has sent before
 * each kind of message that it loses, because an outage hides no other kind.
 */
function outageIn(log: readonly Sent[], where: number, count: number, manner: Manner): Outage {
  const isOwn = ({ source }: Sent): boolean => source === READER;
  const own = log.flatMap((event, at) => (isOwn(event) ? [at] : []));
  const first = own.findIndex((at) => isOf('card-drawn')(log[at] as Sent));
  const begin = first + (where % (own.length - first));
  const since = own[begin] as number;
  const isForGood = manner === 'goes offline for good';
  const end = isForGood ? log.length : (own[begin + count] ?? log.length - 1);
  fc.pre(since < end);
  const kinds = (from: number, to: number): number[] =>
    log.slice(from, to).filter(isOwn).map(kindOf);
  const sent = kinds(0, since + 1);
  fc.pre(kinds(since + 1, end).every((kind) => sent.includes(kind)));
  const isKept = (event: Sent, at: number): boolean =>
    ['shoe-opened', 'shoe-closed'].includes(typeOf(event)) && (at <= since || !isOwn(event));
  const known = log.slice(0, manner === 'comes online' ? end : since + 1).findLast(isKept) as Sent;
  fc.pre(isOf('shoe-opened')(known));
  return { since, end, manner };
}

/** Returns the log with what the reader would have sent in an outage replaced by what `instead` says. */
function during(
  log: readonly Sent[],
  { since, end, manner }: Outage,
  instead: (event: Sent) => readonly Sent[] = () => [],
): Sent[] {
  const like = log[since] as Sent;
  const isBack = manner !== 'goes offline for good';
  const inside = log
    .slice(since + 1, end)
    .flatMap((event) => (event.source === READER ? instead(event) : [event]));
  return numbered([
    note(log[0] as Sent, 'device-online', { missed: 0 }),
    ...log.slice(0, since + 1),
    ...(manner === 'comes online' ? [] : [note(like, 'device-offline', {})]),
    ...inside,
    ...(isBack ? [note(log[end] as Sent, 'device-online', { missed: null })] : []),
    ...(isBack ? log.slice(end) : []),
  ]);
}

const found = ({ findings }: Audited): string[] => findings.map(({ code }) => code);
const place = ({ shoe, coup }: { readonly shoe: string; readonly coup?: number }): string =>
  `${shoe} ${coup}`;
const FAULTS = ['TC-05', 'TC-04', 'RS-01', 'RS-02', 'DL-06', 'DL-02'];
const faults = fc.uniqueArray(fc.constantFrom(...FAULTS), { minLength: 3, maxLength: 4 });
const base = (table: Table): Table => ({ ...table, document: DOCUMENTS.indexOf('punto-banco@1') });

/** Returns what was found in the coups that fit, each with its coup. */
const inCoups = ({ findings }: Audited, fits: (place: string) => boolean): string[] =>
  findings
    .filter(({ code, coup }) => coup !== undefined && !code.startsWith('DV'))
    .filter((finding) => fits(place(finding)))
    .map((finding) => `${finding.code} ${place(finding)}`)
    .sort();

/** Returns the coups with an event from one index to another, and those that these two end. */
function coupsIn(log: readonly Sent[], from: number, to: number): Set<string> {
  const touched = new Set<string>();
  let open: string | undefined;
  for (const [at, event] of log.entries()) {
    if (isOf('coup-opened')(event))
      open = place({ shoe: event.shoe as string, ...(event.data as { coup: number }) });
    if (at >= from && at <= to && open !== undefined) touched.add(open);
    if (['coup-closed', 'shoe-closed'].includes(typeOf(event)) && at < from) open = undefined;
  }
  return touched;
}

describe('an outage of the device that draws the cards', () => {
  it.each(MANNERS)('is held against nobody if the device %s', (manner) => {
    fc.assert(
      fc.property(
        tables,
        fc.nat(),
        fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 150 })),
        (table, where, count) => {
          const log = played(table);
          const outage = outageIn(log, where, count, manner);
          expect(found(audit(during(log, outage), { book: SMALL_BOOK, once: true }))).toEqual([
            'DV-06',
          ]);
        },
      ),
      overTables(),
    );
  });

  it.each(MANNERS)('leaves every other coup judged in full if the device %s', (manner) => {
    fc.assert(
      fc.property(
        tablesWithReader.map(base),
        faults,
        fc.nat(),
        fc.integer({ min: 1, max: 40 }),
        (table, wrongs, where, count) => {
          const log = played(table, wrongs);
          const outage = outageIn(log, where, count, manner);
          const [whole, disturbed] = [numbered(log), during(log, outage)].map((events) =>
            audit(events, { book: SMALL_BOOK, once: true }),
          ) as [Audited, Audited];
          const touched = coupsIn(log, outage.since, outage.end);
          // SH-09 stays open if the coup in which the cut card showed is touched
          const listed = disturbed.unjudgeable.filter(
            ({ coup, codes }) => coup !== undefined && codes.join() !== 'SH-09',
          );
          expect(listed.map(place).filter((each) => !touched.has(each))).toEqual([]);
          const isOutside = (each: string): boolean => !touched.has(each);
          expect(inCoups(disturbed, isOutside)).toEqual(inCoups(whole, isOutside));
        },
      ),
      overTables(),
    );
  });

  it('leaves a coup judged whose cards a person enters while the device is offline', () => {
    fc.assert(
      fc.property(
        tablesWithReader.map(base),
        faults,
        fc.nat(),
        fc.integer({ min: 5, max: 60 }),
        (table, wrongs, where, count) => {
          const log = played(table, wrongs);
          const outage = outageIn(log, where, count, 'goes offline and comes online');
          const entered = during(log, outage, ({ session: _, sequence: __, ...event }) => [
            { ...event, source: 'person/mira' },
          ]);
          const [whole, disturbed] = [numbered(log), entered].map((events) =>
            audit(events, { book: SMALL_BOOK, once: true }),
          ) as [Audited, Audited];
          const { since, end } = outage;
          const partly = new Set([...coupsIn(log, since, since), ...coupsIn(log, end, end)]);
          const isEntered = (each: string): boolean => !partly.has(each);
          expect(inCoups(disturbed, isEntered)).toEqual(inCoups(whole, isEntered));
        },
      ),
      overTables(),
    );
  });
});
