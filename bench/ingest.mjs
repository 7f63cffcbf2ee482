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
import { installedRules, rulesNamed } from '#rule-folder';
import { EmbeddedCluster } from '#built/apps/standalone/src/postgres/embedded-cluster';
import { load, post } from './ingest/load.mjs';
import { spread } from './measure.mjs';

const ROUNDS = Number(process.argv[2] ?? 9);
const TURN_MS = Number(process.argv[3] ?? 1500);
const KINDS = /** @type {const} */ (['shoeprint', 'fastify', 'light', 'node']);

/** @typedef {typeof KINDS[number]} Kind */
/** @typedef {{ kind: Kind, child: import('node:child_process').ChildProcess, port: number, token?: string }} Server */
/** @typedef {{ name: string, events: number, path: string, type: string, body: string, connections: number }} Shape */
/** @typedef {{ perSecond: number, p99: number, cpuUs: number }} Turn */
/** @typedef {import('./measure.mjs').Spread} Spread */

/** @type {(count: number) => string[]} */
function simulated(count) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const { lines } = simulate({ rules, seed: 'bench', shoes: 20, bets: true });
  const some = [];
  for (const line of lines) if (some.push(line) === count) break;
  return some;
}

/**
 * Returns what is sent: for each shape, the path at the bare servers, media type, body, connections
 * and events.
 * @returns {Shape[]}
 */
function shapes() {
  const lines = simulated(1100);
  const game = lines.slice(100);
  return [
    {
      name: 'single',
      events: 1,
      path: '/one',
      type: 'application/cloudevents+json',
      body: game.find((line) => line.includes('card-drawn')) ?? '',
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

/** @type {(kind: Kind, url: string) => Promise<Server>} */
const server = (kind, url) =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('ingest/server.mjs', import.meta.url)), [kind, url]);
    child.once('message', (message) =>
      resolve({ kind, child, .../** @type {{ port: number, token?: string }} */ (message) }),
    );
    child.once('exit', (code) => reject(new Error(`the server ${kind} ended with ${code}`)));
  });

/**
 * Returns the processor time of a server so far, in µs.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
const cpuOf = (child) =>
  new Promise((resolve) => {
    child.once('message', (us) => resolve(Number(us)));
    child.send('cpu');
  });

/** @type {(server: Server, shape: Shape, ms: number) => Promise<Turn>} */
async function turn({ kind, port, token, child }, { path, type, body, connections }, ms) {
  const request =
    kind === 'shoeprint'
      ? post('/v1/events', type, body, { Authorization: `Bearer ${token}` })
      : post(path, type, body);
  const before = await cpuOf(child);
  const found = await load({ port, request, connections, ms });
  return { ...found, cpuUs: ((await cpuOf(child)) - before) / found.answers };
}

/**
 * Measures each server in turn, in an order that changes from round to round.
 * @param {readonly Server[]} servers
 * @param {Shape} shape
 */
async function measured(servers, shape) {
  for (const one of servers) await turn(one, shape, 2 * TURN_MS);
  /** @type {Record<Kind, Turn>[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = round % servers.length;
    /** @type {Partial<Record<Kind, Turn>>} */
    const found = {};
    for (const one of [...servers.slice(at), ...servers.slice(0, at)])
      found[one.kind] = await turn(one, shape, TURN_MS);
    rounds.push(/** @type {Record<Kind, Turn>} */ (found));
  }
  return rounds;
}

/** @type {(values: Spread, digits: number) => string} */
const shown = ({ median, min, max }, digits) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;

/** @type {(servers: readonly Server[], shape: Shape) => Promise<void>} */
async function compare(servers, shape) {
  const rounds = await measured(servers, shape);
  console.log(
    `\n${shape.name}: ${shape.body.length} bytes a request, ${shape.connections} connections`,
  );
  console.log(
    '| server | events/s, median (min-max) | p99 ms | to fastify, median (min-max) | to node | processor µs a request | to fastify |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const { kind } of servers) {
    const rate = spread(rounds.map((found) => found[kind].perSecond * shape.events));
    const [toFastify, toNode] = /** @type {const} */ (['fastify', 'node']).map((to) =>
      shown(spread(rounds.map((found) => found[kind].perSecond / found[to].perSecond)), 2),
    );
    const cpu = spread(rounds.map((found) => found[kind].cpuUs));
    const cpuRatio = spread(rounds.map((found) => found.fastify.cpuUs / found[kind].cpuUs));
    const p99 = spread(rounds.map((found) => found[kind].p99));
    console.log(
      `| ${kind} | ${[rate.median, rate.min, rate.max].map((n) => Math.round(n).toLocaleString('en')).join(' / ')} | ${p99.median.toFixed(1)} | ${toFastify} | ${toNode} | ${shown(cpu, 0)} | ${shown(cpuRatio, 2)} |`,
    );
  }
}

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-pg-'));
const cluster = new EmbeddedCluster({ dir, database: 'shoeprint', ephemeral: true });
await cluster.start();
/** @type {Server[]} */
const servers = [];
try {
  for (const kind of KINDS) servers.push(await server(kind, cluster.url));
  for (const shape of shapes()) await compare(servers, shape);
} finally {
  for (const { child } of servers) {
    child.removeAllListeners('exit');
    child.disconnect();
  }
  await cluster.stop();
  rmSync(dir, { recursive: true, force: true });
}
