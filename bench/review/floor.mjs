// A server whose tables have findings, and people who review them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulate } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { quantile } from '../measure.mjs';
import { reached } from '../server/bulk.mjs';
import { asked, letGo, started } from '../server/children.mjs';
import { sessions } from '../server/sessions.mjs';
import { connected } from '../server/stack.mjs';
import { Person } from './person.mjs';

/** @typedef {import('../server/stack.mjs').Server} Server */
/**
 * The log of the server, how many findings are wanted, and the flags of its programs.
 * @typedef {object} ReviewAsked
 * @property {import('../server/stack.mjs').LogName} log
 * @property {number} findings
 * @property {import('../server/stack.mjs').Flags} flags
 */

/** A wrong outcome in a coup. Every coup can have it, and it raises one finding. */
const FAULT = 'RS-01';
/** How many connections send the tables. */
const FILES = 4;

/**
 * Returns the lines of one shoe of a table with a fault in each of its first coups.
 * @param {string} table
 * @param {number} faults
 * @param {number} [coups] how many coups are played; by default, the whole shoe
 */
export function faultyShoe(table, faults, coups = Infinity) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const names = Array.from({ length: faults }, (_, n) => `${FAULT}@1/${n + 1}`);
  const lines = [];
  let closed = 0;
  for (const line of simulate({ rules, seed: table, shoes: 1, table, faults: names }).lines) {
    lines.push(line);
    if (line.includes('shoeprint.coup-closed.')) closed += 1;
    if (closed === coups) break;
  }
  return lines;
}

/**
 * Plays a shoe at each table, with a fault in each of its first coups. Resolves with the ids of the
 * findings, once the rows have them.
 * @param {Server} server
 * @param {{ tables: number, faults: number, coups?: number }} asked
 */
export async function playFaulty(server, { tables, faults, coups }) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const count = Math.min(FILES, tables);
  const all = Array.from({ length: count }, () => /** @type {string[]} */ ([]));
  for (let t = 0; t < tables; t += 1)
    all[t % count]?.push(...faultyShoe(`R${t}`, faults, coups), '');
  const files = all.map((lines, n) => {
    const file = join(dir, `${n}.ndjson`);
    writeFileSync(file, lines.filter((line) => line !== '').join('\n') + '\n');
    return file;
  });
  const sender = await started('bulk-sender', { port: server.port, token: server.token, files });
  const { heads } = await asked(sender);
  await reached(server.databaseUrl, heads);
  letGo(sender);
  rmSync(dir, { recursive: true, force: true });
  const client = await connected(server.databaseUrl);
  /** @type {{ rows: { id: string }[] }} */
  const { rows } = await client.query('select id from rows.finding order by raised_at, id');
  await client.query('vacuum analyze');
  await client.end();
  return rows.map(({ id }) => id);
}

/** The tables of many findings. */
const TABLES = 600;
/** Findings of each table that were raised by its events. The others are copies of them. */
const FAULTS = 8;
const COUPS = 10;

/**
 * Copies the findings until there are `findings`, under other ids and raised a minute later for
 * each, and rules on every third.
 * @param {string} databaseUrl
 * @param {number} findings
 */
async function copy(databaseUrl, findings) {
  const client = await connected(databaseUrl);
  /** @type {{ rows: { name: string }[] }} */
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns
     where table_schema = 'rows' and table_name = 'finding' order by ordinal_position`,
  );
  const copies = Math.ceil(findings / (TABLES * FAULTS)) - 1;
  const made = /** @type {Record<string, string>} */ ({
    id: 'made.id',
    raised_at: `f.raised_at + n * interval '1 minute'`,
    body: `replace(f.body::text, f.id, made.id)::json`,
    review: `case when n % 3 = 0 then 'ruled' else f.review end`,
  });
  const names = rows.map(({ name }) => `"${name}"`);
  const values = rows.map(({ name }) => made[name] ?? `f."${name}"`);
  await client.query(
    `insert into rows.finding (${names.join(', ')})
     select ${values.join(', ')} from rows.finding f, generate_series(1, ${copies}) n,
       lateral (select md5(f.id || '/' || n) as id) made`,
  );
  await client.query('vacuum analyze');
  /** @type {{ rows: { n: number }[] }} */
  const counted = await client.query('select count(*)::integer as n from rows.finding');
  await client.end();
  return counted.rows[0]?.n ?? 0;
}

/**
 * Plays tables with findings, and copies those until there are so many. Resolves with the ids of
 * the played ones, how many there are in all, and at how many tables.
 * @param {Server} server
 * @param {number} findings
 */
export async function manyFindings(server, findings) {
  const ids = await playFaulty(server, { tables: TABLES, faults: FAULTS, coups: COUPS });
  const all = await copy(server.databaseUrl, findings);
  return { ids, all, tables: TABLES };
}

/**
 * Makes people who review findings.
 * @param {Server} server
 * @param {readonly (readonly string[])[]} tables the tables that each sees
 */
export async function people(server, tables) {
  const tokens = await sessions(
    server.databaseUrl,
    tables.map((each) => ({ roles: ['pit-boss'], tables: [...each] })),
  );
  return tokens.map((token) => new Person(server.port, token));
}

/**
 * Returns p50, p95, p99 and the greatest of some values, in words.
 * @param {readonly number[]} times
 * @param {string} unit
 */
export function quantiles(times, unit = 'ms') {
  const sorted = Float64Array.from(times).sort();
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((q) => quantile(sorted, q));
  return {
    p95: p95 ?? NaN,
    max: max ?? NaN,
    text: `p50/p95/p99/max ${[p50, p95, p99, max].map((ms) => ms?.toFixed(1)).join(' / ')} ${unit} of ${sorted.length}`,
  };
}
