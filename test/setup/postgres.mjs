// One PostgreSQL for the whole run: DATABASE_URL if set, else a container where Docker answers,
// else the embedded server. Every test file makes a database of its own on it
// (test/kit/database.ts).
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import swc from '@swc/core';

/** Where Docker listens; testcontainers takes most of a second to find out that it does not. */
const hasDocker = () => Boolean(process.env.DOCKER_HOST) || existsSync('/var/run/docker.sock');

async function container() {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const started = await new PostgreSqlContainer('postgres:18-alpine').start();
  return { url: started.getConnectionUri(), stop: () => started.stop() };
}

async function embedded() {
  // Jest does not transform an ES module globalSetup, and Node 20 cannot load TypeScript: these
  // files are compiled here.
  const sources = 'apps/standalone/src/postgres';
  const compiled = `dist/.test-postgres-${process.pid}`;
  mkdirSync(compiled, { recursive: true });
  for (const name of readdirSync(sources)) {
    const { code } = swc.transformFileSync(join(sources, name), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    writeFileSync(join(compiled, name.replace(/ts$/, 'js')), code);
  }
  const main = pathToFileURL(join(compiled, 'embedded-cluster.js')).href;
  const { EmbeddedCluster } =
    /** @type {typeof import('../../apps/standalone/src/postgres/embedded-cluster.js')} */ (
      await import(main)
    );
  rmSync(compiled, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-test-pg-'));
  const cluster = new EmbeddedCluster({ dir, database: 'shoeprint', ephemeral: true });
  await cluster.start();
  return {
    url: cluster.url,
    stop: async () => {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @type {(() => Promise<unknown>) | undefined} */
let stopPostgres;

/** Starts the PostgreSQL of the run. */
export async function setup() {
  const given = process.env.DATABASE_URL;
  const server = given
    ? { url: given, stop: async () => undefined }
    : hasDocker()
      ? await container()
      : await embedded();
  process.env.TEST_DATABASE_URL = server.url;
  stopPostgres = server.stop;
}

/** Stops the PostgreSQL of the run. */
export async function teardown() {
  await stopPostgres?.();
}
