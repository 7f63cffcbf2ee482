// Compares a rebuild of all rows with PostgreSQL copying the same rows in from files of its own,
// and with JSON.parse and unnest.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clock, spread } from '../measure.mjs';
import { filled } from './chain.mjs';
import { load, ran } from './children.mjs';
import { connected } from './stack.mjs';

/** @typedef {import('./stack.mjs').LogName} LogName */

const TABLES = [
  'position',
  'table_state',
  'shoe',
  'coup',
  'finding',
  'unjudgeable',
  'ledger',
  'commission',
  'dealt',
  'bet_total',
  'device',
];
/** Two connections, for two cores: the coups on one, the rest on the other. */
const SHARES = [['coup'], TABLES.filter((name) => name !== 'coup')];

/** @type {(client: import('pg').Client, dir: string) => Promise<void>} */
async function writeFiles(client, dir) {
  for (const name of TABLES)
    await client.query(`copy rows.${name} to '${join(dir, name)}' (format binary)`);
}

/**
 * Copies into tables with the same keys and indexes, in one transaction a connection. Returns how
 * long it took, in ms.
 * @param {string} databaseUrl
 * @param {string} dir
 */
async function copyIn(databaseUrl, dir) {
  const client = await connected(databaseUrl);
  await client.query('create schema copied');
  for (const name of TABLES)
    await client.query(`create table copied.${name} (like rows.${name} including all)`);
  const clients = await Promise.all(
    SHARES.map(async (names) => ({ names, own: await connected(databaseUrl) })),
  );
  const began = clock();
  await Promise.all(
    clients.map(async ({ names, own }) => {
      await own.query('begin');
      for (const name of names)
        await own.query(`copy copied.${name} from '${join(dir, name)}' (format binary)`);
      await own.query('commit');
    }),
  );
  const ms = clock() - began;
  await client.query('drop schema copied cascade');
  await Promise.all([client, ...clients.map(({ own }) => own)].map((each) => each.end()));
  return ms;
}

/**
 * Compares a rebuild with both, by turns.
 * @param {import('./stack.mjs').Machine} machine
 * @param {{ log: LogName, events: number, rounds: number, until: number }} asked
 */
export async function rebuild(machine, { log, events, rounds, until }) {
  const { server, data } = await filled(machine, log, events);
  const dir = join(machine.dir, 'pgdata', 'rows-to-copy');
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o777); // PostgreSQL writes there, and is not root
  const client = await connected(server.databaseUrl);
  await writeFiles(client, dir);
  await client.end();
  const toCopy = [];
  const toParse = [];
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    const copied = await copyIn(server.databaseUrl, dir);
    const { ms, phases, swapped } = await ran('rebuilding', { what: 'rebuild', env: server.env });
    if (!swapped) throw new Error('the rebuilt rows differ');
    const parsed = await ran('rebuilding', { what: 'parse', env: server.env });
    const folding = phases.comparing ?? ms;
    const rate = (/** @type {number} */ each) =>
      `${Math.round((data.events / each) * 1000)} events/s`;
    console.log(
      `  rebuild ${log}: made ${rate(folding)}, with comparing and swapping ${rate(ms)}; COPY of files ${rate(copied)}; JSON.parse and unnest of events ${rate(parsed.ms)}; load ${load()}`,
    );
    toCopy.push(copied / folding);
    toParse.push(parsed.ms / folding);
  }
  await server.stop();
  for (const [name, ratios] of Object.entries({
    'COPY of ready-made files': toCopy,
    'JSON.parse and unnest': toParse,
  })) {
    const { min, median, max } = spread(ratios);
    console.log(
      `rebuild | ${log} | speed as a share of ${name} | ${min.toFixed(2)} - **${median.toFixed(2)}** - ${max.toFixed(2)}`,
    );
  }
}
