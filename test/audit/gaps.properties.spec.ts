import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnyEvent } from '#audit';
import { DOCUMENTS } from '../simulate/simulated.js';
import { audit, type Audited, type Sent } from '../kit/audit.js';
import { SMALL_BOOK } from '../kit/house.js';
import { overTables } from '../kit/rounds.js';
import { DECKS, smallTable, type SmallTable } from '../kit/short-table.js';

const DEVICES = ['device/a', 'device/b', 'device/c'] as const;

/** The kinds of message that one device of a table sends, so that any of them can share a device. */
const KINDS = [
  ['shoe-opened', 'shoe-closed', 'cut-card-drawn'],
  ['card-drawn'],
  ['coup-opened', 'coup-closed', 'coup-voided'],
  ['betting-closed'],
  ['hand-called', 'outcome-declared'],
  ['bet-placed', 'bet-withdrawn', 'bet-settled'],
  ['commission-collected', 'commission-waived', 'seat-left'],
  ['dealer-signed-on', 'dealer-relieved'],
] as const satisfies readonly (readonly AnyEvent['type'][])[];

interface Table extends Omit<SmallTable, 'rules' | 'faults'> {
  readonly document: number;
  readonly devices: readonly (typeof DEVICES)[number][];
}

const tables: fc.Arbitrary<Table> = fc.record({
  document: fc.nat(DOCUMENTS.length - 1),
  seed: fc.nat(99_999),
  bets: fc.boolean(),
  coups: fc.integer({ min: 4, max: 8 }),
  decks: DECKS,
  devices: fc.array(fc.constantFrom(...DEVICES), {
    minLength: KINDS.length,
    maxLength: KINDS.length,
  }),
});

/** Returns two shoes of a table, each event sent and numbered by the device of its kind. */
function eventsOf({ document, devices, ...table }: Table, faults: readonly string[] = []): Sent[] {
  const rules = DOCUMENTS[document] as string;
  const numbers = new Map<string, number>();
  return smallTable({ ...table, rules, faults }).map((event) => {
    const type = (event.type as string).replace(/^shoeprint\.|\.v1$/g, '');
    const kind = KINDS.findIndex((types) => (types as readonly string[]).includes(type));
    const source = devices[kind] ?? (event.source as string);
    const number = (numbers.get(source) ?? 0) + 1;
    numbers.set(source, number);
    return { ...event, source, id: `${number}`, session: '1', sequence: number };
  });
}

/**
 * Returns the events without a run of one device's. A later one of it shows the hole. The device
 * has sent before whatever it sends later, or the run begins with its first event.
 */
function without(events: readonly Sent[], where: number, count: number, isFirst = false): Sent[] {
  const source = DEVICES[where % DEVICES.length] as string;
  const own = events.filter((event) => event.source === source);
  const firsts = new Map(own.toReversed().map((event) => [event.type, own.indexOf(event)]));
  const known = isFirst ? 0 : Math.max(-1, ...firsts.values()) + 1;
  const from = isFirst ? 0 : known + (where % Math.max(1, own.length - known));
  const run = own.slice(from, Math.min(from + count, own.length - 1));
  const lost = new Set(run);
  // What is found about an unknown shoe is remembered 1,024 times.
  const next = own[from + run.length];
  const opening = run.find(({ type }) => type === 'shoeprint.shoe-opened.v1');
  if (next && opening) fc.pre(events.indexOf(next) - events.indexOf(opening) < 1024);
  return events.filter((event) => !lost.has(event));
}

const codesOf = ({ findings }: Audited): string[] => [...new Set(findings.map(({ code }) => code))];

describe('a gap is held against nobody:', () => {
  it('only the gap is found if a lawful table loses any run of messages of one device', () => {
    fc.assert(
      fc.property(
        tables,
        fc.nat(),
        fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 })),
        fc.record({ isFirst: fc.boolean(), runsOut: fc.constantFrom(false, false, false, true) }),
        (table, where, count, { isFirst, runsOut }) => {
          // a shoe that runs out is not lawful, but nothing else is wrong with it
          const dealt = runsOut
            ? eventsOf({ ...table, coups: 52, decks: 1 }, ['SH-13'])
            : eventsOf(table);
          const events = without(dealt, where, count, isFirst);
          const found = codesOf(audit(events, { book: SMALL_BOOK, once: true }));
          const expected = runsOut ? ['DV-04', 'SH-13'] : ['DV-04'];
          expect(found.filter((code) => !expected.includes(code))).toEqual([]);
        },
      ),
      overTables(),
    );
  });

  it('coups outside a gap keep every finding of a faulty table', () => {
    fc.assert(
      fc.property(
        tables,
        fc.uniqueArray(fc.constantFrom('TC-05', 'TC-04', 'RS-01', 'RS-02', 'DL-06', 'DL-02'), {
          minLength: 3,
        }),
        fc.nat(),
        fc.integer({ min: 1, max: 40 }),
        (table, faults, where, count) => {
          const events = eventsOf(
            // two decks have room for many faults, of which some void their coups
            {
              ...table,
              decks: 2,
              coups: table.coups + 4,
              document: DOCUMENTS.indexOf('punto-banco@1'),
            },
            faults,
          );
          const [whole, gapped] = [events, without(events, where, count)].map((log) =>
            audit(log, { book: SMALL_BOOK, once: true }),
          ) as [Audited, Audited];
          const place = ({ shoe, coup }: { shoe: string; coup?: number }): string =>
            `${shoe} ${coup}`;
          const touched = new Set(gapped.unjudgeable.map(place));
          const played = new Set(gapped.coups.map(({ ref }) => ref));
          const outside = ({ findings }: Audited): string[] =>
            findings
              .filter(
                (finding) => played.has(finding.coupRef ?? '') && !touched.has(place(finding)),
              )
              .filter(({ code }) => code !== 'DV-04')
              .map(({ code, id }) => `${code} ${id}`)
              .sort();
          expect(outside(gapped)).toEqual(outside(whole));
        },
      ),
      overTables(),
    );
  });
});
