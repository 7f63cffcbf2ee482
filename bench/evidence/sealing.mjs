// Measures what sealing costs: `node bench/evidence/sealing.mjs [bulk | first]`, after a build.
// bulk: a load of files without and with the sealer, by turns, over each log.
// first: the first sealing of a log in PostgreSQL that is there already, one event a record; the
// sealer is killed in the middle. Prints the bytes of the schema `seal` for each record too.
// Options: --logs kafka,postgres --rounds n --events n (bulk), --records n (first)
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { simulateTables } from '#audit';
import { partitionOf, PostgresLog } from '#event-log';
import { installedRules, rulesNamed } from '#rule-folder';
import { migrateSeal } from '#seal-store';
import { shown } from '../measure.mjs';
import { bulkRound, costs, files, sum } from '../server/bulk.mjs';
import { cpuFrom, load, othersFrom } from '../server/children.mjs';
import { connected, logNamed, startMachine } from '../server/stack.mjs';
import { startSealer } from './sealer.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    logs: { type: 'string', default: 'postgres,kafka' },
    rounds: { type: 'string', default: '3' },
    events: { type: 'string', default: '500000' },
    records: { type: 'string', default: '1000000' },
  },
});
const logs = values.logs.split(',').map(logNamed);
const wants = (/** @type {string} */ part) =>
  positionals.length === 0 || positionals.includes(part);

/** @typedef {import('../server/stack.mjs').Machine} Machine */

/** @type {(machine: Machine) => Promise<void>} */
async function bulk(machine) {
  const data = await files(machine.dir, Number(values.events), true);
  for (const log of logs) {
    /** @type {{ taken: number, visible: number }[]} */
    const ratios = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const without = await bulkRound(machine, log, data);
      console.log(`  without ${log}: ${without.line}`);
      const withSealer = await bulkRound(machine, log, data, {
        beside: {
          sealer: (server) => startSealer(server.env, join(machine.dir, `keys-${log}-${round}`)),
        },
      });
      console.log(`  with ${log}: ${withSealer.line}`);
      ratios.push({
        taken: withSealer.takenPerSecond / without.takenPerSecond,
        visible: withSealer.perSecond / without.perSecond,
      });
    }
    console.log(
      `bulk | ${log} | ${data.events} events with bets | with / without the sealer: taken ${shown(
        ratios.map(({ taken }) => taken),
        2,
      )}, visible ${shown(
        ratios.map(({ visible }) => visible),
        2,
      )}`,
    );
  }
}

const TABLES = Array.from({ length: 60 }, (_, at) => `B${at}`);
const PARTITIONS = 16;
/** Records of one append. */
const APPEND = 2_000;

/**
 * Appends events of 60 tables, each as a record of its own.
 * @param {string} url
 * @param {number} count
 */
async function fill(url, count) {
  const log = await PostgresLog.open({ url, partitions: PARTITIONS });
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  /** @type {Map<number, { key: string, value: Buffer }[]>} */
  const waiting = new Map();
  const append = (
    /** @type {number} */ partition,
    /** @type {{ key: string, value: Buffer }[]} */ records,
  ) => log.append({ partition, records, urgency: 'bulk' });
  let left = count;
  for (let day = 0; left > 0; day += 1) {
    const game = { rules, tables: TABLES, shoes: 20, seed: `${day}`, bets: true };
    for (const line of simulateTables(game).lines) {
      /** @type {{ table: string }} */
      const { table: key } = JSON.parse(line);
      const partition = partitionOf(key, PARTITIONS);
      const records = waiting.get(partition) ?? [];
      waiting.set(partition, records);
      records.push({ key, value: Buffer.from(line) });
      if (records.length >= APPEND) await append(partition, records.splice(0));
      left -= 1;
      if (left === 0) break;
    }
  }
  for (const [partition, records] of waiting)
    if (records.length > 0) await append(partition, records);
  await log.close();
}

/**
 * Returns a function that resolves once so many records are hashed, or sealed.
 * @param {import('pg').Client} client
 */
const reaching =
  (client) => async (/** @type {'hashed' | 'sealed'} */ what, /** @type {number} */ count) => {
    const query =
      what === 'hashed'
        ? 'select coalesce(sum(next), 0)::text as count from seal.position'
        : `select coalesce(sum(size), 0)::text as count from (
           select distinct on (g.number) g.size from seal.grown g
           order by g.number, g.seal desc) last`;
    for (;;) {
      /** @type {{ rows: { count: string }[] }} */
      const { rows } = await client.query(query).catch(() => ({ rows: [{ count: '0' }] }));
      if (Number(rows[0]?.count) >= count) return;
      await pause(100);
    }
  };

/** The bytes of the schema `seal`. @type {(client: import('pg').Client) => Promise<number>} */
async function sealBytes(client) {
  await client.query('vacuum full');
  /** @type {import('pg').QueryResult<{ bytes: string }>} */
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(c.oid))::text as bytes from pg_class c
     join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'seal' and c.relkind = 'r'`,
  );
  return Number(rows[0]?.bytes);
}

/** @type {(from: number, to: number) => string} */
const secondsOf = (from, to) => `${((to - from) / 1_000).toFixed(1)} s`;

/**
 * Seals a log, kills the sealer when half of it is hashed, and lets another one go on.
 * @param {Machine} machine
 * @param {string} url
 * @param {import('pg').Client} client
 */
async function sealed(machine, url, client) {
  const count = Number(values.records);
  const until = reaching(client);
  const env = {
    ...{ DATABASE_URL: url, SHOEPRINT_LOG: 'postgres', SHOEPRINT_SEAL_LEASE_MS: '10000' },
    SHOEPRINT_PARTITIONS: String(PARTITIONS),
    SHOEPRINT_SEAL_SECONDS: '2', // the last records make no full seal
  };
  const folder = join(machine.dir, 'keys-first');
  const began = performance.now();
  const killed = await startSealer(env, folder);
  const others = othersFrom();
  const before = cpuFrom({ sealer: killed.pid, ...machine.pids });
  await until('hashed', count / 2);
  const used = before();
  const foreign = others(sum(used));
  await killed.end('SIGKILL');
  const again = performance.now();
  const sealer = await startSealer(env, folder);
  await until('hashed', count);
  const hashed = performance.now();
  await until('sealed', count);
  const times = `half of them in ${secondsOf(began, again)}, killed, the rest in ${secondsOf(again, hashed)} with the wait for the lease, sealed after ${secondsOf(again, performance.now())}`;
  await sealer.end();
  return `${times} | ${costs(used, count / 2)} | load ${load()}, others had ${foreign} % of the machine`;
}

/** @type {(machine: Machine) => Promise<void>} */
async function first(machine) {
  const count = Number(values.records);
  const url = await machine.database();
  await fill(url, count);
  await migrateSeal(url);
  const client = await connected(url);
  const line = await sealed(machine, url, client);
  const bytes = (await sealBytes(client)) / count;
  console.log(
    `first | ${count} records of one event, ${TABLES.length} tables | ${line} | ${bytes.toFixed(1)} bytes a record`,
  );
  await client.end();
  await machine.drop(url);
}

const machine = await startMachine({ kafka: wants('bulk') && logs.includes('kafka') });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine.stop().finally(() => process.exit(1)));
try {
  if (wants('bulk')) await bulk(machine);
  if (wants('first')) await first(machine);
} finally {
  await machine.stop();
}
