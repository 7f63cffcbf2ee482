import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulate } from '#audit';
import { BOOK } from '../kit/house.js';
import { built } from './shoeprint.js';
import {
  databaseOf,
  endAll,
  postgresOf,
  query,
  signedIn,
  START_MS,
  Started,
  type Serving,
} from './serving.js';

const data = mkdtempSync(join(tmpdir(), 'shoeprint-rebuild-'));
const rebuild = (...more: string[]): Started =>
  Started.shoeprint(['rebuild', 'rows', '--data', data, ...more]);
const lines = [
  ...simulate({
    rules: BOOK.get('punto-banco@1') as never,
    seed: 'rebuild',
    shoes: 2,
    table: 'B07',
    bets: true,
    faults: ['TC-05', 'PY-03'],
  }).lines,
];
const cut = 1_500;

/** Identifies the schema of the rows: a swap replaces it. */
const rowsMade = async (): Promise<unknown> =>
  query(databaseOf(data), `select oid from pg_namespace where nspname = 'rows'`);

let server: Serving;
beforeAll(async () => {
  built();
  server = await signedIn(Started.shoeprint(['serve', '--data', data, '--port', '0']));
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

describe('shoeprint rebuild rows --data', () => {
  it(
    'finds the database of the server that runs on the folder, and the server continues with the new rows',
    async () => {
      const position = await server.send(lines.slice(0, cut));
      const [made, before] = [await rowsMade(), await readAt(position)];
      const rebuilding = rebuild();
      expect({ code: await rebuilding.ended, said: rebuilding.said }).toMatchObject({
        code: 0,
        said: expect.stringMatching(/the rebuilt rows are live/),
      });
      expect(await rowsMade()).not.toEqual(made);
      expect(await readAt(position)).toEqual(before);
      await readAt(await server.send(lines.slice(cut)));
      const [table] = await query<{ read: string }>(
        databaseOf(data),
        `select read from rows.table_state where "table" <> '@house'`,
      );
      expect(Number(table?.read)).toBe(lines.length);
    },
    START_MS,
  );

  it(
    'swaps in rows that differ only with --accept-differences',
    async () => {
      await query(databaseOf(data), `delete from rows.finding where code = 'PY-03'`);
      const made = await rowsMade();
      expect(await rebuild().ended).toBe(1);
      expect(await rowsMade()).toEqual(made);
      expect(await rebuild('--accept-differences').ended).toBe(0);
      expect(
        await query(databaseOf(data), `select from rows.finding where code = 'PY-03'`),
      ).not.toEqual([]);
    },
    START_MS,
  );

  it(
    'starts and stops the database if no server runs on the folder',
    async () => {
      expect(await server.started.stop()).toBe(0);
      const rebuilding = rebuild();
      expect({ code: await rebuilding.ended, said: rebuilding.said }).toMatchObject({
        code: 0,
        said: expect.stringMatching(/the rebuilt rows are live/),
      });
      expect(postgresOf(data)).toBeUndefined();
    },
    START_MS,
  );

  it(
    'rejects a folder without a database',
    async () => {
      const refused = Started.shoeprint(['rebuild', 'rows', '--data', join(data, 'nothing')]);
      expect(await refused.ended).toBe(2);
      expect(refused.said).toMatch(/nothing has no database of Shoeprint/);
    },
    START_MS,
  );
});

/** Returns the coups once the rows are at this position. */
async function readAt(position: string): Promise<unknown> {
  const answer = await fetch(`${server.url}/v1/coups?table=B07&limit=1000`, {
    headers: {
      authorization: `Bearer ${server.token}`,
      'min-position': position,
      prefer: 'wait=30',
    },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  const { lines: found } = (await answer.json()) as { lines: unknown[] };
  expect(found.length).toBeGreaterThan(0);
  return found;
}
