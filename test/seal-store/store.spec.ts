import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import {
  GrowingTree,
  LeaseLost,
  migrateSeal,
  SealReader,
  SealStore,
  TreeGrowth,
  type Commit,
  type Lease,
  type TableTree,
} from '#seal-store';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../kit/database.js';

const { sha256 } = nodeCryptography;
const LEASE_MS = 60_000;
const SITE = { origin: 'shoeprint.example/test', logId: 'log-1', partitions: 2 };

let database: TestDatabase;
let store: SealStore;
let reader: SealReader;
let lease: Lease;
beforeEach(async () => {
  database = await createDatabase();
  await migrateSeal(database.url);
  store = SealStore.open(database.url);
  reader = SealReader.open(database.url, sha256);
  await store.prepare(SITE);
  lease = await claimed('one');
});
afterEach(async () => {
  await store.close();
  await reader.close();
  await database.drop();
});

async function claimed(owner: string): Promise<Lease> {
  const held = await store.claim(owner, LEASE_MS);
  if (!held) throw new Error(`${owner} could not claim`);
  return held;
}

const leafOf = (table: number, at: number): Uint8Array =>
  leafHash(sha256, Buffer.from(`record ${at} of ${table}`));
const leavesOf = (table: number, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, at) => leafOf(table, at));

/** Returns a commit of so many more records of a table, all in partition 0. */
function records(table: TableTree | number, count: number, from: number): Commit {
  const id = typeof table === 'number' ? table : table.id;
  const tree = typeof table === 'number' ? undefined : table.tree.copy();
  const growth = new TreeGrowth(id, tree ?? newTree());
  for (let at = 0; at < count; at += 1) {
    const index = growth.tree.size;
    growth.append(leafOf(id, index), { partition: 0, offset: from + at });
  }
  return {
    moves: [{ partition: 0, from, next: from + count, lastDigest: leafOf(id, count) }],
    newTables: tree ? [] : [{ id, name: `table-${id}` }],
    grown: [growth],
  };
}

const newTree = (): TableTree['tree'] => new GrowingTree(sha256);

async function tableOf(id: number): Promise<TableTree> {
  const { tables } = await store.state(sha256);
  const table = tables.find((each) => each.id === id);
  if (!table) throw new Error(`there is no tree ${id}`);
  return table;
}

/** Seals the tables of the state as they are, and returns the seal's index. */
async function seal(day?: string): Promise<number> {
  const { site, tables } = await store.state(sha256);
  const grown = tables.filter(({ tree, sealed }) => tree.size > sealed);
  const numbered = tables.filter(({ number }) => number !== undefined).length;
  const fresh = grown.filter(({ number }) => number === undefined);
  const numbers = fresh.map(({ id }, at) => ({ id, number: numbered + at }));
  const text = `seal ${site.size}\n`;
  const siteGrowth = new TreeGrowth(0, site);
  const index = site.size;
  siteGrowth.append(leafHash(sha256, Buffer.from(text)));
  await store.addEntry(lease, {
    index,
    kind: 'seal',
    text,
    site: siteGrowth,
    day,
    numbers,
    grown: grown.map(({ id, number, tree }) => ({
      number: number ?? numbers.find((each) => each.id === id)?.number ?? -1,
      size: tree.size,
      root: tree.root(),
    })),
  });
  return index;
}

describe('a seal store', () => {
  it('continues from what was committed, in commits of every size', async () => {
    let size = 0;
    for (const count of [1, 254, 2, 300, 256, 1, 1]) {
      await store.commit(lease, records(size === 0 ? 1 : await tableOf(1), count, size));
      size += count;
      const { tree } = await tableOf(1);
      expect(tree.size).toBe(size);
      expect(Buffer.compare(tree.root(), rootOf(sha256, leavesOf(1, size)))).toBe(0);
    }
    const [position] = await store.positions();
    expect(position).toMatchObject({ partition: 0, next: size, stopped: null });
    await seal();
    const leaves = await reader.leaves(0, 0, size);
    expect(Buffer.compare(leaves, Buffer.concat(leavesOf(1, size)))).toBe(0);
    const some = await reader.leaves(0, 250, 520);
    expect(Buffer.compare(some, Buffer.concat(leavesOf(1, size).slice(250, 520)))).toBe(0);
    const positions = await reader.positions(0, 254, 258);
    expect(positions.map(({ offset }) => offset)).toEqual([254, 255, 256, 257]);
  });

  it('changes nothing for a sealer whose lease another one has claimed', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(`update seal.site set lease_until = clock_timestamp() - interval '1 s'`);
    await client.end();
    const other = await claimed('two');
    await expect(store.commit(lease, records(1, 3, 0))).rejects.toThrow(LeaseLost);
    await expect(store.renew(lease)).rejects.toThrow(LeaseLost);
    expect((await store.positions()).map(({ next }) => next)).toEqual([0, 0]);
    await store.commit(other, records(1, 3, 0));
    expect((await store.positions()).map(({ next }) => next)).toEqual([3, 0]);
  });

  it('changes nothing if a position is not where it was read', async () => {
    await store.commit(lease, records(1, 3, 0));
    await expect(store.commit(lease, records(await tableOf(1), 3, 2))).rejects.toThrow(LeaseLost);
    expect((await tableOf(1)).tree.size).toBe(3);
  });

  it('lets no second sealer claim while a lease lasts', async () => {
    expect(await store.claim('two', LEASE_MS)).toBeUndefined();
    await store.release(lease);
    expect(await store.claim('two', LEASE_MS)).toMatchObject({ generation: 2 });
  });

  it('refuses another origin and another number of partitions by the name of the setting', async () => {
    await expect(store.prepare({ ...SITE, origin: 'other' })).rejects.toThrow(/^SHOEPRINT_SITE: /);
    await expect(store.prepare({ ...SITE, partitions: 3 })).rejects.toThrow(
      /^SHOEPRINT_PARTITIONS: /,
    );
  });

  it('adds no second leaf at an index of the site log', async () => {
    const { site } = await store.state(sha256);
    const text = 'seal\n';
    const grow = (): TreeGrowth => {
      const growth = new TreeGrowth(0, site.copy());
      growth.append(leafHash(sha256, Buffer.from(text)));
      return growth;
    };
    const entry = { index: 0, kind: 'seal', text, numbers: [], grown: [] } as const;
    await store.addEntry(lease, { ...entry, site: grow() });
    await expect(store.addEntry(lease, { ...entry, site: grow() })).rejects.toThrow(LeaseLost);
    expect(await reader.entries(0, 10)).toEqual([{ index: 0, kind: 'seal', text }]);
  });

  it('keeps a stop of a partition until it is resumed, and moves it no further', async () => {
    await store.stopPartition(lease, { partition: 0, offset: 5, reason: 'a hole' }, '{}');
    expect((await store.positions())[0]?.stopped).toMatchObject({ offset: 5, reason: 'a hole' });
    await expect(store.commit(lease, records(1, 1, 0))).rejects.toThrow(LeaseLost);
    expect(await store.resumePartition(0)).toBe(true);
    expect(await store.resumePartition(0)).toBe(false);
    await store.commit(lease, records(1, 1, 0));
  });
});

describe('a seal reader', () => {
  it('proves every record and every earlier size of a table', async () => {
    const size = 1_000;
    await store.commit(lease, records(1, size, 0));
    await seal();
    const root = rootOf(sha256, leavesOf(1, size));
    const nodes = reader.nodes(0, size);
    for (const index of [0, 1, 255, 256, 767, 768, 999]) {
      const proof = await inclusionProof(sha256, { index, size }, nodes);
      const claim = { index, size, leaf: leafOf(1, index), root };
      expect(verifyInclusion(sha256, claim, proof)).toBe(true);
    }
    for (const from of [1, 255, 256, 257, 512, 999]) {
      const proof = await consistencyProof(sha256, { from, to: size }, nodes);
      const fromRoot = rootOf(sha256, leavesOf(1, from));
      const claim = { from, to: size, fromRoot, toRoot: root };
      expect(verifyConsistency(sha256, claim, proof)).toBe(true);
    }
  });

  it('returns the heads of each seal with paths, the tables by number, and the day seals', async () => {
    await store.commit(lease, records(1, 2, 0));
    const first = await seal();
    await store.commit(lease, records(2, 3, 2));
    const second = await seal('2026-11-20');
    await store.commit(lease, records(await tableOf(1), 4, 5));
    const third = await seal();
    const sizes = async (at: number): Promise<unknown> =>
      (await reader.heads(at)).map(({ number, name, size }) => [number, name, size]);
    expect(await sizes(first)).toEqual([[0, 'table-1', 2]]);
    expect(await sizes(second)).toEqual([
      [0, 'table-1', 2],
      [1, 'table-2', 3],
    ]);
    expect(await sizes(third)).toEqual([
      [0, 'table-1', 6],
      [1, 'table-2', 3],
    ]);
    expect(await reader.names(first)).toEqual([{ number: 0, name: 'table-1' }]);
    expect(await reader.table('table-2')).toEqual({ number: 1, name: 'table-2' });
    expect(await reader.table('table-3')).toBeUndefined();
    expect(await reader.firstSealWith(0, 3)).toBe(third);
    expect(await reader.head(1, first)).toBeUndefined();
    expect(await reader.daySeal('2026-11-20')).toMatchObject({ index: second });
    expect(await reader.lastDaySeal()).toMatchObject({ index: second, day: '2026-11-20' });
    const paths = [];
    for await (const { seal: at, size, path } of reader.headPaths(1, first, third))
      paths.push([at, size, path.length]);
    expect(paths).toEqual([
      [second, 3, 1],
      [third, 3, 1],
    ]);
  });
});
