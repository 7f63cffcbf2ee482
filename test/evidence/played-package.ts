import { canonicalLine, FOLD_VERSION, simulate } from '#audit';
import { readRules, type RuleDocument } from '#baccarat';
import { JUDGED_FILES, utf8Of, type PackageStatement } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { gamingDays } from '#read-model/gaming-days';
import { packageReplay } from '#replay';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { shortTable } from '../kit/short-table.js';
import { packed, type PackageFiles, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

/** A rule document by its name and its bytes. */
export interface PlayedRules {
  readonly id: string;
  readonly document: Uint8Array;
}

/** The published rules that the tables of tests play by. */
export const publishedRules = (): PlayedRules => ({
  id: 'punto-banco@1',
  document: readFileSync('rules/punto-banco@1.json'),
});

/** A package of a table at which shoes were played, one with faults. */
export interface PlayedPackage {
  readonly site: SmallSite;
  readonly id: string;
  readonly files: PackageFiles;
}

/** Returns a package of shoes played by these rules, as the judges of the game list them. */
export async function playedPackage(rules: PlayedRules = publishedRules()): Promise<PlayedPackage> {
  const { document } = rules;
  const hash = createHash('sha256').update(document).digest('hex');
  const text = Buffer.from(document).toString('utf8');
  const read = readRules(JSON.parse(text) as RuleDocument, hash, text);
  const { lines } = simulate({
    rules: read,
    seed: 7,
    shoes: 2,
    table: 'B07',
    bets: true,
    faults: ['TC-05@4'],
  });
  return packageOf(rules, lines, 500);
}

/** Returns a small package: a shoe of a few coups, one with a fault. It is verified in milliseconds. */
export function shortPackage(): Promise<PlayedPackage> {
  const shoe = { rules: 'punto-banco@1', seed: 7, bets: true, shoes: 1, coups: 4 };
  const events = shortTable({ ...shoe, faults: ['PY-03'] });
  const lines = events.map((event) => canonicalLine(JSON.stringify({ ...event, table: 'B07' })));
  return packageOf(publishedRules(), lines, 30);
}

async function packageOf(
  { id, document }: PlayedRules,
  lines: Iterable<string>,
  recordsOfSeal: number,
): Promise<PlayedPackage> {
  const site = new SmallSite();
  let count = 0;
  for (const line of lines) {
    site.append('B07', line);
    count += 1;
    if (count % recordsOfSeal === 0) site.seal();
  }
  site.seal();
  const size = site.tables[0]?.records.length ?? 0;
  const packing: Packing = {
    id: 'played',
    scope: { kind: 'table', table: 'B07' },
    tables: [{ table: 'B07', first: 0, end: size }],
    after: null,
    to: site.leaves.length - 1,
    rules: new Map([[id, document]]),
    fold: FOLD_VERSION,
  };
  return {
    site,
    id: packing.id,
    files: await packed(site, { ...packing, ...judged(site, packing) }),
  };
}

/** Returns what the judges list of the records that are packed. */
function judged(site: SmallSite, packing: Packing): Pick<Packing, 'judged' | 'warnings'> {
  const [table] = packing.tables;
  if (!table) throw new Error('nothing is packed');
  const { end } = table;
  const entry = {
    table: 'B07',
    name: 'B07',
    number: 0,
    first: 0,
    records: end,
    events: end,
    shoes: [],
  };
  const statement: PackageStatement = {
    ...{ format: 'shoeprint package v1', id: packing.id, origin: site.origin, size: 0 },
    ...{ scope: packing.scope, range: { after: null, to: packing.to }, all: false },
    ...{ tables: [entry], rules: [], unjudged: [], warnings: [] },
    gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
    software: { name: 'shoeprint', version: '0', commit: 'test', fold: FOLD_VERSION },
  };
  const { sha256 } = nodeCryptography;
  const replay = packageReplay({ published: {}, sha256, gamingDays, warnings: 'made' });
  const judging = replay.open(statement, packing.rules ?? new Map());
  const judge = judging.begin(entry);
  site.tables[0]?.records.forEach(({ text }, n) => judge.record(n, utf8Of(text)));
  judge.end();
  const { warnings } = judging.end();
  const lines = judging.take();
  return {
    judged: Object.fromEntries(JUDGED_FILES.map((file) => [file, lines[file] ?? []])),
    warnings,
  };
}
