import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  hexOf,
  inclusionProof,
  leafHash,
  nameOfTable,
  nodesFromTiles,
  readCheckpoint,
  readEntriesBundle,
  readHead,
  readSeal,
  rootOf,
  type SignedCheckpoint,
  strictText,
  tilePath,
  tilesBetween,
  utf8Of,
  verifyInclusion,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { partitionOf } from '#event-log';
import type { RunningSealer } from '#sealer';
import { startApi, type Answer } from '../../kit/api.js';
import { eventually } from '../../kit/eventually.js';
import { sealOften } from '../../kit/sealer.js';
import { dayLines, ReadingFloor, TABLES } from './reading-floor.js';

const { sha256 } = nodeCryptography;
const FOREVER = 'private, max-age=31536000, immutable';

let floor: ReadingFloor;
let sealer: RunningSealer;
let keys: string;
let regulator: string;
beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'site-log-'));
  floor = await ReadingFloor.open(dayLines(TABLES, 'sealed'));
  regulator = await floor.server.api.person('regulator', { name: 'inspector' });
  const before = await floor.get('/v1/evidence/checkpoint', { token: regulator });
  expect([before.statusCode, before.json<{ detail: string }>().detail]).toEqual([
    404,
    'nothing has been sealed yet',
  ]);
  sealer = await sealOften(floor.log, floor.server.database.url, keys);
  await eventually('a seal of every table', async () => {
    const checkpoint = await sealer.checkpoint();
    return checkpoint !== undefined && (await headsOf(checkpoint.size - 1)).length > TABLES.length;
  });
});
afterAll(async () => {
  await sealer?.close();
  await floor?.close();
  rmSync(keys, { recursive: true, force: true });
});

const asked = (path: string, token = regulator): Promise<Answer> =>
  floor.get(`/v1/evidence/${path}`, { token });

async function fileOf(path: string): Promise<Uint8Array> {
  const answer = await asked(path);
  expect([path, answer.statusCode]).toEqual([path, 200]);
  return new Uint8Array(answer.rawPayload);
}

const checkpointNow = async (): Promise<SignedCheckpoint> =>
  readCheckpoint(await fileOf('checkpoint'));

async function headsOf(seal: number) {
  const lines = strictText(await fileOf(`seals/${seal}/heads`)).split('\n');
  return Array.from({ length: (lines.length - 1) / 3 }, (_, at) =>
    readHead(`${lines.slice(at * 3, at * 3 + 3).join('\n')}\n`),
  );
}

describe('the site log over HTTP', () => {
  it('is whole: its entries hash to its tiles, and these to the signed root', async () => {
    const { size, root } = await checkpointNow();
    const entries: Uint8Array[] = [];
    for (const tile of tilesBetween(0, size)) {
      const hashes = await fileOf(tilePath(tile));
      expect(hashes).toHaveLength(tile.width * 32);
      if (tile.level > 0) continue;
      const bundle = await fileOf(tilePath(tile).replace('tile/0/', 'tile/entries/'));
      const these = readEntriesBundle(bundle);
      const leaves = these.map((entry) => leafHash(sha256, entry));
      expect(leaves.map(hexOf).join('')).toBe(hexOf(hashes));
      entries.push(...these);
    }
    expect(
      hexOf(
        rootOf(
          sha256,
          entries.map((entry) => leafHash(sha256, entry)),
        ),
      ),
    ).toBe(hexOf(root));
    const seal = readSeal(strictText(entries.at(-1) ?? new Uint8Array(0)));
    const heads = await headsOf(seal.number);
    expect(heads).toHaveLength(seal.tables);
  });

  it('has the trees of tables, whose leaves are the records of the log', async () => {
    const { size } = await checkpointNow();
    const heads = await headsOf(size - 1);
    for (const table of TABLES) {
      const number = heads.findIndex(({ name }) => name === nameOfTable(table));
      const head = heads[number];
      if (head === undefined) throw new Error(`no head of ${table}`);
      const lying = await floor.log.read(partitionOf(table, floor.log.partitions), 0, 1 << 30);
      const records = lying.filter(({ key }) => key === table).slice(0, head.size);
      const index = Math.floor(head.size / 2);
      const read = nodesFromTiles(sha256, head.size, (tile) =>
        fileOf(`tables/${number}/${tilePath(tile)}`),
      );
      const proof = await inclusionProof(sha256, { index, size: head.size }, read);
      const leaf = leafHash(sha256, records[index]?.value ?? new Uint8Array(0));
      const claim = { index, size: head.size, leaf, root: head.root };
      expect(verifyInclusion(sha256, claim, proof)).toBe(true);
      const other = leafHash(sha256, utf8Of('another record'));
      expect(verifyInclusion(sha256, { ...claim, leaf: other }, proof)).toBe(false);
    }
  });

  it('lets readers keep what never changes, and ask again for what does', async () => {
    const { size } = await checkpointNow();
    const path = tilePath({ level: 0, index: 0, width: size });
    const tile = await asked(path);
    expect(tile.headers).toMatchObject({
      'cache-control': FOREVER,
      'content-type': 'application/octet-stream',
    });
    const checkpoint = await asked('checkpoint');
    expect(checkpoint.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/plain; charset=utf-8',
    });
    for (const { headers, path: again } of [
      { headers: tile.headers, path },
      { headers: (await asked('seals/1/heads')).headers, path: 'seals/1/heads' },
    ]) {
      const known = await floor.get(`/v1/evidence/${again}`, {
        token: regulator,
        headers: { 'if-none-match': String(headers.etag) },
      });
      expect([known.statusCode, known.body]).toEqual([304, '']);
    }
  });

  it('answers 404 for what is not sealed, not signed or not a path of it', async () => {
    const { size } = await checkpointNow();
    const paths = [
      tilePath({ level: 0, index: 7, width: 1 }),
      tilePath({ level: 0, index: 0, width: Math.min(255, size + 100) }),
      tilePath({ level: 1, index: 0, width: 1 }),
      `tile/entries/000.p/${size + 100}`,
      ...['tile/0/0', 'tile/00/000', 'tile/0/..%2F..%2Fcheckpoint', 'tile/x/000', 'tile/0/'],
      ...['tables/99/tile/0/000', 'tables/-1/tile/0/000', 'tables/x/tile/0/000'],
      ...['tables/4294967296/tile/0/000', 'tables/999999999999999/tile/0/000'],
      'tables/0/tile/entries/000.p/1',
      ...['seals/0/heads', 'seals/1000000/heads', 'seals/01/heads', 'seals/x/heads'],
    ];
    for (const path of paths) {
      expect([path, (await asked(path)).statusCode]).toEqual([path, 404]);
    }
  });

  it('is for compliance and regulators, and tables for those who may see them', async () => {
    const { api } = floor.server;
    const { size } = await checkpointNow();
    const heads = await headsOf(size - 1);
    const numberOf = (table: string): number =>
      heads.findIndex(({ name }) => name === nameOfTable(table));
    const [own, other] = [TABLES[0], TABLES[1]].map(numberOf);
    const tile = (number = -1): string => {
      const width = Math.min(256, heads[number]?.size ?? 1);
      return `tables/${number}/${tilePath({ level: 0, index: 0, width })}`;
    };
    const scoped = await api.person('compliance', { name: 'one-table', tables: [TABLES[0]] });
    const answers: (string | number)[] = [];
    for (const path of ['checkpoint', tile(own), tile(other), tile(numberOf('@house'))]) {
      answers.push((await asked(path, scoped)).statusCode);
    }
    expect(answers).toEqual([200, 200, 404, 404]);
    const refused = await asked('seals/1/heads', scoped);
    expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([
      403,
      'a seal has the heads of all tables, and this identity may see only some',
    ]);
    const boss = await api.person('pit-boss', { name: 'boss' });
    const nobody = await api.app.inject({ method: 'GET', url: '/v1/evidence/checkpoint' });
    expect([(await asked('checkpoint', boss)).statusCode, nobody.statusCode]).toEqual([403, 401]);
  });

  it('is open to everybody where the house says so, but for the trees of tables', async () => {
    const open = await startApi({
      databaseUrl: floor.server.database.url,
      log: floor.log,
      settings: { publicSiteLog: true },
    });
    try {
      const get = (path: string) => open.app.inject({ method: 'GET', url: `/v1/evidence/${path}` });
      const checkpoint = await get('checkpoint');
      expect(checkpoint.statusCode).toBe(200);
      const { size } = readCheckpoint(new Uint8Array(checkpoint.rawPayload));
      const tile = await get(tilePath({ level: 0, index: 0, width: size }));
      expect([tile.statusCode, tile.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect((await get('tables/0/tile/0/000.p/1')).statusCode).toBe(401);
      expect((await get('seals/1/heads')).statusCode).toBe(401);
    } finally {
      await open.close();
    }
  });
});
