import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startAuditor, type RunningAuditor } from '#auditor';
import type { Journal } from '#server';
import { MemoryLog } from '#event-log';
import { DatabaseAway, onceReachable } from '#read-model';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { TcpProxy } from '../kit/tcp-proxy.js';
import { DAYS } from './floor.js';

let database: TestDatabase;
let proxy: TcpProxy;
let client: pg.Client;
let log: MemoryLog;
let errors: string[];
const journal: Journal = {
  info: () => undefined,
  error: (message, fields) => void errors.push(`${message} ${JSON.stringify(fields)}`),
};
beforeEach(async () => {
  database = await createDatabase();
  proxy = await TcpProxy.before(Number(new URL(database.url).port || 5432));
  client = new pg.Client(database.url);
  await client.connect();
  log = new MemoryLog({ partitions: 2 });
  errors = [];
});
afterEach(async () => {
  await log.close();
  await client.end();
  await proxy.close();
  await database.drop();
});

function start(): Promise<RunningAuditor> {
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const databaseUrl = url.href;
  return startAuditor({ log, databaseUrl, book: BOOK, gamingDays: DAYS, journal });
}

const retried = (): boolean => errors.some((line) => line.startsWith('retrying start'));
const follows = (auditor: RunningAuditor): Promise<unknown> =>
  eventually('both partitions', () => auditor.stats().following.length === 2);

describe('an auditor that starts', () => {
  it('tries again if a connection is reset', async () => {
    const goOn = proxy.hold();
    const starting = start();
    await eventually('a start that is tried again', () => {
      proxy.cut();
      return retried();
    });
    goOn();
    const auditor = await starting;
    await follows(auditor);
    await auditor.close();
    expect(errors).toEqual([
      expect.stringMatching(/^retrying start: PostgreSQL cannot be reached \{"error":/),
    ]);
  });

  it('tries again if its session ends while it waits to migrate', async () => {
    const lock = "hashtextextended('shoeprint migrate', 0)";
    await client.query(`select pg_advisory_lock(${lock})`);
    const starting = start();
    await eventually('a session that was ended', async () => {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event = 'advisory'`,
      );
      return (rowCount ?? 0) > 0;
    });
    await eventually('a start that is tried again', retried);
    await client.query(`select pg_advisory_unlock(${lock})`);
    const auditor = await starting;
    await follows(auditor);
    await auditor.close();
  });

  it('says what to check if PostgreSQL stays away', async () => {
    const reasons: string[] = [];
    const nowhere = new pg.Client('postgres://nobody@127.0.0.1:1/nothing');
    const away = onceReachable(() => nowhere.connect(), {
      onRetry: ({ message }) => void reasons.push(message),
      forMs: 0,
    });
    await expect(away).rejects.toThrow(DatabaseAway);
    await expect(away).rejects.toThrow(/check the address in DATABASE_URL/);
    expect(reasons).toEqual([]);
  });

  it('does not try again after an error that has another cause', async () => {
    let tries = 0;
    const work = async (): Promise<void> => {
      tries += 1;
      await client.query('select from nowhere');
    };
    await expect(onceReachable(work, { onRetry: () => undefined })).rejects.toThrow(/nowhere/);
    expect(tries).toBe(1);
  });
});
