import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import type { Running } from '../kit/processes.js';
import { IS_LONG } from '../kit/rounds.js';
import { newTables, type Load } from './load.js';
import { filled } from './outages.js';
import type { Struck } from './recovery.js';
import { expectNothingLost, ROUND_MS_MAX, ROUNDS, rounds, type Asked } from './round.js';
import { PARTITIONS, type System } from './system.js';

const ONLY = process.env.SHOEPRINT_FAULTS_ONLY;
/** Whether a scenario of this name is to be played. */
export const isAsked = (title: string): boolean => ONLY === undefined || title.includes(ONLY);

/** Whether to play all scenarios, as `npm run faults` and `npm run test:long` do. */
export const ALL = process.env.SHOEPRINT_FAULTS_ROUNDS !== undefined || IS_LONG;

/** The most rounds that a scenario plays in `npm test`: one for each of three brokers. */
const ROUNDS_MIN_MOST = 3;

/** Events in the log before the rounds of a scenario with a large log. */
export const LARGE_LOG = 250_000;
/** Whether every scenario has a large log. */
const IS_LARGE = process.env.SHOEPRINT_FAULTS_LARGE === '1';
/** The systems whose log is large. */
const filledOnes = new WeakSet<System>();

/** Declares a test of `ROUNDS` rounds. Skips it if other scenarios are selected by name. */
export function scenario(
  system: () => Promise<System>,
  title: string,
  asked: (system: System) => Asked | Promise<Asked>,
): void {
  named(title, async () => {
    const running = await system();
    if (IS_LARGE && !filledOnes.has(running)) {
      await filled(running, LARGE_LOG);
      filledOnes.add(running);
    }
    expectNothingLost(await rounds(running, await asked(running)));
  });
}

/**
 * Declares a scenario that `npm test` does not play, because it differs from another one only in
 * the log, or takes long.
 */
export function longScenario(...of: Parameters<typeof scenario>): void {
  if (ALL) scenario(...of);
}

/** Declares a test with the name of a scenario. It may take as long as its rounds together. */
export function named(
  title: string,
  test: () => Promise<void>,
  msMax = 120_000 + Math.max(ROUNDS, ROUNDS_MIN_MOST) * ROUND_MS_MAX,
): void {
  (isAsked(title) ? it : it.skip)(title, test, msMax);
}

/** Kills a program and restarts it at once. */
export async function killed(victim: Running): Promise<Struck> {
  const at = performance.now();
  await victim.end('SIGKILL');
  return { at, restored: victim.start() };
}

/** Kills PostgreSQL and restarts it at once. */
export async function postgresKilled({ postgres }: System): Promise<Struck> {
  const at = performance.now();
  await postgres.kill();
  return { at, restored: postgres.start() };
}

/** Stops PostgreSQL as an administrator does, and starts it again. */
export async function postgresRestarted({ postgres }: System): Promise<Struck> {
  const at = performance.now();
  await postgres.stop();
  return { at, restored: postgres.start() };
}

/** Kills a broker and restarts it at once. */
export async function brokerKilled({ kafka }: System, node: number): Promise<Struck> {
  const at = performance.now();
  await kafka.kill(node);
  return { at, restored: kafka.restart(node) };
}

/** Causes no fault. The time is an arbitrary moment. */
export const nothingStruck = async (): Promise<Struck> => ({
  at: performance.now(),
  restored: Promise.resolve(),
});

/**
 * Adds an auditor, waits until it owns partitions, and stops the old one with SIGTERM. The strike
 * is the moment of that signal.
 */
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

/** Kills the only auditor and starts another in its place. */
export async function replaced(system: System): Promise<Struck> {
  const at = performance.now();
  await system.auditor.end('SIGKILL');
  return { at, restored: system.addAuditor().then((next) => ownsAll(system, next)) };
}

/**
 * Kills one of two auditors, so that the other takes all partitions. The next round starts another.
 */
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

/** Returns the partitions of an auditor, whose name contains its process id. */
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

/** Pauses an auditor at any point until others own all its partitions, then resumes it. */
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

/**
 * Makes the database reject appends until some requests are answered 503. Reads and everything else
 * continue.
 */
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
 * Makes the rows, and then the log, fail as on a full disk. A trigger raises the server's own
 * error, since a test cannot fill the disk of every machine. Rows wait, appends are rejected, and
 * both continue once there is space.
 */
export async function diskFull(system: System, load: Load): Promise<Struck> {
  await system.query(`create or replace function public.disk_full() returns trigger
    language plpgsql as $$
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
/** A reason that makes an event nearly as long as the limit. */
const LONG = 'because '.repeat(1_875);
/**
 * Limit of the api's memory: Node, Nest, 64 MB of waiting appends, as much in incoming requests,
 * and garbage that is not yet collected.
 */
const API_BYTES_MAX = 900 * 1024 * 1024;

/**
 * Makes an append hang, as on a disk that does not answer, while more events arrive than the queue
 * holds. Expects that the excess is rejected at once and that memory is bounded.
 */
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
  flood.catch(() => undefined); // its caller handles the rejection
  try {
    await eventually(
      'requests rejected because the queue is full',
      () => load.unanswered[503] >= 10,
      25_000,
    );
    const bytes = memoryOf(system.api.pid);
    if (bytes !== undefined) expect(bytes).toBeLessThan(API_BYTES_MAX);
  } finally {
    await blocker.end(); // this ends its transaction
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

/** Returns the resident bytes of a process, or undefined if the system does not report them. */
export function memoryOf(pid: number): number | undefined {
  try {
    return (
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    );
  } catch {
    return undefined;
  }
}

/**
 * Makes the database read-only, as one that has become a standby, while the log in Kafka continues.
 */
export async function databaseReadOnly(system: System, load: Load): Promise<Struck> {
  const at = performance.now();
  await system.query('alter system set default_transaction_read_only = on');
  await system.query('select pg_reload_conf()');
  try {
    await load.more(200);
  } finally {
    // This needs no transaction, so it works while the database is read-only.
    await system.query('alter system reset default_transaction_read_only');
    await system.query('select pg_reload_conf()');
  }
  return { at, restored: Promise.resolve() };
}

/** Kills two of three brokers, so that appends lack replicas, until some requests fail. */
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
