// What is measured: PostgreSQL and Kafka as they usually run, and api and auditor as two processes,
// or everything in one.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { EmbeddedCluster } from '#built/apps/standalone/src/postgres/embedded-cluster';
import { startKafka } from '../../scripts/kafka/cluster.mjs';
import { pidOf } from './children.mjs';

/** The settings of the embedded server. */
const DATABASE_SETTINGS = { max_wal_size: '2GB', shared_buffers: '256MB' };
const PARTITIONS = 16;
const PASSWORD = 'a password for benchmarks';
const READY_MS_MAX = 60_000;

/** @typedef {typeof LOGS[number]} LogName */
/** @typedef {'api' | 'auditor' | 'sealer' | 'standalone'} App */
/**
 * Node's flags for a program, to profile it.
 * @typedef {(app: App) => string[]} Flags
 */
/**
 * Which logs are measured, how often, and until when a new round may begin.
 * @typedef {{ logs: readonly LogName[], rounds: number, flags: Flags, until: number }} Asked
 */
/** @typedef {Awaited<ReturnType<typeof startMachine>>} Machine */
/**
 * A running server: its database, the port and key that events are sent with, and its processes.
 * `env` is the environment of its programs.
 * @typedef {object} Server
 * @property {string} databaseUrl
 * @property {Record<string, string>} env
 * @property {number} port
 * @property {string} token
 * @property {Record<string, number>} pids
 * @property {() => Promise<void>} stop
 */

const LOGS = /** @type {const} */ (['kafka', 'postgres', 'standalone']);

/** @type {(text: string) => LogName} */
export function logNamed(text) {
  const name = LOGS.find((each) => each === text);
  if (!name) throw new Error(`--logs: "${text}" is not one of ${LOGS.join(', ')}`);
  return name;
}

/** @type {(app: App) => string} */
const main = (app) => fileURLToPath(new URL(`../../dist/apps/${app}/src/main.js`, import.meta.url));

/**
 * Starts PostgreSQL with fsync, set as the embedded server, and Kafka if requested.
 * @param {{ kafka: boolean }} options
 */
export async function startMachine({ kafka }) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const cluster = new EmbeddedCluster({ dir, database: 'shoeprint', settings: DATABASE_SETTINGS });
  await cluster.start();
  const brokers = kafka ? await startKafka() : undefined;
  const kafkaPid = brokers && pidOf(join(brokers.dir, 'node-1'));
  return {
    dir,
    brokers: brokers?.brokers ?? [],
    /** @type {Record<string, number>} */
    pids: { postgres: postmaster(dir), ...(kafkaPid && { kafka: kafkaPid }) },
    database: async () => {
      const name = `bench_${randomBytes(4).toString('hex')}`;
      const admin = await connected(cluster.url);
      await admin.query(`create database ${name}`);
      await admin.end();
      const url = new URL(cluster.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    drop: async (/** @type {string} */ url) => {
      const admin = await connected(cluster.url);
      await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
      await admin.query('checkpoint');
      await admin.end();
    },
    stop: async () => {
      await brokers?.stop();
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @type {(dir: string) => number} */
const postmaster = (dir) =>
  Number(readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n')[0]);

/**
 * Returns a client that is connected.
 * @param {string} url
 */
export async function connected(url) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Returns the environment of the processes of a server over `log`.
 * @param {Machine} machine
 * @param {LogName} log
 * @param {string} databaseUrl
 * @returns {Record<string, string>}
 */
function environment(machine, log, databaseUrl) {
  const kafka =
    log === 'kafka'
      ? {
          KAFKA_BROKERS: machine.brokers.join(','),
          KAFKA_TOPIC: `bench-${randomBytes(4).toString('hex')}`,
        }
      : {};
  return {
    DATABASE_URL: databaseUrl,
    SHOEPRINT_LOG: log,
    SHOEPRINT_PARTITIONS: String(PARTITIONS),
    SHOEPRINT_PORT: '0',
    SHOEPRINT_METRICS_PORT: '0',
    SHOEPRINT_ADMIN_PASSWORD: PASSWORD,
    ...kafka,
  };
}

/**
 * Starts a server on its own database. 'kafka' and 'postgres' are api and auditor as two processes
 * over that log. 'standalone' is one process with its own PostgreSQL.
 * @param {Machine} machine
 * @param {LogName} log
 * @param {Flags} [flags]
 * @returns {Promise<Server>}
 */
export async function startServer(machine, log, flags = () => []) {
  return log === 'standalone' ? standalone(flags) : processes(machine, log, flags);
}

/** @type {(machine: Machine, log: LogName, flags: Flags) => Promise<Server>} */
async function processes(machine, log, flags) {
  const databaseUrl = await machine.database();
  const env = environment(machine, log, databaseUrl);
  const api = run('api', env, flags('api'));
  const port = Number(await api.said(portIn));
  const auditor = run('auditor', env, flags('auditor'));
  await auditor.said((line) => (line.includes('"following"') ? true : undefined));
  await owned(databaseUrl);
  return {
    databaseUrl,
    env,
    port,
    token: await keyOf(port),
    pids: { ...machine.pids, api: api.pid, auditor: auditor.pid },
    stop: async () => {
      await api.end();
      await auditor.end();
      await machine.drop(databaseUrl);
    },
  };
}

/** @type {(flags: Flags) => Promise<Server>} */
async function standalone(flags) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const server = run(
    'standalone',
    { SHOEPRINT_DATA: dir, SHOEPRINT_PORT: '0', SHOEPRINT_ADMIN_PASSWORD: PASSWORD },
    flags('standalone'),
  );
  const port = Number(await server.said(portIn));
  const [, , , pgPort] = readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n');
  const databaseUrl = `postgres://app:${readFileSync(join(dir, 'password'), 'utf8').trim()}@127.0.0.1:${pgPort}/shoeprint`;
  await owned(databaseUrl);
  return {
    databaseUrl,
    env: {},
    port,
    token: await keyOf(port),
    pids: { postgres: postmaster(dir), server: server.pid },
    stop: async () => {
      await server.end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @type {(line: string) => string | undefined} */
const portIn = (line) => /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];

/**
 * Starts a program. Callers can wait for its output on either stream.
 * @param {App} app
 * @param {Record<string, string>} env
 * @param {readonly string[]} [flags]
 */
export function run(app, env, flags = []) {
  const child = spawn(process.execPath, [...flags, main(app)], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A measurement that fails leaves nothing behind.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  /** @type {string[]} */
  const lines = [];
  /** @type {Set<(line: string) => void>} */
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (/"level":"(error|fatal)"|"stream closed/.test(line) && !line.includes('power-safe'))
        process.stderr.write(`${app}: ${line.slice(0, 400)}\n`);
      lines.push(line);
      for (const listener of listeners) listener(line);
    });
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  /**
   * Resolves with what `find` first returns for a line of the output.
   * @template Found
   * @param {(line: string) => Found | undefined} find
   * @returns {Promise<Found>}
   */
  const said = (find) =>
    new Promise((resolve, reject) => {
      const look = (/** @type {string} */ line) => {
        const found = find(line);
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      void ended.then((code) =>
        reject(new Error(`${app} ended with ${code}:\n${lines.slice(-10).join('\n')}`)),
      );
      listeners.add(look);
      for (const line of lines) look(line);
    });
  const end = async (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  return { pid: child.pid ?? NaN, said, end };
}

/**
 * Resolves once every partition has an owner.
 * @param {string} databaseUrl
 */
async function owned(databaseUrl) {
  const client = await connected(databaseUrl);
  const until = performance.now() + READY_MS_MAX;
  for (;;) {
    /** @type {{ rows: { n: string }[] }} */
    const { rows } = await client
      .query('select count(*) as n from rows.position where owner is not null')
      .catch(() => ({ rows: [] }));
    if (Number(rows[0]?.n) === PARTITIONS) break;
    if (performance.now() > until) throw new Error('the auditor did not take the partitions');
    await pause(50);
  }
  await pause(500); // and follows them
  await client.end();
}

/** @type {(port: number) => Promise<string>} */
async function keyOf(port) {
  /** @type {(path: string, body: object, token?: string) => Promise<{ token: string }>} */
  const ask = async (path, body, token) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${text}`);
    return /** @type {{ token: string }} */ (text === '' ? {} : JSON.parse(text));
  };
  const { token } = await ask('/v1/sign-in', { name: 'admin', password: PASSWORD });
  await ask('/v1/me/password', { password: PASSWORD, newPassword: `${PASSWORD}, own` }, token);
  return (
    await ask(
      '/v1/keys',
      {
        name: `bench-${randomBytes(4).toString('hex')}`,
        sources: ['device/*', 'virtual/*', 'person/*'],
        tables: ['*'],
        types: ['*'],
      },
      token,
    )
  ).token;
}
