import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MemoryLog } from '#event-log';
import { auditorProbes, startAuditor, type RunningAuditor } from '#auditor';
import { SILENT } from '#server';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { simulated } from '../simulate/simulated.js';
import { append, DAYS, linesOf, recordsOf } from './floor.js';

/** How soon an auditor must say that it cannot do its work. */
const SAYS_MS = 10_000;
const TABLE = 'B07';

let database: TestDatabase;
let log: MemoryLog;
let auditor: RunningAuditor;
let client: pg.Client;
beforeEach(async () => {
  database = await createDatabase();
  log = new MemoryLog({ partitions: 1 });
  const asked = { log, databaseUrl: database.url, book: BOOK, gamingDays: DAYS, journal: SILENT };
  auditor = await startAuditor(asked);
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await auditor.close();
  await client.end();
  await log.close();
  await database.drop();
});

interface Readiness {
  readonly ready: boolean;
  readonly failing: readonly { readonly work: string; readonly error: string }[];
}

async function readiness(): Promise<Readiness> {
  const pages = { openPages: true, metricsToken: undefined };
  const { registry } = auditor;
  return (await auditorProbes({ log, auditor, registry, pages }).ready()) as never;
}

const failing = (work: string) => (): Promise<string | undefined> =>
  readiness().then(({ ready, failing: all }) =>
    ready ? undefined : all.find((each) => each.work === work)?.error,
  );

const isReady = async (): Promise<boolean> => (await readiness()).ready;

it('is not ready while the database refuses its rows, and again once it takes them', async () => {
  const lines = linesOf(
    simulated({ rules: 'punto-banco@1', seed: 'ready', shoes: 1, table: TABLE }).lines,
  );
  await eventually('its readiness', isReady);
  await client.query(`create function public.full() returns trigger language plpgsql as $$
      begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert on rows.coup for each statement execute function public.full()`);
  await append(log, TABLE, recordsOf(TABLE, lines, [50]), 0);
  const error = await eventually('what fails', failing('rows'), SAYS_MS);
  expect(error).toMatch(/no space left on device/);
  await client.query('drop function public.full() cascade');
  await eventually('its readiness', isReady);
});

it('is not ready while the database refuses its leases, even if no event comes', async () => {
  await eventually('its readiness', isReady);
  const name = new URL(database.url).pathname.slice(1);
  await client.query(`alter database ${name} set default_transaction_read_only = on`);
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  const error = await eventually('what fails', failing('leases'), SAYS_MS);
  expect(error).toMatch(/read-only transaction/);
  await client.query(`alter database ${name} reset default_transaction_read_only`);
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  await eventually('its readiness', isReady);
});
