import {
  FileList,
  hashText,
  writePackage,
  type JudgedFile,
  type PackageContent,
  type PackageSource,
  type PackageStatement,
  type PackedTable,
  type ProvenLeaf,
  type ProvenRecord,
  type PackedHead,
  type Since,
  utf8Of,
} from '#evidence';
import { nodePlatform } from '#evidence/node';
import { judgePlainly, PLAIN_RULES } from './plain-judges.js';
import type { SiteSeal, SiteTable, SmallSite } from './small-site.js';

/** Returns what the plain judges find in the records that are packed. */
function findingsOf(site: SmallSite, { tables }: Packing): readonly string[] {
  const judging = judgePlainly();
  for (const { table, first, end } of tables) {
    const judge = judging.begin({ table });
    const records = site.tables.find((each) => each.table === table)?.records ?? [];
    records.slice(first, end).forEach(({ text }, i) => judge.record(first + i, utf8Of(text)));
  }
  return judging.take()['findings.ndjson'] ?? [];
}

/** What to pack of a site. */
export interface Packing {
  readonly id: string;
  readonly scope: PackageStatement['scope'];
  /** The tables, with the records of each: `first` to `end`, the last not included. */
  readonly tables: readonly {
    readonly table: string;
    readonly first: number;
    readonly end: number;
    readonly shoes?: readonly string[];
  }[];
  readonly after: number | null;
  readonly to: number;
  readonly all?: boolean;
  /** The size of the checkpoint; all leaves otherwise. */
  readonly size?: number;
  /** Sizes of checkpoints that the recipient holds. */
  readonly since?: readonly number[];
  readonly context?: Readonly<Record<string, readonly number[]>>;
  readonly later?: Readonly<Record<string, readonly number[]>>;
  readonly rules?: ReadonlyMap<string, Uint8Array>;
  readonly judged?: Partial<Record<JudgedFile, readonly string[]>>;
  readonly unjudged?: PackageStatement['unjudged'];
  readonly checkpoint?: string;
  /** The version of the judges. */
  readonly fold?: number;
  readonly warnings?: readonly string[];
}

/** The files of a package by path. */
export type PackageFiles = Map<string, Uint8Array>;

/** Packs a part of a site. Returns the files. */
export async function packed(site: SmallSite, packing: Packing): Promise<PackageFiles> {
  const files: PackageFiles = new Map();
  const place = {
    create: async (path: string) => {
      const parts: Uint8Array[] = [];
      return {
        write: async (bytes: Uint8Array) => void parts.push(bytes),
        close: async () => void files.set(path, Buffer.concat(parts)),
      };
    },
  };
  await writePackage(await contentOf(site, packing), place, nodePlatform, site.exportsKey);
  return files;
}

/** Returns files as the source of a package. */
export function sourceOf(files: PackageFiles, folder = 'package'): PackageSource {
  const list = new FileList();
  for (const [path, bytes] of files)
    list.add(`${folder}/${path}`, bytes.length, async function* () {
      yield Uint8Array.from(bytes);
    });
  return list;
}

async function contentOf(site: SmallSite, packing: Packing): Promise<PackageContent> {
  const { size = site.leaves.length, all = false, after, to, judged } = packing;
  const seals = site.seals.filter(({ number }) => number >= (after ?? 0) && number <= to);
  const latest = site.seals.findLast(({ number }) => number < size);
  if (!latest) throw new Error('the site has no seal');
  const tables: PackedTable[] = [];
  for (const part of packing.tables) {
    const number = site.tables.findIndex(({ table }) => table === part.table);
    const table = site.tables[number];
    if (!table) throw new Error(`no table ${part.table}`);
    tables.push(await packedTable(site, packing, { ...part, table, number, seals, latest }));
  }
  return {
    id: packing.id,
    origin: site.origin,
    size,
    scope: packing.scope,
    range: { after, to },
    all,
    tables,
    site: {
      checkpoint: packing.checkpoint ?? site.checkpoint(size),
      names: site.tables.slice(0, latest.sizes.length).map(({ name }) => name),
      leaves: site.leaves
        .slice(after ?? 0, to + 1)
        .map((text, i) => ({ index: (after ?? 0) + i, text })),
      proof: await siteProof(site, packing, { size, latest }),
      since: await sinceOf(site, packing, { size, latest }),
    },
    rules: packing.rules ?? PLAIN_RULES,
    judged: judgedOf(judged, findingsOf(site, packing)),
    reports: new Map(),
    gamingDays: [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }],
    unjudged: packing.unjudged ?? [],
    software: { name: 'shoeprint', version: '0.1.0', commit: 'test', fold: packing.fold ?? FOLD },
    warnings: [...(packing.warnings ?? [])],
    howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
  };
}
function judgedOf(
  lines: Packing['judged'] = {},
  plain: readonly string[] = [],
): PackageContent['judged'] {
  const of = (file: JudgedFile): readonly string[] => lines[file] ?? [];
  return {
    'findings.ndjson': lines['findings.ndjson'] ?? plain,
    'unjudgeable.ndjson': of('unjudgeable.ndjson'),
    'commission.csv': of('commission.csv'),
    'shoes.csv': of('shoes.csv'),
    'days.csv': of('days.csv'),
  };
}

/** The version of the judges in packages of tests that judge nothing. */
const FOLD = 1;

interface Stage {
  readonly size: number;
  readonly latest: SiteSeal;
}

async function provenLeaf(site: SmallSite, index: number, size: number): Promise<ProvenLeaf> {
  return { index, text: site.leaves[index] ?? '', proof: await site.log.inclusion(index, size) };
}

async function siteProof(
  site: SmallSite,
  { after, to, since = [] }: Packing,
  { size, latest }: Stage,
): Promise<PackageContent['site']['proof']> {
  const sizes = [...new Set([to + 1, ...since])].sort((a, b) => a - b);
  return {
    frontier: site.log.frontier(after ?? 0),
    consistency: await Promise.all(
      sizes.map(async (from) => ({ from, proof: await site.log.consistency(from, size) })),
    ),
    keys: await Promise.all(
      site.statements.filter((index) => index < size).map((index) => provenLeaf(site, index, size)),
    ),
    latest: await provenLeaf(site, latest.number, size),
  };
}

async function sinceOf(
  site: SmallSite,
  { since = [], tables }: Packing,
  { size, latest }: Stage,
): Promise<Since> {
  return Promise.all(
    since.map(async (held) => {
      const seal = site.seals.find(({ number }) => number === held - 1);
      if (!seal) throw new Error(`no checkpoint has size ${held}`);
      const numbers = tables
        .map(({ table }) => site.tables.findIndex((each) => each.table === table))
        .filter((number) => number < seal.sizes.length);
      return {
        size: held,
        seal: await provenLeaf(site, seal.number, size),
        tables: await Promise.all(
          numbers.map(async (number) => {
            const tree = site.tables[number]?.tree;
            const at = seal.sizes[number] ?? 0;
            if (!tree) throw new Error(`no table ${number}`);
            return {
              number,
              size: at,
              root: hashText(tree.root(at)),
              path: await site.headsOf(seal.sizes).inclusion(number),
              consistency: await tree.consistency(at, latest.sizes[number] ?? 0),
            };
          }),
        ),
      };
    }),
  );
}

interface Part {
  readonly table: SiteTable;
  readonly number: number;
  readonly seals: readonly SiteSeal[];
  readonly latest: SiteSeal;
  readonly first: number;
  readonly end: number;
  readonly shoes?: readonly string[];
}

async function packedTable(
  site: SmallSite,
  { all = false, after, to, context = {}, later = {} }: Packing,
  { table, number, seals, latest, first, end, shoes = [] }: Part,
): Promise<PackedTable> {
  const { tree, records, name } = table;
  const sizeAt = (seal: number): number =>
    site.seals.find((each) => each.number === seal)?.sizes[number] ?? 0;
  const afterSize = after === null ? 0 : sizeAt(after);
  const latestSize = latest.sizes[number] ?? 0;
  const heads: PackedHead[] = [];
  for (const seal of seals) {
    const size = seal.sizes[number];
    if (size === undefined) continue;
    const path = await site.headsOf(seal.sizes).inclusion(number);
    const head = { seal: seal.number, size, root: hashText(tree.root(size)) };
    heads.push(all ? head : { ...head, path });
  }
  const proven = (tree_: number, indexes: readonly number[] = []): Promise<ProvenRecord[]> =>
    Promise.all(
      indexes.map(async (n) => ({
        n,
        value: records[n]?.text ?? '',
        proof: await tree.inclusion(n, tree_),
      })),
    );
  const isBefore = afterSize > 0 && afterSize < first;
  return {
    table: table.table,
    name,
    number,
    first,
    shoes: [...shoes],
    rows: records
      .slice(first, end)
      .map(({ text, partition, offset }) => ({ value: utf8Of(text), partition, offset })),
    heads,
    proof: {
      frontier: tree.frontier(first),
      before: isBefore ? await tree.consistency(afterSize, sizeAt(to)) : [],
      rest: await tree.rest(end, sizeAt(to)),
      latest: {
        size: latestSize,
        root: hashText(tree.root(latestSize)),
        path: await site.headsOf(latest.sizes).inclusion(number),
        consistency: await tree.consistency(sizeAt(to), latestSize),
      },
    },
    context: await proven(sizeAt(to), context[table.table]),
    later: await proven(latestSize, later[table.table]),
  };
}
