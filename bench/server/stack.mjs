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
import { EmbeddedCluster } from '../../dist/apps/standalone/src/postgres/embedded-cluster.js';
import { startKafka } from '../../scripts/kafka/cluster.mjs';
import { pidOf } from './children.mjs';

/** The settings of the embedded server. */
const DATABASE_SETTINGS = { max_wal_size: '2GB', shared_buffers: '256MB' };
const PARTITIONS = 16;
const PASSWORD = 'a password for benchmarks';
const READY_MS_MAX = 60_000;
const main = (app) => fileURLToPath(new URL(`../../dist/apps/${app}/src/main.js`, import.meta.url));

/** Starts PostgreSQL with fsync, set as the embedded server, and Kafka if requested. */
export async function startMachine({ kafka }) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const cluster = new EmbeddedCluster({ dir, database: 'shoeprint', settings: DATABASE_SETTINGS });
  await cluster.start();
  const brokers = kafka ? await startKafka() : undefined;
  return {
    dir,
    brokers: brokers?.brokers,
    pids: {
      postgres: postmaster(dir),
      ...(brokers ? { kafka: pidOf(join(brokers.dir, 'node-1')) } : {}),
    },
    database: async () => {
      const name = `bench_${randomBytes(4).toString('hex')}`;
      const admin = await connected(cluster.url);
      await admin.query(`create database ${name}`);
      await admin.end();
      const url = new URL(cluster.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    drop: async (url) => {
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

const postmaster = (dir) =>
  Number(readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n')[0]);

export async function connected(url) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Returns the environment of the processes of a server over `log` ('kafka' or 'postgres'). */
export function environment(machine, log, databaseUrl) {
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
 * over that log. 'standalone' is one process with its own PostgreSQL. `flags`: Node flags by
 * process, to profile.
 */
export async function startServer(machine, log, flags = {}) {
  return log === 'standalone' ? standalone(flags) : processes(machine, log, flags);
}

async function processes(machine, log, flags) {
  const databaseUrl = await machine.database();
  const env = environment(machine, log, databaseUrl);
  const api = run('api', env, flags.api);
  const port = await api.said((line) => /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  const auditor = run('auditor', env, flags.auditor);
  await auditor.said((line) => (line.includes('"following"') ? true : undefined));
  await owned(databaseUrl);
  return {
    databaseUrl,
    env,
    port: Number(port),
    token: await keyOf(port),
    pids: { ...machine.pids, api: api.child.pid, auditor: auditor.child.pid },
    stop: async () => {
      await api.end();
      await auditor.end();
      await machine.drop(databaseUrl);
    },
  };
}

async function standalone(flags) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const server = run(
    'standalone',
    { SHOEPRINT_DATA: dir, SHOEPRINT_PORT: '0', SHOEPRINT_ADMIN_PASSWORD: PASSWORD },
    flags.standalone,
  );
  const port = await server.said((line) => /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  const [, , , pgPort] = readFileSync(join(dir, 'pgdata', 'postmaster.pid'), 'utf8').split('\n');
  const databaseUrl = `postgres://app:${readFileSync(join(dir, 'password'), 'utf8').trim()}@127.0.0.1:${pgPort}/shoeprint`;
  await owned(databaseUrl);
  return {
    databaseUrl,
    port: Number(port),
    token: await keyOf(port),
    pids: { postgres: postmaster(dir), server: server.child.pid },
    stop: async () => {
      await server.end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Starts a program. Callers can wait for its output on either stream. */
export function run(app, env, flags = [], options = []) {
  const child = spawn(process.execPath, [...flags, main(app), ...options], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL')); // a measurement that fails leaves nothing behind
  const lines = [];
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (/"level":"(error|fatal)"/.test(line) && !line.includes('power-safe'))
        process.stderr.write(`${app}: ${line.slice(0, 400)}\n`);
      lines.push(line);
      for (const listener of listeners) listener(line);
    });
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const said = (find) =>
    new Promise((resolve, reject) => {
      const look = (line) => {
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
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { child, lines, said, end, ended };
}

/** Resolves once every partition has an owner. */
async function owned(databaseUrl) {
  const client = await connected(databaseUrl);
  const until = performance.now() + READY_MS_MAX;
  for (;;) {
    const { rows } = await client
      .query('select count(*) as n from rows.position where owner is not null')
      .catch(() => ({ rows: [{ n: 0 }] }));
    if (Number(rows[0].n) === PARTITIONS) break;
    if (performance.now() > until) throw new Error('the auditor did not take the partitions');
    await pause(50);
  }
  await pause(500); // and follows them
  await client.end();
}

async function keyOf(port) {
  const ask = async (path, body, token) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { token } = await ask('/v1/sign-in', { name: 'admin', password: PASSWORD });
  return (
    await ask(
      '/v1/keys',
      {
        name: `bench-${randomBytes(4).toString('hex')}`,
        sources: ['*'],
        tables: ['*'],
        types: ['*'],
      },
      token,
    )
  ).token;
}
