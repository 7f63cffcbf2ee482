// Measures taking events in over HTTP, as far as the log's queue. Compares by turns, each in a
// process of its own, and reports the median of the rounds' ratios:
// - the whole api (identity, every check of form, stamps, metrics),
// - bare Fastify with the same rules as an ajv schema,
// - bare Fastify with a schema of the attributes alone,
// - node:http with JSON.parse and a guard.
// `npm run build && node bench/ingest.mjs [rounds] [ms a turn]`; about four minutes. On a machine
// that others use too, the processor time of a request is more reliable than the clock. Both are
// printed.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { simulate } from '#audit';
import { installedRules } from '#rule-folder';
import { EmbeddedCluster } from '../dist/apps/standalone/src/postgres/embedded-cluster.js';
import { load, post } from './ingest/load.mjs';

const ROUNDS = Number(process.argv[2] ?? 9);
const TURN_MS = Number(process.argv[3] ?? 1500);
const KINDS = ['shoeprint', 'fastify', 'light', 'node'];

const spread = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted.at(-1) };
};

async function simulated(count) {
  const rules = (await installedRules([])).get('punto-banco@1');
  const { lines } = simulate({ rules, seed: 'bench', shoes: 20, bets: true });
  const some = [];
  for (const line of lines) if (some.push(line) === count) break;
  return some;
}

/**
 * Returns what is sent: for each shape, the path at the bare servers, media type, body, connections
 * and events.
 */
async function shapes() {
  const lines = await simulated(1100);
  const game = lines.slice(100);
  return [
    {
      name: 'single',
      events: 1,
      path: '/one',
      type: 'application/cloudevents+json',
      body: game.find((line) => line.includes('card-drawn')),
      connections: 64,
    },
    {
      name: 'batch of 100',
      events: 100,
      path: '/many',
      type: 'application/cloudevents-batch+json',
      body: `[${game.slice(0, 100).join(',')}]`,
      connections: 32,
    },
    {
      name: 'lines x1000',
      events: 1000,
      path: '/many',
      type: 'application/x-ndjson',
      body: `${game.join('\n')}\n`,
      connections: 8,
    },
  ];
}

const server = (kind, url) =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('ingest/server.mjs', import.meta.url)), [kind, url]);
    child.once('message', (message) => resolve({ kind, child, ...message }));
    child.once('exit', (code) => reject(new Error(`the server ${kind} ended with ${code}`)));
  });

/** Returns the processor time of a server so far, in µs. */
const cpuOf = (child) =>
  new Promise((resolve) => {
    child.once('message', resolve);
    child.send('cpu');
  });

async function turn({ kind, port, token, child }, { path, type, body, connections }, ms) {
  const request =
    kind === 'shoeprint'
      ? post('/v1/events', type, body, { Authorization: `Bearer ${token}` })
      : post(path, type, body);
  const before = await cpuOf(child);
  const found = await load({ port, request, connections, ms });
  return { ...found, cpuUs: ((await cpuOf(child)) - before) / found.answers };
}

async function compare(servers, shape) {
  for (const one of servers) await turn(one, shape, 2 * TURN_MS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = {};
    for (let i = 0; i < servers.length; i += 1) {
      const one = servers[(round + i) % servers.length];
      found[one.kind] = await turn(one, shape, TURN_MS);
    }
    rounds.push(found);
  }
  console.log(
    `\n${shape.name}: ${shape.body.length} bytes a request, ${shape.connections} connections`,
  );
  console.log(
    '| server | events/s, median (min-max) | p99 ms | to fastify, median (min-max) | to node | processor µs a request | to fastify |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const { kind } of servers) {
    const rate = spread(rounds.map((found) => found[kind].perSecond * shape.events));
    const ratio = (to) =>
      spread(rounds.map((found) => found[kind].perSecond / found[to].perSecond));
    const [a, b] = [ratio('fastify'), ratio('node')];
    const cpu = spread(rounds.map((found) => found[kind].cpuUs));
    const cpuRatio = spread(rounds.map((found) => found.fastify.cpuUs / found[kind].cpuUs));
    const p99 = spread(rounds.map((found) => found[kind].p99));
    console.log(
      `| ${kind} | ${[rate.median, rate.min, rate.max].map((n) => Math.round(n).toLocaleString('en')).join(' / ')} | ${p99.median.toFixed(1)} | ${a.median.toFixed(2)} (${a.min.toFixed(2)}-${a.max.toFixed(2)}) | ${b.median.toFixed(2)} (${b.min.toFixed(2)}-${b.max.toFixed(2)}) | ${cpu.median.toFixed(0)} (${cpu.min.toFixed(0)}-${cpu.max.toFixed(0)}) | ${cpuRatio.median.toFixed(2)} (${cpuRatio.min.toFixed(2)}-${cpuRatio.max.toFixed(2)}) |`,
    );
  }
}

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-pg-'));
const cluster = new EmbeddedCluster({ dir, database: 'shoeprint', ephemeral: true });
await cluster.start();
const servers = [];
try {
  for (const kind of KINDS) servers.push(await server(kind, cluster.url));
  for (const shape of await shapes()) await compare(servers, shape);
} finally {
  for (const { child } of servers) {
    child.removeAllListeners('exit');
    child.disconnect();
  }
  await cluster.stop();
  rmSync(dir, { recursive: true, force: true });
}
