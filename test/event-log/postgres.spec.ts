import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type EventLog, NotRecorded, OutcomeUnknown, PostgresLog } from '#event-log';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { AnswerLoser } from './answer-loser.js';
import { Collector, text } from './collector.js';
import { describeEventLog, type LogStore } from './contract.js';

const PARTITIONS = 4;

/** Runs `use` in a session outside the log, as the user who created the database. */
async function beside<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const FULL = `
create function public.full() returns trigger language plpgsql as $$
  begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
create trigger full_disk before insert on log.record for each statement execute function public.full();`;
const NOT_FULL = 'drop trigger full_disk on log.record; drop function public.full()';

async function makeStore(): Promise<LogStore> {
  const database = await createDatabase();
  const { loser, url } = await AnswerLoser.before(database.url);
  return {
    open: (options) => PostgresLog.open({ url, partitions: PARTITIONS, ...options }),
    drop: async () => {
      await loser.close();
      await database.drop();
    },
    breakConnections: () =>
      beside(
        database.url,
        async (client) =>
          void (await client.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          )),
      ),
    hold: async () => {
      const client = new pg.Client(database.url);
      await client.connect();
      await client.query('begin; select from log.partition for update');
      return () => client.end();
    },
    refuse: async () => {
      await beside(database.url, (client) => client.query(FULL));
      return () => beside(database.url, async (client) => void (await client.query(NOT_FULL)));
    },
    loseAnswers: async () => {
      loser.losing = true;
      return async () => void (loser.losing = false);
    },
  };
}

describeEventLog('PostgreSQL', makeStore, ['breakConnections', 'hold', 'refuse', 'loseAnswers']);

const append = (log: EventLog, value: string, partition = 0): ReturnType<EventLog['append']> =>
  log.append({ partition, records: [{ key: 'T1', value: Buffer.from(value) }], urgency: 'live' });

/** How often the records were read by their index, and all of them one after another. */
interface Scans {
  readonly byIndex: number;
  readonly whole: number;
}

async function scansOf(client: pg.Client): Promise<Scans> {
  const { rows } = await client.query<{ index: string; whole: string }>(
    `select idx_scan as index, seq_scan as whole from pg_stat_user_tables
     where schemaname = 'log' and relname = 'record'`,
  );
  const { index, whole } = rows[0] as { index: string; whole: string };
  return { byIndex: Number(index), whole: Number(whole) };
}

describe('the log in PostgreSQL', () => {
  let database: TestDatabase;
  let log: PostgresLog;
  const sql = (query: string): Promise<pg.QueryResult> =>
    beside(database.url, (client) => client.query(query));

  beforeAll(async () => {
    database = await createDatabase();
    log = await PostgresLog.open({ url: database.url, partitions: PARTITIONS });
    await append(log, 'the record');
  });
  afterAll(async () => {
    await log.close();
    await database.drop();
  });

  it.each([
    ['an update', "update log.record set value = 'x'"],
    ['a deletion', 'delete from log.record'],
    ['a truncation', 'truncate log.record'],
    ['another number of partitions', 'update log.identity set partitions = 8'],
    ['the loss of its identity', 'delete from log.identity'],
    ['a counter that goes back', 'update log.partition set next = 0'],
    ['the loss of a counter', 'delete from log.partition'],
    ['a truncation of the counters', 'truncate log.partition'],
    [
      'an update in a session that skips ordinary triggers',
      "set session_replication_role = replica; update log.record set value = 'x'",
    ],
  ])('rejects %s, even by its owner', async (_, change) => {
    await expect(sql(change)).rejects.toThrow(/append-only|only goes forward/);
    expect((await log.read(0, 0)).map(({ value }) => text(value))).toEqual(['the record']);
  });

  it.each([
    "insert into log.record values (0, 7, 'T1', 'x')",
    'update log.partition set next = 9',
    'delete from log.record',
    'create table log.mine ()',
    'drop table log.record',
  ])('grants its role no right to "%s"', async (statement) => {
    await expect(sql(`set role shoeprint_log; ${statement}`)).rejects.toThrow(
      /permission denied|must be owner/,
    );
  });

  it('lets its role append through the function, and read', async () => {
    const { rows } = (await sql(
      `set role shoeprint_log; select key from log.record; select log.append('{3}', '{1}', '{1}', '{0}', '{T1}', '{1}', '{2}', 'ab') as firsts`,
    )) as unknown as pg.QueryResult<{ firsts: string[] }>[] as never as { rows: never[] };
    expect(rows).toBeUndefined();
    expect((await log.read(3, 0)).map(({ value }) => text(value))).toEqual(['ab']);
  });

  it('acknowledges a record only once it is on disk, despite settings of the server or the session', async () => {
    const { rows } = await beside(database.url, async (client) => {
      await client.query(
        "set synchronous_commit = off; begin; select log.append('{3}', '{1}', '{1}', '{0}', '{T1}', '{1}', '{1}', 'x')",
      );
      const shown = await client.query<{ synchronous_commit: string }>('show synchronous_commit');
      await client.query('rollback');
      return shown;
    });
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('reads by its index, even in a session that first read while it was small', async () => {
    const own = await createDatabase();
    const young = await PostgresLog.open({ url: own.url, partitions: PARTITIONS });
    try {
      await append(young, 'first');
      const { whole } = await beside(own.url, async (client) => {
        await client.query('vacuum analyze log.record');
        return scansOf(client);
      });
      for (let read = 0; read < 20; read += 1) await young.read(0, 0); // by now its plan is kept
      const records = Array.from({ length: 2_000 }, () => ({ key: 'T1', value: Buffer.from('x') }));
      await young.append({ partition: 0, records, urgency: 'bulk' });
      for (let from = 0; from < 100; from += 1) await young.read(0, from);
      const counted = async (): Promise<Scans | false> => {
        const scans = await beside(own.url, scansOf);
        return scans.byIndex + scans.whole >= 120 && scans;
      };
      expect(await eventually('the reads in the statistics', counted)).toMatchObject({ whole });
    } finally {
      await young.close();
      await own.drop();
    }
  });

  it('uses no offset for a transaction that fails', async () => {
    const head = await log.head(2);
    await beside(database.url, (client) =>
      client.query(
        "begin; select log.append('{2}', '{1}', '{1}', '{0}', '{T1}', '{1}', '{1}', 'x'); rollback",
      ),
    );
    expect(await append(log, 'next', 2)).toMatchObject({ first: head });
  });

  it('never changes its number of partitions', async () => {
    await expect(PostgresLog.open({ url: database.url, partitions: 8 })).rejects.toThrow(
      'the log has 4 partitions, not 8: their number cannot change',
    );
  });

  it('has one identity even if several processes create it at once', async () => {
    const other = await createDatabase();
    const logs = await Promise.all(
      [1, 2, 3].map(() => PostgresLog.open({ url: other.url, partitions: PARTITIONS })),
    );
    expect(new Set(logs.map(({ id }) => id)).size).toBe(1);
    expect(logs[0]?.id).not.toBe(log.id);
    await Promise.all(logs.map((each) => each.close()));
    await other.drop();
  });

  it('reports why it is not power-safe', async () => {
    const { rows } = (await sql(
      "select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages",
    )) as pg.QueryResult<{ fsync: string; pages: string }>;
    const health = await log.health();
    expect(health.reachable).toBe(true);
    expect(health.powerSafe).toBe(rows[0]?.fsync === 'on' && rows[0].pages === 'on');
    expect(health.notes.some((note) => note.startsWith('not power-safe: fsync is off'))).toBe(
      rows[0]?.fsync !== 'on',
    );
  });

  describe('which does not take records', () => {
    const ofAppends = async (): Promise<{ takesRecords: boolean; notes: readonly string[] }> => {
      const { reachable, takesRecords, notes } = await log.health();
      expect(reachable).toBe(true);
      return {
        takesRecords,
        notes: notes.filter((note) => /^(transactions|the PostgreSQL server)/.test(note)),
      };
    };

    afterEach(async () => {
      await eventually('a log that takes records', async () => (await ofAppends()).takesRecords);
    });

    it('says so after it refused one, until it takes them again, whether or not any come', async () => {
      await sql(FULL);
      try {
        expect(await ofAppends()).toMatchObject({ takesRecords: true });
        await expect(append(log, 'lost')).rejects.toBeInstanceOf(NotRecorded);
        expect(await ofAppends()).toEqual({
          takesRecords: false,
          notes: ['the PostgreSQL server takes no records: no space left on device'],
        });
      } finally {
        await sql(NOT_FULL);
      }
      const head = await log.head(0);
      expect(await ofAppends()).toMatchObject({ takesRecords: true });
      expect((await append(log, 'kept')).first).toBe(head);
    });

    it('says so at once if its database is read-only', async () => {
      const name = new URL(database.url).pathname.slice(1);
      await sql(`alter database ${name} set default_transaction_read_only = on`);
      try {
        expect(await ofAppends()).toEqual({
          takesRecords: false,
          notes: [expect.stringMatching(/^transactions are read-only /)],
        });
      } finally {
        await beside(database.url, async (client) => {
          await client.query('set default_transaction_read_only = off');
          await client.query(`alter database ${name} reset default_transaction_read_only`);
        });
      }
    });

    it('says so while an append waits for a lock longer than it should', async () => {
      const holder = new pg.Client(database.url);
      await holder.connect();
      await holder.query('begin; select from log.partition for update');
      const waiting = append(log, 'late');
      try {
        const seen = await eventually(
          'the doubt',
          async () => {
            const each = await ofAppends();
            return each.takesRecords ? undefined : each;
          },
          20_000,
        );
        expect(seen.notes.join()).toMatch(/takes no records: .*2000 ms/);
      } finally {
        await holder.end();
      }
      await waiting;
    });
  });

  it('stops its followers at a hole that was made with the triggers disabled', async () => {
    const other = await createDatabase();
    const torn = await PostgresLog.open({ url: other.url, partitions: PARTITIONS });
    for (const value of ['a', 'b', 'c']) await append(torn, value);
    await beside(other.url, (client) =>
      client.query(
        'alter table log.record disable trigger append_only; delete from log.record where "offset" = 1',
      ),
    );
    const taker = new Collector();
    torn.follow(taker).add(0, 0);
    const { why } = await eventually('the stop', () => taker.stops[0]);
    expect(why).toMatchObject({ name: 'BrokenLog', partition: 0, offset: 1 });
    await beside(other.url, (client) => client.query('delete from log.record'));
    await expect(torn.read(0, 0)).rejects.toMatchObject({
      name: 'BrokenLog',
      partition: 0,
      offset: 0,
    });
    await torn.close();
    await other.drop();
  });

  it('stops a partition whose counter was deleted with the triggers disabled, and no other', async () => {
    const other = await createDatabase();
    const torn = await PostgresLog.open({ url: other.url, partitions: PARTITIONS });
    for (const partition of [0, 1]) await append(torn, 'a', partition);
    await beside(other.url, (client) =>
      client.query(
        'alter table log.partition disable trigger append_only; delete from log.partition where partition = 0',
      ),
    );
    for (const from of [0, 1, 2])
      await expect(torn.read(0, from)).rejects.toThrow('partition 0 is missing from the log');
    const taker = new Collector();
    const follower = torn.follow(taker);
    for (const partition of [0, 1]) follower.add(partition, 0);
    const { why } = await eventually('the stop', () => taker.stops[0]);
    expect(why).toMatchObject({ name: 'BrokenLog', partition: 0 });
    await eventually('the other partition', () => taker.texts(1).includes('a'));
    await torn.close();
    await other.drop();
  });

  it('leaves no holes when two instances append to the same partition', async () => {
    const other = await PostgresLog.open({ url: database.url, partitions: PARTITIONS });
    const wanted = Array.from({ length: 200 }, (_, at) => `v${at}`);
    const appended = await Promise.all(
      wanted.map((value, at) => append(at % 2 ? log : other, value, 1)),
    );
    expect(appended.map(({ first }) => first).sort((a, b) => a - b)).toEqual(
      wanted.map((_, at) => at),
    );
    const values = (await log.read(1, 0)).map(({ value }) => text(value));
    expect([...values].sort()).toEqual([...wanted].sort());
    for (const [at, { first }] of appended.entries()) expect(values[first]).toBe(wanted[at]);
    await other.close();
  });
});

describe('a PostgreSQL server that is killed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-log-'));
  const cluster = new EmbeddedCluster({ dir, database: 'shoeprint' });
  const postmaster = (): number =>
    Number(readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n')[0]);

  beforeAll(async () => void (await cluster.start()));
  afterAll(async () => {
    await cluster.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('keeps every acknowledged record, and the log recovers without help', async () => {
    const logs = await Promise.all(
      [1, 2].map(() => PostgresLog.open({ url: cluster.url, partitions: PARTITIONS })),
    );
    const [log] = logs as [PostgresLog, PostgresLog];
    expect(await log.health()).toMatchObject({ reachable: true, powerSafe: true, notes: [] });
    const taker = new Collector();
    const follower = log.follow(taker);
    for (let partition = 0; partition < PARTITIONS; partition += 1) follower.add(partition, 0);
    const acknowledged = new Map<string, number>();
    let ended = false;
    const writers = logs.flatMap((each, which) =>
      [0, 1, 2, 3].map(async (partition) => {
        for (let at = 0; !ended; at += 1) {
          const value = `${which} ${partition} ${at}`;
          try {
            acknowledged.set(value, (await append(each, value, partition)).first);
          } catch (error) {
            if (!(error instanceof NotRecorded || error instanceof OutcomeUnknown)) throw error;
          }
          await new Promise(setImmediate);
        }
      }),
    );
    try {
      for (let round = 0; round < 2; round += 1) {
        const before = acknowledged.size;
        await eventually('appends', () => acknowledged.size >= before + 40);
        process.kill(postmaster(), 'SIGKILL');
        await eventually('the loss of the server', async () => !(await log.health()).reachable);
        await cluster.start();
      }
      const before = acknowledged.size;
      await eventually('appends after the last kill', () => acknowledged.size >= before + 40);
    } finally {
      ended = true;
      await Promise.all(writers);
    }
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const head = await log.head(partition);
      await eventually(
        'every record',
        () => (taker.taken[partition] ?? []).at(-1)?.offset === head - 1,
      );
      expect([...new Set(taker.offsets(partition))]).toEqual(
        Array.from({ length: head }, (_, at) => at),
      );
      const there = taker.texts(partition);
      for (const [value, offset] of acknowledged)
        if (value.split(' ')[1] === String(partition)) expect(there[offset]).toBe(value);
    }
    expect(taker.stops).toEqual([]);
    await Promise.all(logs.map((each) => each.close()));
  });
});
