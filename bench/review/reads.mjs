// Reads of the queue with many findings: pages, counts, and everything about one finding.
import { startServer } from '../server/stack.mjs';
import { cpuFrom, load, othersFrom } from '../server/children.mjs';
import { sum } from '../server/bulk.mjs';
import { manyFindings, people, quantiles } from './floor.mjs';

/** @typedef {import('./person.mjs').Person} Person */

const SCOPE = 20;
const PAGE = 50;
const WARM = 20;
const COUNT = 100;

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

/** @type {(n: number) => string} */
const facetsTo = (n) => `/v1/findings/facets?to=${2100 + n}-01-01`;

/**
 * Measures reads on a server over `log` with that many findings.
 * @param {import('../server/stack.mjs').Machine} machine
 * @param {import('./floor.mjs').ReviewAsked} asked
 */
export async function reads(machine, { log, findings, flags }) {
  const server = await startServer(machine, log, flags);
  const { ids, all, tables } = await manyFindings(server, findings);
  const scope = Array.from({ length: SCOPE }, (_, n) => `R${n * 7}`);
  const [whole, some] = await people(server, [['*'], scope]);
  if (!whole || !some) throw new Error('nobody reads');
  console.log(`reads | ${log} | ${all} findings of ${tables} tables, ${ids.length} of them played`);
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
  // counts are kept for a second, and these filters differ in nothing that selects
  await measured('facets, none of them kept', 250, whole, (n) => facetsTo(n));
  await measured('facets', 250, whole, () => '/v1/findings/facets');
  await measured(`facets, in a scope of ${SCOPE} tables`, 250, some, () => '/v1/findings/facets');
  await measured('one finding', 60, whole, (n) => `/v1/findings/${ids[(n * 37) % ids.length]}`);
  console.log(`  others ${others(sum(cpu()))} % of the machine`);
  for (const person of [whole, some]) person.close();
  await server.stop();
}
