// Times a line of the spool from the call to its acknowledgement, beside a row of the same bytes in
// SQLite (node:sqlite, WAL, synchronous=FULL, one transaction a line), by turns. Then times the
// start of a spool of 2 GiB, and the first lines that are read for delivery.
//   npm run bench:spool -- [MiB]        2,048 by default; about three minutes
// Node has node:sqlite from version 22.5 on. Without it, the spool is timed alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpool } from '#spool';
import { clock, quantile } from '../measure.mjs';

const ROUNDS = 5;
const LINES = 1_000;
const STARTS = 5;
const MIB = 1024 * 1024;
const size = Number(process.argv[2] ?? 2_048) * MIB;
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-spool-'));

/** A card of a busy table: what a shoe sends, and the event that it makes. */
const FRAME = {
  at: 1_790_000_000_000,
  up: 86_400.123,
  port: 'shoe',
  raw: '053031303353480333431a0d0a',
  integrity: /** @type {const} */ ('ok'),
  made: [
    '{"id":"B07-shoe/3f1c9a7be2d04855/1234","source":"device/B07-shoe","type":"card-drawn",' +
      '"table":"B07","time":"2026-11-24T02:00:00.000Z","session":"3f1c9a7be2d04855",' +
      '"sequence":1234,"data":{"shoe":"B07-20261124-1","coup":"31","card":"9S","to":"player"}}',
  ],
};

/** @type {import('#spool').SpoolOwner} */
const owner = {
  restore: () => undefined,
  apply: () => undefined,
  state: () => ({ shoe: 'B07-20261124-1' }),
  notice: (notice) => {
    throw new Error(`an unexpected notice: ${JSON.stringify(notice)}`);
  },
};

/** @type {(name: string) => Promise<import('#spool').Spool>} */
const spoolIn = (name) => openSpool({ folder: join(folder, name), owner, status: () => null });

/** @typedef {(line: number) => Promise<void> | void} Append */

/**
 * What is used of node:sqlite, whose types come with a later Node.
 * @typedef {{ run(...values: unknown[]): void }} Statement
 * @typedef {{ exec(sql: string): void, prepare(sql: string): Statement }} Database
 * @typedef {{ DatabaseSync: new (path: string) => Database }} Sqlite
 */

/** Returns a way to append a row, or undefined without node:sqlite. */
async function sqlite() {
  /** @type {string} */
  const name = 'node:sqlite';
  /** @type {Sqlite | undefined} */
  const module = await import(name).catch(() => undefined);
  if (!module) return undefined;
  const database = new module.DatabaseSync(join(folder, 'alternative.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE line (n INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  const insert = database.prepare('INSERT INTO line VALUES (?, ?)');
  const text = JSON.stringify(FRAME);
  return { append: (/** @type {number} */ n) => void insert.run(n, text) };
}

/** @type {(append: Append, from: number) => Promise<number[]>} */
async function timed(append, from) {
  const times = [];
  for (let line = from; line < from + LINES; line += 1) {
    const begun = clock();
    await append(line);
    times.push(clock() - begun);
  }
  return times;
}

/** @type {(what: string, times: readonly number[]) => void} */
function report(what, times) {
  const sorted = times.toSorted((one, other) => one - other);
  const [p50, p99, most] = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(3));
  console.log(`${what}: p50 ${p50} ms, p99 ${p99} ms, most ${most} ms (${times.length} lines)`);
}

/** Times lines of the spool and rows of the alternative by turns. */
async function lines() {
  const spool = await spoolIn('lines');
  const alternative = await sqlite();
  /** @type {{ whole: number[], sync: number[], alternative: number[] }} */
  const times = { whole: [], sync: [], alternative: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const append = async () => void times.sync.push((await spool.append([FRAME])).syncMs);
    times.whole.push(...(await timed(append, 0)));
    if (alternative)
      times.alternative.push(...(await timed(alternative.append, 1 + round * LINES)));
  }
  await spool.close();
  report('a line of the spool', times.whole);
  report('  its write and sync', times.sync);
  if (alternative) report('a row in SQLite', times.alternative);
  else console.log('a row in SQLite: this Node has no node:sqlite');
}

/** Fills a spool: with large lines first, and single frames in its last segment. */
async function filled() {
  const spool = await spoolIn('large');
  const many = Array.from({ length: 1_500 }, () => FRAME);
  while (spool.figures.bytes < size - 8 * MIB) await spool.append(many);
  while (spool.figures.bytes < size - MIB) await spool.append([FRAME, FRAME]);
  await spool.close();
  return spool.figures;
}

async function starts() {
  const { bytes, segments, last } = await filled();
  /** @type {{ start: number[], first: number[] }} */
  const times = { start: [], first: [] };
  for (let start = 0; start < STARTS; start += 1) {
    const begun = clock();
    const spool = await spoolIn('large');
    times.start.push(clock() - begun);
    const after = Math.floor(last / 2);
    const limits = { contents: 5_000, bytes: 900_000 };
    const read = clock();
    await spool.read(after, limits, AbortSignal.timeout(60_000));
    times.first.push(clock() - read);
    await spool.close();
  }
  console.log(`a spool of ${(bytes / MIB).toFixed(0)} MiB in ${segments} segments, ${last} lines`);
  report('  start', times.start);
  report('  first lines from the middle', times.first);
}

try {
  await lines();
  await starts();
} finally {
  rmSync(folder, { recursive: true });
}
