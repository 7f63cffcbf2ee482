import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { FindingLine } from '#read-model';
import { EmbeddedCluster } from '../../apps/standalone/src/postgres/embedded-cluster.js';
import { endAll, signedIn, Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';

const DUMP = new URL('../fixtures/folder-of-fold-version-1.sql', import.meta.url);
/** The account that the dump holds. */
const SIGN_IN = { name: 'admin', password: 'kSFrBBK6EejNiKQbnBgc' };
const data = mkdtempSync(join(tmpdir(), 'shoeprint-earlier-'));

beforeAll(async () => {
  built();
  const cluster = new EmbeddedCluster({ dir: data, database: 'shoeprint' });
  await cluster.start();
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query(readFileSync(DUMP, 'utf8'));
  await client.end();
  await cluster.stop();
  writeFileSync(join(data, 'sign-in.json'), JSON.stringify(SIGN_IN));
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

describe('a data folder of fold version 1', () => {
  it(
    'is rebuilt when it is started, reports what differs, and keeps its findings',
    async () => {
      const server = await signedIn(
        Started.shoeprint(['serve', '--data', data, '--port', '0'], { SHOEPRINT_PARTITIONS: '2' }),
      );
      expect(server.started.said).toContain('the rows are of fold version 1');
      expect(server.started.said).toMatch(/finding: 11 rows before, 11 now/);
      const answer = (await (await server.ask('/v1/findings')).json()) as { lines: FindingLine[] };
      expect(answer.lines.map(({ code }) => code).sort()).toEqual(CODES);
      for (const { id } of answer.lines) expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(await server.started.stop()).toBe(0);
    },
    START_MS,
  );
});

/** What that version found in examples/faulty-shoe.ndjson. */
const CODES: readonly string[] = [
  'BT-01',
  'CM-01',
  'CM-03',
  'CM-05',
  'PY-01',
  'PY-02',
  'PY-03',
  'RS-01',
  'RS-02',
  'TC-03',
  'TC-08',
];
