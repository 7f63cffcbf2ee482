import type { Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

const line = (table: string, n: number): string =>
  `{"specversion":"1.0","type":"shoeprint.coup-opened.v1","source":"device/${encodeURIComponent(table)}","id":"${n}","time":"2026-11-20T12:00:00.000Z","table":"${table}","shoe":"S","session":"1","sequence":${n},"data":{"coup":${n}}}`;

/** Records of the sample site: some are blocks of two lines. */
const record = (table: string, n: number): string =>
  n % 5 === 0 ? `${line(table, n)}\n${line(table, 1_000 + n)}` : line(table, n);

/**
 * Returns a site of three tables, with two sealed days, a rotation of its log key, and records on
 * either side of them. With `forkAt`, the history in which that record of B07 was another one.
 */
export function sampleSite({
  seed = 1,
  forkAt = 0,
}: { readonly seed?: number; readonly forkAt?: number } = {}): SmallSite {
  const site = new SmallSite('shoeprint.example/harbour', { seed });
  for (let i = 1; i <= 40; i += 1) {
    const text = record('B07', i);
    site.append('B07', i === forkAt ? text.replace('"coup":', '"coup":1') : text);
    if (i % 3 === 0) site.append('Bàn 1', record('Bàn 1', i));
    if (i > 20) site.append('@house', line('@house', i));
    if (i % 7 === 0) site.seal();
    if (i === 14 || i === 35) site.seal({ day: i === 14 ? '2026-11-20' : '2026-11-21' });
    if (i === 24) site.rotate();
  }
  site.seal();
  return site;
}

/** Returns the packings of the sample site, one or more of every scope, by name. */
export function samplePackings(site: SmallSite): Readonly<Record<string, Packing>> {
  const [first = 0, second = 0] = site.seals.flatMap(({ number, day }) =>
    day === undefined ? [] : [number],
  );
  const b07 = site.tables.findIndex(({ table }) => table === 'B07');
  const sizeAt = (seal: number, number = b07): number =>
    site.seals.find((each) => each.number === seal)?.sizes[number] ?? 0;
  const around = (from: number, end: number): Pick<Packing, 'after' | 'to'> => ({
    after: site.seals.findLast(({ sizes }) => (sizes[b07] ?? 0) <= from)?.number ?? null,
    to: site.seals.find(({ sizes }) => (sizes[b07] ?? 0) >= end)?.number ?? 0,
  });
  return {
    table: {
      id: 'table',
      scope: { kind: 'table', table: 'B07' },
      tables: [{ table: 'B07', first: 0, end: 40 }],
      after: null,
      to: site.leaves.length - 1,
    },
    days: {
      id: 'days',
      scope: { kind: 'table', table: 'B07', from: '2026-11-20', to: '2026-11-21' },
      tables: [{ table: 'B07', first: 0, end: sizeAt(second) }],
      after: null,
      to: second,
    },
    day: {
      id: 'day',
      scope: { kind: 'day', table: 'B07', day: '2026-11-21' },
      tables: [{ table: 'B07', first: 10, end: sizeAt(second) }],
      after: first,
      to: second,
      since: [first + 1],
    },
    all: {
      id: 'all',
      scope: { kind: 'day', day: '2026-11-21' },
      all: true,
      tables: site.tables.map(({ table }, number) => ({
        table,
        first: Math.max(0, sizeAt(first, number) - 2),
        end: sizeAt(second, number),
      })),
      after: first,
      to: second,
    },
    shoe: {
      id: 'shoe',
      scope: { kind: 'shoe', table: 'B07', shoe: 'S' },
      tables: [{ table: 'B07', first: 16, end: 27 }],
      ...around(16, 27),
      context: { B07: [3, 15] },
      later: { B07: [30, 39] },
      since: [first + 1],
    },
    finding: {
      id: 'finding',
      scope: { kind: 'finding', table: 'B07', finding: 'f1' },
      tables: [{ table: 'B07', first: 5, end: 9 }],
      ...around(5, 9),
      later: { B07: [38] },
    },
  };
}
