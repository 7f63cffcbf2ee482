import type { Packing } from './site-package.js';
import { SmallSite, type SiteSeal } from './small-site.js';

/** Returns a source of whole numbers below a limit, the same for the same seed (mulberry32). */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Numbers = ReturnType<typeof numbersFrom>;

/** Tables whose names are hard: for files, for escaping, for systems that are blind to case. */
const TABLES = ['B07', 'b07', 'Bàn 1', '@house', '..', 'CON', 'a%b', 'x\ny', 'thẻ 🂡', 'T+1 z'];

/** A package that was not changed, and what its reader can hold. */
export interface RandomPackage {
  readonly site: SmallSite;
  readonly packing: Packing;
  readonly kind: string;
  /** Sizes of checkpoints that the package reaches back to. */
  readonly held: readonly number[];
  /** The size of the checkpoint. */
  readonly size: number;
}

const line = (table: string, n: number): string =>
  JSON.stringify({ type: 'x', source: `device/${n % 3}`, id: String(n), table, data: { coup: n } });

function randomSite(below: Numbers): SmallSite {
  const site = new SmallSite('shoeprint.example/harbour', {
    partitions: 1 + below(4),
    seed: 1 + below(80),
  });
  const tables = TABLES.filter((table) => table === 'B07' || below(2) === 0);
  let day = 0;
  let n = 0;
  for (let turns = 2 + below(14); turns > 0; turns -= 1) {
    for (let records = below(9); records > 0; records -= 1) {
      const table = tables[below(tables.length)] ?? 'B07';
      const lines = Array.from({ length: below(4) === 0 ? 1 + below(5) : 1 }, () =>
        line(table, (n += 1)),
      );
      site.append(table, lines.join('\n'));
    }
    if (turns === 1) site.append('B07', line('B07', (n += 1)));
    const isDay = below(3) === 0 || turns === 1;
    if (isDay) day += 1 + below(2);
    site.seal(isDay ? { day: `2026-11-${String(day).padStart(2, '0')}` } : { seconds: below(90) });
    if (below(9) === 0 && site.statements.length === 1) site.rotate();
  }
  site.seal();
  return site;
}

/** Returns an intact package of a random scope of a random site, the same for the same seed. */
export function randomPackage(seed: number): RandomPackage {
  const below = numbersFrom(seed);
  const site = randomSite(below);
  const { packing, kind } = scoped(site, below);
  const later = site.seals.filter(({ number }) => number >= packing.to);
  const size = (later[below(later.length)]?.number ?? 0) + 1;
  const before = site.seals.filter(({ number }) => number < size && below(4) === 0);
  const held = before.map(({ number }) => number + 1);
  const latest = site.seals.find(({ number }) => number === size - 1);
  const ends = kind === 'table' ? endsAt(site, packing, latest) : packing;
  return {
    site,
    kind,
    held,
    size: kind === 'table' ? (latest?.number ?? 0) + 1 : size,
    packing: {
      ...ends,
      ...outside(site, ends, { below, latest }),
      size,
      since: held,
    },
  };
}

/** Extends a package of a whole table to the seal that its checkpoint ends with. */
function endsAt(site: SmallSite, packing: Packing, seal: SiteSeal | undefined): Packing {
  const tables = packing.tables.map((each) => ({ ...each, end: sizeOf(site, each.table, seal) }));
  return { ...packing, tables, to: seal?.number ?? packing.to };
}

const sizeOf = (site: SmallSite, table: string, seal: SiteSeal | undefined): number =>
  seal?.sizes[site.tables.findIndex((each) => each.table === table)] ?? 0;

/** Returns random records before and after the range of each table. */
function outside(
  site: SmallSite,
  { tables }: Packing,
  { below, latest }: { readonly below: Numbers; readonly latest: SiteSeal | undefined },
): Pick<Packing, 'context' | 'later'> {
  const some = (from: number, to: number): number[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter(() => below(3) === 0);
  return {
    context: Object.fromEntries(tables.map(({ table, first }) => [table, some(0, first)])),
    later: Object.fromEntries(
      tables.map(({ table, end }) => [table, some(end, sizeOf(site, table, latest))]),
    ),
  };
}

type Scoped = Pick<RandomPackage, 'packing' | 'kind'>;

function scoped(site: SmallSite, below: Numbers): Scoped {
  const kinds = [wholeTable, ofDays, ofDay, ofAll, ofRecords, ofRecords];
  return (kinds[below(kinds.length)] ?? wholeTable)(site, below);
}

function wholeTable(site: SmallSite): Scoped {
  const to = site.seals.at(-1)?.number ?? 0;
  const tables = [{ table: 'B07', first: 0, end: 0 }];
  const scope = { kind: 'table', table: 'B07' } as const;
  return { kind: 'table', packing: { id: 'whole', scope, tables, after: null, to } };
}

/** Returns two seals of days, the first undefined for the beginning of the log. */
function daysOf(site: SmallSite, below: Numbers): [SiteSeal | undefined, SiteSeal] {
  const days = site.seals.filter(({ day }) => day !== undefined);
  const empty = days.filter(({ sizes }) => sizes.length === 0).length;
  const place = empty + below(days.length - empty);
  const to = days[place];
  if (!to) throw new Error('the site has no day');
  return [days[place - 1], to];
}

function ofDay(site: SmallSite, below: Numbers): Scoped {
  const [after, to] = daysOf(site, below);
  const known = site.tables.slice(0, to.sizes.length);
  const table = known[below(known.length)]?.table ?? 'B07';
  const tables = [
    { table, first: before(sizeOf(site, table, after), below), end: sizeOf(site, table, to) },
  ];
  const scope = { kind: 'day', table, ...(to.day === undefined ? {} : { day: to.day }) } as const;
  const range = { after: after?.number ?? null, to: to.number };
  return { kind: 'day', packing: { id: 'day', scope, tables, ...range } };
}

function ofDays(site: SmallSite, below: Numbers): Scoped {
  const { packing } = ofDay(site, below);
  const { day, table } = packing.scope;
  const days = day === undefined ? {} : { from: day, to: day };
  return {
    kind: 'days',
    packing: {
      ...packing,
      id: 'days',
      scope: { kind: 'table', ...(table === undefined ? {} : { table }), ...days },
    },
  };
}

function ofAll(site: SmallSite, below: Numbers): Scoped {
  const [after, to] = daysOf(site, below);
  const tables = site.tables.slice(0, to.sizes.length).map(({ table }) => ({
    table,
    first: before(sizeOf(site, table, after), below),
    end: sizeOf(site, table, to),
  }));
  const scope = { kind: 'day', ...(to.day === undefined ? {} : { day: to.day }) } as const;
  const range = { after: after?.number ?? null, to: to.number };
  return { kind: 'all', packing: { id: 'all', all: true, scope, tables, ...range } };
}

const before = (size: number, below: Numbers): number => Math.max(0, size - below(4));

function ofRecords(site: SmallSite, below: Numbers): Scoped {
  const table = 'B07';
  const whole = sizeOf(site, table, site.seals.at(-1));
  const first = below(whole);
  const end = first + 1 + below(whole - first);
  const packing = {
    tables: [{ table, first, end }],
    after: site.seals.findLast((seal) => sizeOf(site, table, seal) <= first)?.number ?? null,
    to: site.seals.find((seal) => sizeOf(site, table, seal) >= end)?.number ?? 0,
  };
  return below(2) === 0
    ? {
        kind: 'shoe',
        packing: { id: 'shoe', scope: { kind: 'shoe', table, shoe: 'S' }, ...packing },
      }
    : {
        kind: 'finding',
        packing: { id: 'finding', scope: { kind: 'finding', table, finding: 'f' }, ...packing },
      };
}
