// A log in an embedded PostgreSQL with fsync on, judged and sealed, for packages to be made of.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { simulateTables } from '#audit';
import { startAuditor } from '#auditor';
import { partitionOf, PostgresLog } from '#event-log';
import { nodeCryptography } from '#evidence/node';
import { migrate, PackageRows } from '#read-model';
import { installedRules, rulesNamed } from '#rule-folder';
import { migrateSeal, SealReader } from '#seal-store';
import { startSealer } from '#sealer';
import { EmbeddedCluster } from '#built/apps/standalone/src/postgres/embedded-cluster';
import { SILENT } from '#server';

/** The gaming days of the site. */
export const DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];
/** The partitions of the log. */
export const PARTITIONS = 2;
/** A shoe has more events than this. */
const EVENTS_OF_SHOE = 1_000;
/** Records of one append. */
const APPEND = 500;

/**
 * What is played: at the first table until it has so many records, and at the others meanwhile.
 * @typedef {{ tables: readonly string[], records: number, linesARecord: number }} Play
 */

/** @type {(folder: string) => Record<'log' | 'safe' | 'exports', import('#seal-store').KeyFile>} */
function keyFilesIn(folder) {
  const file = (/** @type {string} */ name) => ({ setting: name, path: join(folder, name) });
  return { log: file('log.key'), safe: file('safe.key'), exports: file('exports.key') };
}

/** Seals every 1,000 records, or every second. */
const SEALING = {
  ...{ site: 'shoeprint.example/bench', witnesses: [], witnessQuorum: 1, sealLeaseMs: 10_000 },
  rhythm: { everyMs: 1_000, records: 1_000, graceMs: 900_000 },
  readAgainBytes: 1,
};

/**
 * Starts a server, and resolves once what is played at it is in the rows and sealed.
 * @param {Play} asked
 */
export async function startSealedServer(asked) {
  const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-package-'));
  const cluster = new EmbeddedCluster({ dir: folder, database: 'bench' });
  await cluster.start();
  const { url: databaseUrl } = cluster;
  await migrate(databaseUrl);
  await migrateSeal(databaseUrl);
  const log = await PostgresLog.open({ url: databaseUrl, partitions: PARTITIONS });
  const book = installedRules();
  await play(log, asked);
  const keyFiles = keyFilesIn(join(folder, 'keys'));
  const parts = { log, databaseUrl, gamingDays: DAYS, journal: SILENT };
  const auditor = await startAuditor({ ...parts, book });
  const settings = { ...SEALING, keyFiles, tiles: join(folder, 'tiles') };
  const sealer = await startSealer({ ...parts, settings });
  const rows = await PackageRows.open(databaseUrl);
  const seals = SealReader.open(databaseUrl, nodeCryptography.sha256);
  await settled({ log, rows, seals }, asked);
  const stop = async () => {
    await Promise.all([auditor.close(), sealer.close(), rows.close(), seals.close()]);
    await log.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, databaseUrl, log, book, rows, seals, keyFiles, stop };
}

/**
 * Appends what is played to a log.
 * @type {(log: PostgresLog, asked: Play) => Promise<void>}
 */
export async function play(log, { tables, records, linesARecord }) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  /** @type {Map<string, { lines: string[], values: Buffer[] }>} */
  const waiting = new Map(tables.map((table) => [table, { lines: [], values: [] }]));
  let left = records;
  const shoes = Math.ceil((records * linesARecord) / EVENTS_OF_SHOE);
  const game = { rules, tables, shoes, seed: 'package', bets: true };
  for (const line of simulateTables(game).lines) {
    /** @type {{ table: string }} */
    const { table } = JSON.parse(line);
    const of = waiting.get(table);
    if (!of) continue;
    of.lines.push(line);
    if (of.lines.length < linesARecord) continue;
    of.values.push(Buffer.from(of.lines.splice(0).join('\n')));
    if (table === tables[0]) left -= 1;
    if (of.values.length >= APPEND) await append(log, table, of.values.splice(0));
    if (left === 0) break;
  }
  for (const [table, { values }] of waiting)
    if (values.length > 0) await append(log, table, values);
}

/** @type {(log: PostgresLog, table: string, values: readonly Buffer[]) => Promise<unknown>} */
const append = (log, table, values) =>
  log.append({
    partition: partitionOf(table, log.partitions),
    records: values.map((value) => ({ key: table, value })),
    urgency: 'bulk',
  });

/**
 * Waits until everything is in the rows and sealed.
 * @param {{ log: PostgresLog, rows: PackageRows, seals: SealReader }} server
 * @param {Play} asked
 */
export async function settled({ log, rows, seals }, { tables: [table = ''], records }) {
  const heads = await Promise.all(Array.from({ length: log.partitions }, (_, at) => log.head(at)));
  for (;;) {
    const reached = await Promise.all(heads.map((_, at) => rows.reached(at)));
    const known = await seals.table(table);
    const last = await seals.lastEntry('seal');
    const kept = await seals.checkpoint();
    const head = known && last && (await seals.head(known.number, last.index));
    if (kept && last && kept.size > last.index && head?.size === records)
      if (reached.every((next, at) => next >= (heads[at] ?? 0))) return;
    await pause(200);
  }
}
