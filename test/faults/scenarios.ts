import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import type { Running } from '../kit/processes.js';
import { newTables, type Load } from './load.js';
import {
  expectNothingLost,
  ROUND_MS_MAX,
  ROUNDS,
  rounds,
  type Asked,
  type Struck,
} from './round.js';
import { PARTITIONS, type System } from './system.js';

const ONLY = process.env.SHOEPRINT_FAULTS_ONLY;
/** Whether all scenarios are played, as `npm run faults` does. */
const ALL = process.env.SHOEPRINT_FAULTS_ROUNDS !== undefined;

/** A test of so many rounds, unless other scenarios are asked for by name. */
export function scenario(
  system: () => Promise<System>,
  title: string,
  asked: (system: System) => Asked | Promise<Asked>,
): void {
  named(title, async () => {
    const running = await system();
    expectNothingLost(await rounds(running, await asked(running)));
  });
}

/** A scenario that differs from others in where the log lies, or takes long: `npm run faults` plays it, the tests do not. */
export function besides(...of: Parameters<typeof scenario>): void {
  if (ALL) scenario(...of);
}

/** A test that goes by the name of a scenario. */
export function named(title: string, test: () => Promise<void>): void {
  const isAsked = ONLY === undefined || title.includes(ONLY);
  (isAsked ? it : it.skip)(title, test, 120_000 + ROUNDS * ROUND_MS_MAX);
}

/** Kills a program and starts it again at once. */
export async function killed(victim: Running): Promise<Struck> {
  const at = performance.now();
  await victim.end('SIGKILL');
  return { at, restored: victim.start() };
}

/** Kills PostgreSQL and starts it again at once. */
export async function postgresKilled({ postgres }: System): Promise<Struck> {
  const at = performance.now();
  await postgres.kill();
  return { at, restored: postgres.start() };
}

/** Ends PostgreSQL as an administrator does, and starts it again. */
export async function postgresRestarted({ postgres }: System): Promise<Struck> {
  const at = performance.now();
  await postgres.stop();
  return { at, restored: postgres.start() };
}

/** Kills a broker and starts it again at once. */
export async function brokerKilled({ kafka }: System, node: number): Promise<Struck> {
  const at = performance.now();
  await kafka.kill(node);
  return { at, restored: kafka.restart(node) };
}

/** Nothing is struck; the time is that of any moment. */
export const nothingStruck = async (): Promise<Struck> => ({
  at: performance.now(),
  restored: Promise.resolve(),
});

/** Adds an auditor, waits until it has its share, and lets the one that was there go in order; it is struck when that is told to. */
export async function handedOver(system: System): Promise<Struck> {
  const first = system.auditor;
  const second = await system.addAuditor();
  await eventually(
    'a share for the new auditor',
    async () => (await ownedBy(system, second)).length > 0,
    60_000,
  );
  const at = performance.now();
  return { at, restored: first.end('SIGTERM').then(() => ownsAll(system, second)) };
}

/** Kills the auditor that is alone, and starts another in its place. */
export async function replaced(system: System): Promise<Struck> {
  const at = performance.now();
  await system.auditor.end('SIGKILL');
  return { at, restored: system.addAuditor().then((next) => ownsAll(system, next)) };
}

/** Kills one of two auditors; the other has to do with all, and the next round begins with another beside it. */
export async function oneOfTwoKilled(system: System): Promise<Struck> {
  const first = system.auditor;
  const second = await system.addAuditor();
  await eventually(
    'a share for the new auditor',
    async () => (await ownedBy(system, second)).length > 0,
    60_000,
  );
  const at = performance.now();
  await first.end('SIGKILL');
  return { at, restored: ownsAll(system, second) };
}

interface Owned {
  readonly partition: number;
  readonly owner: string;
}

/** What an auditor owns: its name holds its process id. */
const ownedBy = (system: System, auditor: Running): Promise<Owned[]> =>
  system.query<Owned & Record<string, unknown>>(
    "select partition, owner from rows.position where owner like '%/' || $1 || '/%'",
    [auditor.pid],
  );

const ownsAll = (system: System, auditor: Running): Promise<true> =>
  eventually(
    'all partitions with the one auditor',
    async () => (await ownedBy(system, auditor)).length === PARTITIONS,
    60_000,
  );

/** Stops an auditor in the middle of whatever it does until others own all that it owned, and then lets it go on. */
export async function asleep(system: System, sleeper: Running): Promise<Struck> {
  const owned = await eventually('partitions of the one that is to sleep', async () =>
    (await ownedBy(system, sleeper)).length > 0 ? ownedBy(system, sleeper) : undefined,
  );
  const at = performance.now();
  sleeper.signal('SIGSTOP');
  const restored = eventually(
    'its partitions with another',
    async () => {
      const now = await system.query<{ partition: number; owner: string | null }>(
        'select partition, owner from rows.position',
      );
      return owned.every(({ partition, owner }) =>
        now.some(
          (other) => other.partition === partition && other.owner !== null && other.owner !== owner,
        ),
      );
    },
    60_000,
  ).finally(() => sleeper.signal('SIGCONT'));
  return { at, restored };
}

/** The database refuses appends to the log until a few requests were answered so; reading it, and all else, goes on. */
export async function appendsRefused(system: System, load: Load): Promise<Struck> {
  const at = performance.now();
  await system.query('revoke execute on function log.append from shoeprint_log');
  try {
    await eventually('requests answered 503', () => load.unanswered[503] >= 40, 60_000);
  } finally {
    await system.query('grant execute on function log.append to shoeprint_log');
  }
  expect(load.unanswered).toMatchObject({ 504: 0, broken: 0 });
  return { at, restored: Promise.resolve() };
}

const FULL = ['rows.table_state', 'log.record'] as const;

/**
 * Rows and then the log fail as they do where the disk is full: with the server's own error for it, which a trigger raises, since
 * a disk cannot be filled on everybody's machine. Rows wait, appends are refused, and both go on once there is room.
 */
export async function diskFull(system: System, load: Load): Promise<Struck> {
  await system.query(`create or replace function public.disk_full() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  const at = performance.now();
  try {
    await system.query(
      `create trigger disk_full before insert or update on ${FULL[0]} for each statement execute function public.disk_full()`,
    );
    await load.more(100);
    await system.query(
      `create trigger disk_full before insert on ${FULL[1]} for each statement execute function public.disk_full()`,
    );
    await eventually('requests answered 503', () => load.unanswered[503] >= 40, 60_000);
  } finally {
    for (const table of FULL) await system.query(`drop trigger if exists disk_full on ${table}`);
  }
  expect(load.unanswered).toMatchObject({ 504: 0, broken: 0 });
  return { at, restored: Promise.resolve() };
}

const FLOOD_REQUESTS = 36;
const FLOOD_EVENTS = 134;
/** A reason that makes an event nearly as long as one may be. */
const LONG = 'because '.repeat(1_875);
/** Node, Nest, 64 MB that wait, as much that comes in, and room for a collector that has not run yet. */
const API_BYTES_MAX = 900 * 1024 * 1024;

/** An append hangs, as on a disk that does not answer, while more is sent than may wait: what does not fit is refused at once, and memory is bounded. */
export async function appendsHang(system: System, load: Load): Promise<Struck> {
  const blocker = new pg.Client(system.databaseUrl);
  await blocker.connect();
  const at = performance.now();
  await blocker.query('begin');
  await blocker.query('select from log.partition for update');
  const [table] = newTables(1) as [string];
  const flood = load.flood(
    table,
    Array.from({ length: FLOOD_REQUESTS }, (_, nth) =>
      Array.from({ length: FLOOD_EVENTS }, (__, i) => longEvent(table, nth * FLOOD_EVENTS + i)),
    ),
  );
  flood.catch(() => undefined); // whoever waits for it hears it
  try {
    await eventually(
      'requests refused, for the queue is full',
      () => load.unanswered[503] >= 10,
      25_000,
    );
    const bytes = memoryOf(system.api.pid);
    if (bytes !== undefined) expect(bytes).toBeLessThan(API_BYTES_MAX);
  } finally {
    await blocker.end(); // and its transaction with it
  }
  return { at, restored: flood };
}

const longEvent = (table: string, nth: number): string =>
  JSON.stringify({
    specversion: '1.0',
    type: 'shoeprint.supervisor-called.v1',
    source: 'person/flood',
    id: `${table}/${nth}`,
    time: '2026-11-20T12:00:00.000Z',
    table,
    data: { reason: LONG },
  });

/** Resident bytes of a process; undefined where the system does not tell. */
function memoryOf(pid: number): number | undefined {
  try {
    return (
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    );
  } catch {
    return undefined;
  }
}

/** The database refuses to be written, as one that has become a standby does, while the log in Kafka goes on. */
export async function databaseReadOnly(system: System, load: Load): Promise<Struck> {
  const at = performance.now();
  await system.query('alter system set default_transaction_read_only = on');
  await system.query('select pg_reload_conf()');
  try {
    await load.more(200);
  } finally {
    await system.query('alter system reset default_transaction_read_only'); // no transaction: it may be done where nothing may be written
    await system.query('select pg_reload_conf()');
  }
  return { at, restored: Promise.resolve() };
}

/** Two of three brokers are gone, so that no append has the copies that it must have, until requests were answered so. */
export async function copiesMissing({ kafka }: System, load: Load): Promise<Struck> {
  const at = performance.now();
  await Promise.all([kafka.kill(2), kafka.kill(3)]);
  await eventually(
    'requests answered 503 or 504',
    () => load.unanswered[503] + load.unanswered[504] >= 4,
    60_000,
  );
  kafka.start(2);
  return { at, restored: kafka.restart(3) };
}
