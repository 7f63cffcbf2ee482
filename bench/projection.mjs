// Measures folding events into rows: bulk from a log in memory with blocks, and live from append to
// visible row. Uses PostgreSQL as the tests do.
// Run: npm run build && node bench/projection.mjs [bulk|live]
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { simulate, stamped } from '#audit';
import { MemoryLog, partitionOf } from '#event-log';
import { positionsFrom } from '#read-model';
import { installedRules, rulesNamed } from '#rule-folder';
import { startAuditor } from '#auditor';
import { SILENT } from '#server';
import { quantile } from './measure.mjs';
import { setup, teardown } from '../test/setup/postgres.mjs';

const [what = 'bulk'] = process.argv.slice(2);
const book = installedRules();
const rules = rulesNamed(book, 'punto-banco@1');
const PARTITIONS = 16;
const DAYS = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
await setup();
const SERVER = process.env.TEST_DATABASE_URL ?? '';
const admin = new pg.Client(SERVER);
await admin.connect();

const print = (/** @type {object} */ figures) => console.log(JSON.stringify(figures));

async function database() {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  await admin.query(`create database ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin.query(`drop database ${name} with (force)`) };
}

/** @type {(table: string, game: { bets: boolean, shoes: number }) => string[]} */
const linesAt = (table, { bets, shoes }) =>
  [...simulate({ rules, bets, seed: table, shoes, table }).lines].map((line) =>
    stamped(line, `device/${table}`, new Date().toISOString()),
  );

/** @type {(table: string, lines: readonly string[], size: number) => import('#event-log').LogRecord[]} */
function blocks(table, lines, size) {
  const records = [];
  for (let at = 0; at < lines.length; at += size)
    records.push({ key: table, value: Buffer.from(lines.slice(at, at + size).join('\n')) });
  return records;
}

/**
 * Starts an auditor over a log whose rows are in a database of their own.
 * @param {MemoryLog} log
 * @param {string} databaseUrl
 */
const auditing = (log, databaseUrl) =>
  startAuditor({ log, databaseUrl, book, gamingDays: DAYS, journal: SILENT });

/**
 * Returns a log that is full of simulated play, and how many events it holds.
 * @param {{ bets: boolean, tables: number, shoes: number, size: number }} play
 */
function fullLog({ bets, tables, shoes, size }) {
  const log = new MemoryLog({ partitions: PARTITIONS, queueBytesMax: 1 << 30 });
  let events = 0;
  for (let t = 1; t <= tables; t += 1) {
    const table = `T${t}`;
    const lines = linesAt(table, { bets, shoes });
    events += lines.length;
    const records = blocks(table, lines, size);
    log.store.append([{ partition: partitionOf(table, PARTITIONS), records }]);
  }
  return { log, events };
}

/**
 * Folds a full log, then times a stop and a takeover.
 * @param {{ bets: boolean, tables: number, shoes: number, size: number }} play
 */
async function bulk(play) {
  const { url, drop } = await database();
  const { log, events } = fullLog(play);
  const began = performance.now();
  const cpu = process.cpuUsage();
  const auditor = await auditing(log, url);
  const caughtUp = async () =>
    (await auditor.positions()).every(
      ({ partition, next }) => next === log.store.of(partition).length,
    );
  while (!(await caughtUp())) await pause(20);
  const s = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const metric = auditor.registry.getSingleMetric('shoeprint_projection_commits_total');
  print({
    bulk: play.bets ? 'bets' : 'cards',
    tables: play.tables,
    events,
    s: +s.toFixed(2),
    perS: Math.round(events / s),
    cpuS: +((user + system) / 1e6).toFixed(2),
    commits: (await metric?.get())?.values[0]?.value,
  });
  const again = performance.now();
  await auditor.close();
  const closed = performance.now();
  const next = await auditing(log, url);
  while (next.stats().following.length < PARTITIONS) await pause(2);
  print({
    closeMs: Math.round(closed - again),
    takeoverMs: Math.round(performance.now() - closed),
  });
  await next.close();
  await log.close();
  await drop();
}

/** Appended events that wait for their rows, and how long those took that have them, in ms. */
class Visibility {
  /** @type {number[]} */
  latencies = [];
  /** @type {Map<number, { next: number, at: number }[]>} */
  #waiting = new Map();

  /** @type {(partition: number, next: number, at: number) => void} */
  appended(partition, next, at) {
    const waiting = this.#waiting.get(partition) ?? [];
    waiting.push({ next, at });
    this.#waiting.set(partition, waiting);
  }

  /** @param {string} positions as a notification has them */
  reached(positions) {
    const now = performance.now();
    for (const [partition, reached] of positionsFrom(positions)) {
      const waiting = this.#waiting.get(partition) ?? [];
      const later = waiting.findIndex(({ next }) => next > reached);
      for (const { at } of waiting.splice(0, later < 0 ? waiting.length : later))
        this.latencies.push(now - at);
    }
  }

  get isComplete() {
    return [...this.#waiting.values()].every((waiting) => waiting.length === 0);
  }
}

/**
 * Appends the tables' events in turn at a steady rate.
 * @param {MemoryLog} log
 * @param {Visibility} visibility
 * @param {readonly string[][]} lines by table
 * @param {{ perSecond: number, seconds: number }} load
 */
async function appendAtRate(log, visibility, lines, { perSecond, seconds }) {
  const tables = lines.length;
  const began = performance.now();
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    for (; sent < Math.min(due, perSecond * seconds); sent += 1) {
      const t = sent % tables;
      const table = `T${t + 1}`;
      const own = lines[t] ?? [];
      const line = own[Math.floor(sent / tables) % own.length] ?? '';
      const partition = partitionOf(table, PARTITIONS);
      const at = performance.now();
      const records = [{ key: table, value: Buffer.from(line) }];
      void log
        .append({ partition, records, urgency: 'live' })
        .then(({ next }) => visibility.appended(partition, next, at));
    }
    await pause(2);
  }
}

/** @param {{ perSecond: number, tables: number, seconds: number }} load */
async function live(load) {
  const { url, drop } = await database();
  const log = new MemoryLog({ partitions: PARTITIONS });
  const auditor = await auditing(log, url);
  const visibility = new Visibility();
  const listener = new pg.Client(url);
  listener.on('notification', ({ payload = '' }) => visibility.reached(payload));
  await listener.connect();
  await listener.query('listen shoeprint_rows');
  const lines = Array.from({ length: load.tables }, (_, t) =>
    linesAt(`T${t + 1}`, { bets: true, shoes: 1 }),
  );
  const cpu = process.cpuUsage();
  await appendAtRate(log, visibility, lines, load);
  while (!visibility.isComplete) await pause(10);
  const { user, system } = process.cpuUsage(cpu);
  const sorted = visibility.latencies.sort((a, b) => a - b);
  const at = (/** @type {number} */ q) => +quantile(sorted, q).toFixed(1);
  print({
    live: load.perSecond,
    tables: load.tables,
    n: sorted.length,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    cpu: +((user + system) / 1e6 / load.seconds).toFixed(2),
  });
  await listener.end();
  await auditor.close();
  await log.close();
  await drop();
}

if (what === 'bulk') {
  await bulk({ bets: true, tables: 48, shoes: 3, size: 100 });
  await bulk({ bets: false, tables: 48, shoes: 6, size: 150 });
} else {
  await live({ perSecond: 200, tables: 60, seconds: 10 });
  await live({ perSecond: 2000, tables: 600, seconds: 10 });
}
await admin.end();
await teardown();
