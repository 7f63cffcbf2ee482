// Reads of the queue with many findings: pages, counts, and everything about one finding.
import { connected, startServer } from '../server/stack.mjs';
import { cpuFrom, load, othersFrom } from '../server/children.mjs';
import { sum } from '../server/bulk.mjs';
import { people, playFaulty, quantiles } from './floor.mjs';

/** @typedef {import('./person.mjs').Person} Person */

const TABLES = 600;
/** Findings of each table that were raised by its events. The others are copies of them. */
const FAULTS = 8;
const COUPS = 10;
const SCOPE = 20;
const PAGE = 50;
const WARM = 20;
const COUNT = 100;

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
 * Reads paths one after another and prints how long each took.
 * @param {string} name
 * @param {number} aimMs
 * @param {Person} person
 * @param {(n: number) => string} path
 */
async function measured(name, aimMs, person, path) {
  const times = [];
  for (let n = 0; n < WARM + COUNT; n += 1) {
    const { ms } = await person.get(path(n));
    if (n >= WARM) times.push(ms);
  }
  const { p95, text } = quantiles(times);
  console.log(
    `reads | ${name} | ${text} | aim p95 ${aimMs} ms: ${p95 <= aimMs ? 'reached' : 'not reached'} | load ${load()}`,
  );
}

/**
 * Returns the cursor of a page that lies so many findings deep in the queue.
 * @param {Person} person
 * @param {number} findings
 */
async function deep(person, findings) {
  let cursor = '';
  for (let at = 0; at < findings; at += 1000) {
    const { body } = await person.get(
      `/v1/findings?order=queue&limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (typeof body.next !== 'string') throw new Error(`the queue ends after ${at} findings`);
    cursor = body.next;
  }
  return encodeURIComponent(cursor);
}

/**
 * Measures reads on a server over `log` with that many findings.
 * @param {import('../server/stack.mjs').Machine} machine
 * @param {import('./floor.mjs').ReviewAsked} asked
 */
export async function reads(machine, { log, findings, flags }) {
  const server = await startServer(machine, log, flags);
  const ids = await playFaulty(server, { tables: TABLES, faults: FAULTS, coups: COUPS });
  const all = await copy(server.databaseUrl, findings);
  const scope = Array.from({ length: SCOPE }, (_, n) => `R${n * 7}`);
  const [whole, some] = await people(server, [['*'], scope]);
  if (!whole || !some) throw new Error('nobody reads');
  console.log(`reads | ${log} | ${all} findings of ${TABLES} tables, ${ids.length} of them played`);
  const cpu = cpuFrom(server.pids);
  const others = othersFrom();
  const queue = `/v1/findings?order=queue&limit=${PAGE}`;
  const cursor = await deep(whole, Math.floor(all / 2));
  await measured('queue, first page', 30, whole, () => queue);
  await measured(
    `queue, ${Math.floor(all / 2)} deep`,
    30,
    whole,
    () => `${queue}&cursor=${cursor}`,
  );
  await measured(`queue, in a scope of ${SCOPE} tables`, 30, some, () => queue);
  await measured('facets', 250, whole, () => '/v1/findings/facets');
  await measured(`facets, in a scope of ${SCOPE} tables`, 250, some, () => '/v1/findings/facets');
  await measured('one finding', 60, whole, (n) => `/v1/findings/${ids[(n * 37) % ids.length]}`);
  console.log(`  others ${others(sum(cpu()))} % of the machine`);
  for (const person of [whole, some]) person.close();
  await server.stop();
}
