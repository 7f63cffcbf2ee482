import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { embeddedBinaries } from '../../apps/standalone/src/postgres/binaries.js';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { eventually } from '../kit/eventually.js';

const root = mkdtempSync(join(tmpdir(), 'shoeprint-unprivileged-'));
chmodSync(root, 0o755);
let cluster: EmbeddedCluster | undefined;
let notes: string[] = [];

afterEach(async () => {
  await cluster?.stop();
  notes = [];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Starts PostgreSQL on a folder. */
async function start(dir: string): Promise<EmbeddedCluster> {
  const note = (line: string): void => void notes.push(line);
  cluster = new EmbeddedCluster({ dir, database: 'shoeprint', ephemeral: true, note });
  await cluster.start();
  return cluster;
}

/** Runs statements as the superuser of the cluster. */
async function query(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(cluster?.url);
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

/** Returns the user ids of the server: real, effective, saved, and of the file system. */
function serverUids(dir: string): number[] {
  const [pid] = readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (/^Uid:\t(.*)$/m.exec(status)?.[1] ?? '').split('\t').map(Number);
}

const isRoot = process.getuid?.() === 0;
/** Whether an ordinary user can run the programs: not if the clone is below a folder of root. */
const canRun =
  isRoot &&
  spawnSync((await embeddedBinaries()).postgres, ['--version'], { uid: 1, gid: 1 }).status === 0;

(canRun ? describe : describe.skip)('an embedded PostgreSQL that root starts', () => {
  it('runs as another user, and cannot write what is root’s', async () => {
    const dir = join(root, 'data');
    await start(dir);
    const uids = new Set(serverUids(dir));
    expect([...uids]).toEqual([statSync(join(dir, 'pgdata')).uid]);
    expect(uids).not.toContain(0);
    const roots = join(root, 'of-root');
    writeFileSync(roots, 'kept\n', { mode: 0o600 });
    for (const path of [roots, join(root, 'new'), join(dir, 'new'), join(dir, 'postgres.log')])
      await expect(query(`copy (select 'x') to '${path}'`)).rejects.toThrow('Permission denied');
    await expect(query(`select pg_read_file('${join(dir, 'password')}')`)).rejects.toThrow(
      'Permission denied',
    );
    await expect(query(`select pg_ls_dir('${dir}')`)).rejects.toThrow('Permission denied');
    expect(readFileSync(roots, 'utf8')).toBe('kept\n');
    expect(notes).toEqual([]);
    expect(statSync(dir).uid).toBe(0);
    expect(statSync(dir).mode & 0o067).toBe(0);
  });

  it('starts on a data folder that an earlier version left to root, and takes it over', async () => {
    const dir = join(root, 'earlier');
    await start(dir);
    await query('create table kept as select 7 as value');
    await cluster?.stop();
    await ended(dir);
    const pgdata = join(dir, 'pgdata');
    for (const name of readdirSync(pgdata, { recursive: true, encoding: 'utf8' }))
      lchownSync(join(pgdata, name), 0, 0);
    chownSync(pgdata, 0, 0);
    chmodSync(dir, 0o700);
    chownSync(dir, 0, 0);
    await start(dir);
    expect((await query('select value from kept')).rows).toEqual([{ value: 7 }]);
    expect(serverUids(dir)).not.toContain(0);
    const owners = readdirSync(pgdata, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(pgdata, name)).uid,
    );
    expect(new Set(owners)).toEqual(new Set([statSync(pgdata).uid]));
  });

  it('moves between both kinds of folder with its data', async () => {
    const dir = join(root, 'moving');
    await start(dir);
    await query('create table kept as select 7 as value');
    for (const mode of [0o700, 0o755]) {
      await cluster?.stop();
      await ended(dir);
      chmodSync(root, mode);
      await start(dir);
      expect((await query('select value from kept')).rows).toEqual([{ value: 7 }]);
    }
    expect(notes).toHaveLength(1);
    expect(serverUids(dir)).not.toContain(0);
  });

  it('runs as the owner of a folder that is not root’s', async () => {
    const dir = join(root, 'of-daemon');
    mkdirSync(dir, { mode: 0o700 });
    chownSync(dir, 1, 1);
    await start(dir);
    expect(new Set(serverUids(dir))).toEqual(new Set([1]));
    expect(statSync(dir).uid).toBe(1);
  });
});

(isRoot ? describe : describe.skip)('an embedded PostgreSQL below a folder of root', () => {
  it('starts below a folder that only root may enter, and reports what it then lacks', async () => {
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const dir = join(closed, 'data');
    await start(dir);
    expect((await query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(notes).toEqual([expect.stringMatching(/runs with the user id of root, because only/)]);
  });
});

/** Waits until the server of a folder has ended. */
const ended = (dir: string): Promise<unknown> =>
  eventually('the end of PostgreSQL', () => !existsSync(join(dir, 'pgdata', 'postmaster.pid')));
