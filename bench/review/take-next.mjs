// Twenty people who take the next finding until none is left: each must be handed out once.
import { cpuFrom, load, othersFrom } from '../server/children.mjs';
import { sum } from '../server/bulk.mjs';
import { connected, startServer } from '../server/stack.mjs';
import { people, playFaulty, quantiles } from './floor.mjs';

const CLIENTS = 20;
const FAULTS = 40;

/**
 * What a person was handed, and how long each was waited for, with every repeat.
 * @typedef {{ id: string, ms: number }[]} Handed
 */

/**
 * Takes findings until none is left.
 * @param {import('./person.mjs').Person} person
 * @param {{ contended: number, pending: number }} counts
 */
async function drain(person, counts) {
  /** @type {Handed} */
  const handed = [];
  for (let waited = 0; ;) {
    const { status, body, ms } = await person.command('take-next', undefined, [200, 202, 204, 503]);
    if (status === 204) return handed;
    waited += ms;
    if (status === 503) {
      counts.contended += 1;
      continue;
    }
    if (status === 202) counts.pending += 1;
    handed.push({ id: body.finding, ms: waited });
    waited = 0;
  }
}

/**
 * Drains a queue on a server over `log`. Throws if a finding was handed out twice or never.
 * @param {import('../server/stack.mjs').Machine} machine
 * @param {import('./floor.mjs').ReviewAsked} asked
 */
export async function takeNext(machine, { log, findings, flags }) {
  const server = await startServer(machine, log, flags);
  const ids = await playFaulty(server, { tables: Math.ceil(findings / FAULTS), faults: FAULTS });
  const all = await people(
    server,
    Array.from({ length: CLIENTS }, () => ['*']),
  );
  const cpu = cpuFrom(server.pids);
  const others = othersFrom();
  const from = performance.now();
  const counts = { contended: 0, pending: 0 };
  const handed = (await Promise.all(all.map((person) => drain(person, counts)))).flat();
  const seconds = (performance.now() - from) / 1000;
  const used = cpu();
  const once = new Set(handed.map(({ id }) => id));
  if (handed.length !== ids.length || ids.some((id) => !once.has(id)))
    throw new Error(
      `${ids.length} findings, ${handed.length} handed out, ${once.size} of them different`,
    );
  const client = await connected(server.databaseUrl);
  /** @type {{ rows: { outcome: string, n: number }[] }} */
  const { rows } = await client.query(
    `select outcome, count(*)::integer as n from rows.review_event group by outcome`,
  );
  await client.end();
  const { p95, max, text } = quantiles(handed.map(({ ms }) => ms));
  const spent = Object.entries(used).map(
    ([name, ms]) => `${name} ${(ms / handed.length).toFixed(2)}`,
  );
  console.log(
    `take-next | ${log} | ${handed.length} findings to ${CLIENTS} clients, each once, in ${seconds.toFixed(1)} s | ${text} | aim p95 300 ms: ${p95 <= 300 ? 'reached' : 'not reached'}, 2 s at most: ${max <= 2000 ? 'reached' : 'not reached'} | ${counts.contended} times contended, ${counts.pending} pending, acts ${rows.map(({ outcome, n }) => `${outcome} ${n}`).join(', ')} | processor ms a finding: ${spent.join(', ')} | others ${others(sum(used))} % of the machine, load ${load()}`,
  );
  for (const person of all) person.close();
  await server.stop();
}
