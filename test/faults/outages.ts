import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../kit/eventually.js';
import type { Running } from '../kit/processes.js';
import { standing } from './count.js';
import { Load, newTables } from './load.js';
import type { Struck } from './recovery.js';
import { PARTITIONS, type System } from './system.js';

/** Undoes a fault. */
type Undo = () => unknown;

/** Causes a fault that lasts for so many milliseconds. */
async function forSome(ms: number, cause: () => Undo | Promise<Undo>): Promise<Struck> {
  const at = performance.now();
  const undo = await cause();
  return { at, restored: pause(ms).then(undo) };
}

/**
 * Pauses brokers. Their ports accept connections and nothing answers, and when they wake they
 * believe what they knew.
 */
export const brokersAsleep = (
  { kafka }: System,
  nodes: readonly number[],
  ms: number,
): Promise<Struck> =>
  forSome(ms, async () => {
    await Promise.all(nodes.map((node) => kafka.kill(node, 'SIGSTOP')));
    return () => Promise.all(nodes.map((node) => kafka.kill(node, 'SIGCONT')));
  });

const BEFORE_WAKING_MS = 1_000;

/**
 * Pauses the leader of a partition, and kills an auditor just before the leader wakes. The other
 * auditor then takes partitions over while the leader still believes that it leads.
 */
export async function takenOverAsLeaderWakes(
  system: System,
  partition: number,
  ms: number,
): Promise<Struck> {
  const leader = await system.leaderOf(partition);
  const [victim] = await system.ownersOf(partition);
  if (!victim) throw new Error(`no auditor owns partition ${partition}`);
  const { at, restored } = await brokersAsleep(system, [leader], ms);
  const replaced = pause(ms - BEFORE_WAKING_MS).then(() => victim.end('SIGKILL'));
  return { at, restored: Promise.all([replaced, restored]).then(() => victim.start()) };
}

/** Pauses PostgreSQL with all its sessions. */
export const postgresAsleep = ({ postgres }: System, ms: number): Promise<Struck> =>
  forSome(ms, () => {
    postgres.signal('SIGSTOP');
    return () => postgres.signal('SIGCONT');
  });

/** Makes the leader of a partition refuse connections of clients. Other brokers still reach it. */
export const leaderRefuses = (system: System, partition: number, ms: number): Promise<Struck> =>
  forSome(ms, async () => {
    const leader = await system.leaderOf(partition);
    return proxyOf(system, leader).refuse();
  });

/**
 * Makes all connections to the brokers half-open, for ever. New connections are silent, too, for so
 * many milliseconds.
 */
export const brokersHalfOpen = (system: System, ms: number): Promise<Struck> =>
  forSome(ms, () => ofAll(system, (proxy) => proxy.silence()));

/** Does the same with the connections to PostgreSQL. */
export const postgresHalfOpen = ({ links }: System, ms: number): Promise<Struck> =>
  forSome(ms, () => links.postgres.silence());

/** Loses the brokers' answers to appends, which they carry out. */
export const brokersAnswersLost = (system: System, ms: number): Promise<Struck> =>
  forSome(ms, () => ofAll(system, (proxy) => proxy.loseAnswers()));

/** Loses the answers of PostgreSQL, which does what it is asked. */
export const postgresAnswersLost = ({ links }: System, ms: number): Promise<Struck> =>
  forSome(ms, () => links.postgres.loseAnswers());

/** Delays everything between the programs, the brokers and PostgreSQL. */
export const linksSlow = (system: System, delayMs: number, ms: number): Promise<Struck> =>
  forSome(ms, () => {
    const undo = [
      ofAll(system, (proxy) => proxy.slow(delayMs)),
      system.links.postgres.slow(delayMs),
    ];
    return () => undo.forEach((each) => each());
  });

const HOUR_MS = 3_600_000;

/**
 * Sets the clocks of all programs an hour ahead, for so many milliseconds, then an hour back for as
 * long, then right. The clock of PostgreSQL stays right.
 */
export function clocksStepped({ apis, auditors }: System, ms: number): Promise<Struck> {
  const set = (offsetMs: number) => {
    for (const program of [...apis, ...auditors]) if (program.isRunning) program.setClock(offsetMs);
  };
  return forSome(ms, () => {
    set(HOUR_MS);
    return async () => {
      set(-HOUR_MS);
      await pause(ms);
      set(0);
    };
  });
}

const TABLES = 320;
const LINES_AT_ONCE = 400;
/** A shoe with bets has more lines than this. */
const LINES_OF_SHOE_MIN = 400;
const LINES_OF_LOAD_MAX = 250_000;
const TABLES_EACH_OF_LOAD = 2;

/** Fills the log with so many events, of new tables in each partition. */
export async function filled(
  system: System,
  events: number,
  tablesEach = TABLES / PARTITIONS,
): Promise<void> {
  const tables = newTables(tablesEach);
  const lines = Math.ceil(events / tables.length);
  const shoes = Math.ceil(lines / LINES_OF_SHOE_MIN);
  const load = await Load.start(system, { shoes, only: { tables, lines, cuts: [LINES_AT_ONCE] } });
  await load.ended();
}

/**
 * Stops all auditors, fills the log with events that none of them has read, and starts them again.
 * When half of it is in the rows, one is killed and started. Resolves with the milliseconds from
 * their start until the rows had everything, or rejects after `msMax`.
 */
export async function caughtUpWith(system: System, events: number, msMax: number): Promise<number> {
  const { auditors } = system;
  await Promise.all(auditors.map((auditor) => auditor.end('SIGTERM')));
  const folded = await eventsInRows(system);
  // a load remembers its lines until it has ended
  for (let left = events; left > 0; left -= LINES_OF_LOAD_MAX)
    await filled(system, Math.min(left, LINES_OF_LOAD_MAX), TABLES_EACH_OF_LOAD);
  const from = performance.now();
  await Promise.all(auditors.map((auditor) => auditor.start()));
  const inRows = async () => (await eventsInRows(system)) >= folded + events / 2;
  await eventually('half of the events in the rows', inRows, msMax);
  const [victim] = auditors as [Running];
  await victim.end('SIGKILL');
  await victim.start();
  await standing(system, msMax);
  return performance.now() - from;
}

async function eventsInRows(system: System): Promise<number> {
  const [row] = await system.query<{ events: number }>(
    'select sum(events)::float8 as events from rows.position',
  );
  return row?.events ?? 0;
}

/** Kills all auditors and restarts them at once. */
export async function auditorsKilled({ auditors }: System): Promise<Struck> {
  const at = performance.now();
  const running = auditors.filter(({ isRunning }) => isRunning);
  await Promise.all(running.map((auditor) => auditor.end('SIGKILL')));
  return { at, restored: Promise.all(running.map((auditor) => auditor.start())) };
}

/** A command that runs beside the load. */
export interface Command {
  /** What it has written so far. */
  readonly said: string;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<unknown>;
}

const REBUILDS_MAX = 10;

/**
 * Rebuilds the rows while an auditor and PostgreSQL are killed. A rebuild that failed is started
 * again, and resumes, until one has swapped the rows.
 */
export async function rebuiltUnderFaults(
  system: System,
  rebuild: () => Command,
  victim: Running,
): Promise<Struck> {
  const at = performance.now();
  let running = rebuild();
  await eventually('the rebuild at work', () => running.said.includes('"folding"'), 60_000);
  await victim.end('SIGKILL');
  await system.postgres.kill();
  const restored = system.postgres
    .start()
    .then(() => victim.start())
    .then(async () => {
      for (let nth = 1; ; nth += 1) {
        const code = await running.ended;
        if (code === 0) return;
        if (nth === REBUILDS_MAX || code === 1)
          throw new Error(`the rebuild ended with ${String(code)}: ${running.said.slice(-2_000)}`);
        running = rebuild();
      }
    });
  return { at, restored };
}

const proxyOf = ({ links }: System, node: number) => {
  const proxy = links.brokers.get(node);
  if (!proxy) throw new Error(`no proxy is before node ${node}`);
  return proxy;
};

/** Does the same to the proxies before all brokers. */
function ofAll(system: System, cause: (proxy: ReturnType<typeof proxyOf>) => Undo): Undo {
  const undo = [...system.links.brokers.values()].map(cause);
  return () => undo.forEach((each) => each());
}
