// Times how a package of a shoe is made at a table of 100,000 records of one event each, on an
// embedded server with fsync on: with the rows to begin near, and by the log from record 0 on.
// Prints the size of the package too.
//   npm run build && node bench/evidence/shoe-package.mjs [RECORDS]      about three minutes
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { simulateTables } from '#audit';
import { startAuditor } from '#auditor';
import { readRules } from '#baccarat';
import { partitionOf, PostgresLog } from '#event-log';
import { readVkey } from '#evidence';
import { nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import { makePackage } from '#export';
import { gamingDays, migrate, PackageRows } from '#read-model';
import { packageReplay } from '#replay';
import { installedRules } from '#rule-folder';
import { migrateSeal, SealReader } from '#seal-store';
import { startSealer } from '#sealer';
import { EmbeddedCluster } from '#built/apps/standalone/src/postgres/embedded-cluster';
import { SILENT } from '#server';
import { spread } from '../measure.mjs';

const RECORDS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const TABLES = ['B01', 'B02', 'B03', 'B04'];
const [TABLE = ''] = TABLES;
const DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];
const { sha256 } = nodeCryptography;

/** @type {(path: string) => URL} */
const ruleFile = (path) => new URL(`../../rules/${path}`, import.meta.url);
/** @type {import('#baccarat').RuleDocument} */
const document = JSON.parse(readFileSync(ruleFile('punto-banco@1.json'), 'utf8'));
/** @type {Record<string, string>} */
const published = JSON.parse(readFileSync(ruleFile('manifest.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-shoe-'));
const cluster = new EmbeddedCluster({ dir: folder, database: 'bench' });

/** Appends so many records of the first table, with those of the others between. */
async function play(/** @type {PostgresLog} */ log) {
  /** @type {Map<string, Buffer[]>} */
  const waiting = new Map(TABLES.map((table) => [table, []]));
  let left = RECORDS;
  for (let day = 0; left > 0; day += 1) {
    const rules = readRules(document);
    const { lines } = simulateTables({
      rules,
      tables: TABLES,
      shoes: 20,
      seed: `${day}`,
      bets: true,
    });
    for (const line of lines) {
      /** @type {{ table: string }} */
      const { table } = JSON.parse(line);
      const records = waiting.get(table);
      records?.push(Buffer.from(line));
      if (table === TABLE) left -= 1;
      if (records && records.length >= 500) await append(log, table, records.splice(0));
      if (left === 0) break;
    }
  }
  for (const [table, records] of waiting) if (records.length > 0) await append(log, table, records);
}

/** @type {(log: PostgresLog, table: string, values: readonly Buffer[]) => Promise<unknown>} */
const append = (log, table, values) =>
  log.append({
    partition: partitionOf(table, log.partitions),
    records: values.map((value) => ({ key: table, value })),
    urgency: 'bulk',
  });

/** Waits until everything is in the rows and sealed. */
async function settled(
  /** @type {PostgresLog} */ log,
  /** @type {PackageRows} */ rows,
  /** @type {SealReader} */ seals,
) {
  const heads = await Promise.all(Array.from({ length: log.partitions }, (_, at) => log.head(at)));
  for (;;) {
    const reached = await Promise.all(heads.map((_, at) => rows.reached(at)));
    const table = await seals.table(TABLE);
    const last = await seals.lastEntry('seal');
    const kept = await seals.checkpoint();
    const head = table && last && (await seals.head(table.number, last.index));
    if (kept && last && kept.size > last.index && head?.size === RECORDS)
      if (reached.every((next, at) => next >= (heads[at] ?? 0))) return;
    await pause(200);
  }
}

/** @type {(values: number[]) => string} */
const shown = (values) => {
  const { median, min, max } = spread(values);
  return `${median.toFixed(0)} ms (${min.toFixed(0)}-${max.toFixed(0)})`;
};

const key = (/** @type {string} */ name) => ({ setting: name, path: join(folder, 'keys', name) });
const keyText = (/** @type {string} */ name) => readFileSync(join(folder, 'keys', name), 'utf8');

try {
  await cluster.start();
  const { url: databaseUrl } = cluster;
  await migrate(databaseUrl);
  await migrateSeal(databaseUrl);
  const log = await PostgresLog.open({ url: databaseUrl, partitions: 2 });
  const book = installedRules();
  await play(log);
  const auditor = await startAuditor({ log, databaseUrl, book, gamingDays: DAYS, journal: SILENT });
  const sealer = await startSealer({
    log,
    databaseUrl,
    settings: {
      site: 'shoeprint.example/bench',
      keyFiles: { log: key('log.key'), safe: key('safe.key'), exports: key('exports.key') },
      tiles: join(folder, 'tiles'),
      rhythm: { everyMs: 1_000, records: 1_000, graceMs: 900_000 },
      sealLeaseMs: 10_000,
      readAgainBytes: 1,
      witnesses: [],
      witnessQuorum: 1,
    },
    gamingDays: DAYS,
    journal: SILENT,
  });
  const rows = await PackageRows.open(databaseUrl);
  const seals = SealReader.open(databaseUrl, sha256);
  await settled(log, rows, seals);
  const judging = { published, sha256, gamingDays };
  /** The rows without places of shoes: looking for a range begins with record 0. */
  /** @type {import('#export').ExportRows} */
  const blind = Object.assign(Object.create(rows), { openingsBefore: async () => [] });
  const verifying = packageReplay({ ...judging, warnings: 'checked' });
  const openings = await rows.openingsBefore(TABLE, Number.MAX_SAFE_INTEGER, 1_000);
  const shoe = openings[Math.floor(openings.length / 4)]?.shoe ?? '';
  console.log(`table ${TABLE}: ${RECORDS} records, ${openings.length} shoes; package of ${shoe}`);
  /** @type {(from: import('#export').ExportRows) => Promise<{ ms: number, size: number }>} */
  const made = async (from) => {
    const began = performance.now();
    const { size } = await makePackage(
      {
        ...{ log, seals, rows: from, sha256, book, gamingDays: DAYS },
        replay: (taker) => packageReplay({ ...judging, warnings: 'made', taker }),
        software: { name: 'shoeprint', version: '0', commit: 'bench', fold: verifying.fold },
        howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
      },
      {
        platform: nodePlatform,
        exportsKey: signerOf(keyText('exports.key')),
        trust: {
          keys: [readVkey(sha256, signerOf(keyText('log.key')).vkey)],
          ...{ checkpoints: [], witnesses: [], quorum: 0 },
        },
        replay: verifying,
      },
      { scope: { kind: 'shoe', table: TABLE, shoe }, since: [], formats: [], asItIs: false },
      {
        ...{ file: join(folder, 'package.zip'), work: join(folder, 'work') },
        progress: () => undefined,
        signal: new AbortController().signal,
      },
    );
    return { ms: performance.now() - began, size };
  };
  /** @type {{ ms: number, size: number }[]} */
  const near = [];
  /** @type {{ ms: number, size: number }[]} */
  const fromZero = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    near.push(await made(rows));
    fromZero.push(await made(blind));
  }
  console.log(`  begun near        ${shown(near.map(({ ms }) => ms))}`);
  console.log(`  from record 0     ${shown(fromZero.map(({ ms }) => ms))}`);
  console.log(`  size              ${((near[0]?.size ?? 0) / 1000).toFixed(0)} kB`);
  await auditor.close();
  await sealer.close();
  await rows.close();
  await seals.close();
  await log.close();
} finally {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
