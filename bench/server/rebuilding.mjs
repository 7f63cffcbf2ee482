// A process that reads the whole log from its beginning: to rebuild the rows, or to put the events
// into a table with JSON.parse and unnest.
import { rebuildRows } from '#auditor';
import { openLog } from '#event-log';
import { Environment } from '#process';
import { installedRules } from '#rule-folder';
import { storeSettings } from '#server';
import pg from 'pg';
import { clock } from '../measure.mjs';

const ROWS = 1000;
const DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];

/** @typedef {{ what: 'rebuild' | 'parse', env: Record<string, string> }} RebuildOrder */
/**
 * How long it took, when each phase began, and whether the rebuilt rows were the same.
 * @typedef {{ ms: number, phases: Readonly<Record<string, number>>, swapped: boolean }} RebuildDone
 */

/** @type {(log: import('#event-log').EventLog, databaseUrl: string) => Promise<RebuildDone>} */
async function rebuild(log, databaseUrl) {
  /** @type {Record<string, number>} */
  const phases = {};
  const began = clock();
  const { swapped } = await rebuildRows({
    log,
    databaseUrl,
    book: installedRules(),
    gamingDays: DAYS,
    progress: ({ phase }) => void (phases[phase] ??= clock() - began),
  });
  return { ms: clock() - began, phases, swapped };
}

const INSERT = `insert into parsed_event select * from unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[])`;

/**
 * Yields one row for each event of a partition.
 * @param {import('#event-log').EventLog} log
 * @param {number} partition
 */
async function* parsedRows(log, partition) {
  const head = await log.head(partition);
  for (let next = 0; next < head;) {
    const records = await log.read(partition, next, 4 * 1024 * 1024);
    for (const { offset, value } of records) {
      const lines = Buffer.from(value.buffer, value.byteOffset, value.length).toString('utf8');
      for (const [line, text] of lines.split('\n').entries()) {
        const { type, source, id, time, table } = JSON.parse(text);
        yield [partition, offset, line, type, source, id, time, table];
      }
    }
    next += records.length;
  }
}

/** @type {(log: import('#event-log').EventLog, databaseUrl: string) => Promise<RebuildDone>} */
async function parseAndUnnest(log, databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('drop table if exists parsed_event');
  await client.query(
    `create table parsed_event (partition int, "offset" bigint, line int, type text, source text, id text, time timestamptz, "table" text, primary key (partition, "offset", line))`,
  );
  const began = clock();
  /** @type {unknown[][]} */
  let rows = [];
  const flush = async () => {
    const values = Array.from({ length: 8 }, (_, column) => rows.map((row) => row[column]));
    await client.query({ name: 'insert', text: INSERT, values });
    rows = [];
  };
  for (let partition = 0; partition < log.partitions; partition += 1) {
    for await (const row of parsedRows(log, partition)) {
      rows.push(row);
      if (rows.length >= ROWS) await flush();
    }
  }
  await flush();
  const ms = clock() - began;
  await client.query('drop table parsed_event');
  await client.end();
  return { ms, phases: {}, swapped: false };
}

/** @param {RebuildOrder} order */
async function work({ what, env }) {
  const log = await openLog(storeSettings(new Environment(env)).log);
  const run = what === 'rebuild' ? rebuild : parseAndUnnest;
  process.send?.(await run(log, env.DATABASE_URL ?? ''));
  await log.close();
  process.disconnect();
}

process.once('message', (/** @type {RebuildOrder} */ order) => void work(order));
