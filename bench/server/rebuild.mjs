// Compares a rebuild of all rows with PostgreSQL copying the same rows in from files of its own,
// and with JSON.parse and unnest.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clock, letGo, load, spread, started } from './children.mjs';
import { filled } from './chain.mjs';
import { connected } from './stack.mjs';

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

async function writeFiles(client, dir) {
  for (const name of TABLES)
    await client.query(`copy rows.${name} to '${join(dir, name)}' (format binary)`);
}

/** Copies into tables with the same keys and indexes, in one transaction a connection. */
async function copyIn(databaseUrl, dir) {
  const clients = await Promise.all(SHARES.map(() => connected(databaseUrl)));
  const [client] = clients;
  await client.query('create schema copied');
  for (const name of TABLES)
    await client.query(`create table copied.${name} (like rows.${name} including all)`);
  const began = clock();
  await Promise.all(
    SHARES.map(async (names, i) => {
      await clients[i].query('begin');
      for (const name of names)
        await clients[i].query(`copy copied.${name} from '${join(dir, name)}' (format binary)`);
      await clients[i].query('commit');
    }),
  );
  const ms = clock() - began;
  await client.query('drop schema copied cascade');
  await Promise.all(clients.map((each) => each.end()));
  return ms;
}

async function work(what, env) {
  const { child, first } = await started('rebuilding.mjs', { what, env });
  letGo(child);
  return first;
}

export async function rebuild(machine, { log, events, rounds, until }) {
  const { server, data } = await filled(machine, log, events);
  const dir = join(machine.dir, 'pgdata', 'rows-to-copy');
  mkdirSync(dir, { recursive: true });
  const client = await connected(server.databaseUrl);
  await writeFiles(client, dir);
  await client.end();
  const toCopy = [];
  const toParse = [];
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    const copied = await copyIn(server.databaseUrl, dir);
    const { ms, phases, swapped } = await work('rebuild', server.env);
    if (!swapped) throw new Error('the rebuilt rows differ');
    const parsed = await work('parse', server.env);
    const folding = phases.comparing ?? ms;
    const rate = (each) => `${Math.round((data.events / each) * 1000)} events/s`;
    console.log(
      `  rebuild ${log}: made ${rate(folding)}, with comparing and swapping ${rate(ms)}; COPY of files ${rate(copied)}; JSON.parse and unnest of events ${rate(parsed.ms)}; load ${load()}`,
    );
    toCopy.push(copied / folding);
    toParse.push(parsed.ms / folding);
  }
  await server.stop();
  for (const [name, ratios] of [
    ['COPY of ready-made files', toCopy],
    ['JSON.parse and unnest', toParse],
  ]) {
    const { min, median, max } = spread(ratios);
    console.log(
      `rebuild | ${log} | speed as a share of ${name} | ${min.toFixed(2)} - **${median.toFixed(2)}** - ${max.toFixed(2)}`,
    );
  }
}
