import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresLog } from '#event-log';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { eventually } from '../kit/eventually.js';

const PARTITIONS = 4;
const root = mkdtempSync(join(tmpdir(), 'shoeprint-back-up-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const serverIn = (name: string): EmbeddedCluster =>
  new EmbeddedCluster({ dir: join(root, name), database: 'shoeprint', ephemeral: true });
const recordOf = (text: string): { key: string; value: Uint8Array } => ({
  key: 'B07',
  value: Buffer.from(text),
});
const append = (log: PostgresLog, texts: readonly string[]): Promise<unknown> =>
  log.append({ partition: 1, urgency: 'live', records: texts.map(recordOf) });

/** Returns all records of the partition, as texts. */
async function textsOf(log: PostgresLog): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const records = await log.read(1, texts.length, 1_000_000);
    if (records.length === 0) return texts;
    texts.push(...records.map(({ value }) => Buffer.from(value).toString()));
  }
}

/** Opens the log of a copied data folder, passes it to the callback, and closes everything. */
async function restored<T>(name: string, look: (log: PostgresLog) => Promise<T>): Promise<T> {
  const server = serverIn(name);
  await server.start();
  try {
    const log = await PostgresLog.open({ url: server.url, partitions: PARTITIONS });
    return await look(log).finally(() => log.close());
  } finally {
    await server.stop();
  }
}

describe('a backup of the embedded database, as docs/operating/back-up.md describes it', () => {
  let server: EmbeddedCluster;
  beforeAll(async () => {
    server = serverIn('live');
    await server.start();
  });
  afterAll(() => server.stop());

  it('restores the log byte by byte from a copy of the stopped data folder, and the log continues', async () => {
    const log = await PostgresLog.open({ url: server.url, partitions: PARTITIONS });
    await append(log, ['one', 'two']);
    const { id } = log;
    await log.close();
    await server.stop();
    cpSync(join(root, 'live'), join(root, 'cold'), { recursive: true });
    await server.start();

    await restored('cold', async (copy) => {
      expect({ id: copy.id, texts: await textsOf(copy) }).toEqual({ id, texts: ['one', 'two'] });
      expect(await append(copy, ['three'])).toEqual({ partition: 1, first: 2, next: 3 });
    });
  });

  it('restores everything acknowledged before the end of a low-level backup of the running server', async () => {
    const log = await PostgresLog.open({ url: server.url, partitions: PARTITIONS });
    const acknowledged = await textsOf(log);
    const until = new AbortController();
    const writing = (async () => {
      for (let n = 0; !until.signal.aborted; n += 1) {
        await append(log, [`record ${n}`]);
        acknowledged.push(`record ${n}`);
      }
    })();
    const least = await backUp(server.url, 'hot', async () => {
      const before = acknowledged.length;
      await eventually('records while the backup runs', () => acknowledged.length > before + 20);
      return acknowledged.length;
    });
    until.abort();
    await writing;
    await log.close();

    const texts = await restored('hot', textsOf);
    expect(texts.length).toBeGreaterThanOrEqual(least);
    expect(texts).toEqual(acknowledged.slice(0, texts.length));
  });
});

/**
 * Runs the low-level backup of the page, with each of its statements and copies. Waits for
 * `meanwhile` before it ends the backup, and returns its result.
 */
async function backUp(
  url: string,
  name: string,
  meanwhile: () => Promise<number>,
): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`select pg_create_physical_replication_slot('backup', true)`);
    await client.query(`select pg_backup_start('backup', true)`);
    const [from, to] = [join(root, 'live', 'pgdata'), join(root, name, 'pgdata')];
    mkdirSync(join(root, name), { mode: 0o700 });
    const leftOut = /^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|.*pg_internal\.init.*)$/;
    const [least] = await Promise.all([
      meanwhile(),
      cp(from, to, { recursive: true, filter: (path) => !leftOut.test(relative(from, path)) }),
    ]);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    );
    writeFileSync(join(to, 'backup_label'), (rows[0] as { labelfile: string }).labelfile);
    copySegments(join(from, 'pg_wal'), join(to, 'pg_wal'));
    cpSync(join(root, 'live', 'password'), join(root, name, 'password'));
    await client.query(`select pg_drop_replication_slot('backup')`);
    return least;
  } finally {
    await client.end();
  }
}

/** Copies the write-ahead log, without the segments that the server is still preparing. */
function copySegments(from: string, to: string): void {
  for (const name of readdirSync(from).filter((each) => !each.startsWith('xlogtemp.')))
    cpSync(join(from, name), join(to, name), { recursive: true });
}
