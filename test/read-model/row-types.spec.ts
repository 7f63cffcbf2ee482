import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { ROW_TYPES } from '#read-model';
import { createDatabase, type TestDatabase } from '../kit/database.js';

/** The years that a row may hold (`libs/read-model/src/writing/arrays.ts`). */
const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url, types: ROW_TYPES });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

describe('a time in a row', () => {
  it.each(['UTC', 'Asia/Macau', 'America/St_Johns', 'Pacific/Honolulu'])(
    'is read to the millisecond as it was written, by a session in %s',
    async (zone) => {
      await client.query(`set timezone to '${zone}'`);
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({ ms: fc.integer({ min: FIRST, max: LAST }), micro: fc.nat({ max: 999 }) }),
            { minLength: 50, maxLength: 50 },
          ),
          async (times) => {
            const iso = times.map(({ ms }) => new Date(ms).toISOString());
            const { rows } = await client.query<{ time: string }>(
              `select time::timestamptz + micro * interval '1 microsecond' as time
               from unnest($1::text[], $2::integer[]) with ordinality as t(time, micro, n) order by n`,
              [iso, times.map(({ micro }) => micro)],
            );
            expect(rows.map(({ time }) => time)).toEqual(iso);
          },
        ),
        { numRuns: 20 },
      );
    },
  );
});
