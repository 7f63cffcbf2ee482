import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-cluster-'));
const options = { dir, database: 'shoeprint', ephemeral: true };
const portOf = (): number => Number(readFileSync(join(dir, 'port'), 'utf8'));
let cluster: EmbeddedCluster | undefined;
let other: Server | undefined;

afterAll(async () => {
  await cluster?.stop();
  other?.close();
  rmSync(dir, { recursive: true, force: true });
});

it('takes another port where a program takes the free one before PostgreSQL does', async () => {
  cluster = new EmbeddedCluster(options);
  await cluster.start();
  await cluster.stop();
  const before = portOf();
  cluster = new EmbeddedCluster({
    ...options,
    // The settings are read after a free port was found and before PostgreSQL is started.
    get settings() {
      other ??= createServer().listen(before);
      return {};
    },
  });
  await cluster.start();
  expect(other?.address()).toMatchObject({ port: before });
  expect(portOf()).not.toBe(before);
  const client = new pg.Client(cluster.url);
  await client.connect();
  const { rows } = await client.query('select current_database() as name');
  expect(rows).toEqual([{ name: 'shoeprint' }]);
  await client.end();
});
