import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalLine, simulate, stamped } from '#audit';
import { openLog, partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { built, shoeprintBeside, type Ran } from './shoeprint.js';
import { databaseOf, endAll, query, signedIn, START_MS, Started, type Serving } from './serving.js';

const PARTITIONS = 2;
const data = mkdtempSync(join(tmpdir(), 'shoeprint-parked-'));
let server: Serving;

const linesOf = (table: string): string[] =>
  [
    ...simulate({
      rules: BOOK.get('punto-banco@1') as never,
      seed: table,
      shoes: 1,
      table,
      bets: true,
    }).lines,
  ].slice(0, 400);
const parked = (...args: string[]): Promise<Ran> =>
  shoeprintBeside(['parked', ...args, '--url', server.url], { SHOEPRINT_TOKEN: server.token });
const shown = async (): Promise<{ table: string; reason: string; asked: string | null }[]> =>
  (JSON.parse((await parked('--json')).stdout) as { parked: [] }).parked;
const read = async (table: string): Promise<number> =>
  Number(
    (
      await query<{ read: string }>(
        databaseOf(data),
        'select read from rows.table_state where "table" = $1',
        [table],
      )
    )[0]?.read ?? 0,
  );

/** Puts an event of an unknown type on the log, bypassing the api, as from a newer sender. */
async function appendUnknown(table: string, line: string): Promise<void> {
  const text = stamped(canonicalLine(line), 'device/test', new Date().toISOString());
  const value = Buffer.from(
    JSON.stringify({ ...(JSON.parse(text) as object), type: 'shoeprint.card-burned.v7' }),
  );
  const log = await openLog({ kind: 'postgres', url: databaseOf(data), partitions: PARTITIONS });
  await log.append({
    partition: partitionOf(table, PARTITIONS),
    records: [{ key: table, value }],
    urgency: 'live',
  });
  await log.close();
}

/**
 * A table whose event number 100 is of an unknown type. Later events and those of another table
 * follow.
 */
async function park(table: string, other: string): Promise<void> {
  const [lines, others] = [linesOf(table), linesOf(other)];
  await server.send(lines.slice(0, 100));
  await appendUnknown(table, lines[100] as string);
  await server.send([...lines.slice(101), ...others]);
  await eventually(
    'the other table judged',
    async () => (await read(other)) === others.length,
    START_MS,
  );
  await eventually(
    'the parked table',
    async () => (await shown()).some((one) => one.table === table),
    START_MS,
  );
}

beforeAll(async () => {
  built();
  server = await signedIn(
    Started.shoeprint(['serve', '--data', data, '--port', '0'], {
      SHOEPRINT_PARTITIONS: String(PARTITIONS),
    }),
  );
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

describe('shoeprint parked', () => {
  it(
    'reports that nothing is parked',
    async () => {
      const { code, stdout } = await parked();
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^no table is parked/),
      });
    },
    START_MS,
  );

  it(
    'shows where and why an unknown type of event stopped a table, while another continues',
    async () => {
      await park('P1', 'P2');
      const [one] = await shown();
      expect(one).toMatchObject({
        table: 'P1',
        reason: expect.stringMatching(/card-burned\.v7/),
        asked: null,
      });
      const { code, stdout } = await parked();
      expect(code).toBe(0);
      expect(stdout).toMatch(/^P1 .* \d:\d+:0 .*card-burned\.v7/m);
      expect(stdout).toMatch(/^1 table parked$/m);
      expect(await read('P1')).toBe(100);
    },
    START_MS,
  );

  it(
    'retries a table, which is parked again if the fault remains',
    async () => {
      const [before] = await query<{ parked_at: Date }>(
        databaseOf(data),
        `select parked_at from rows.parked where "table" = 'P1'`,
      );
      const { code, stdout } = await parked('retry', 'P1');
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^P1: retry requested/),
      });
      await eventually(
        'the table parked again',
        async () => {
          const [now] = await query<{ parked_at: Date; asked: string | null }>(
            databaseOf(data),
            `select parked_at, asked from rows.parked where "table" = 'P1'`,
          );
          return now?.asked === null && now.parked_at > (before?.parked_at as Date);
        },
        START_MS,
      );
      expect(await read('P1')).toBe(100);
    },
    START_MS,
  );

  it(
    'releases a table, which continues without that one event, and records who asked',
    async () => {
      const { code, stdout } = await parked('release', 'P1');
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^P1: release requested/),
      });
      await eventually('the later events judged', async () => (await read('P1')) === 399, START_MS);
      expect(await shown()).toEqual([]);
      expect(await query(databaseOf(data), 'select * from rows.released')).toEqual([
        expect.objectContaining({ table: 'P1', released_by: 'person/admin', line: 0 }),
      ]);
    },
    START_MS,
  );

  it(
    'refuses a table that is not parked, an invalid token, and a server out of reach',
    async () => {
      const none = await parked('retry', 'P2');
      expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/^shoeprint: .*P2/) });
      const stranger = await shoeprintBeside(['parked', '--url', server.url], {
        SHOEPRINT_TOKEN: 'sps_nobody',
      });
      expect(stranger).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^shoeprint: /),
      });
      const nowhere = await shoeprintBeside(['parked', '--url', 'http://127.0.0.1:9'], {
        SHOEPRINT_TOKEN: server.token,
      });
      expect(nowhere).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/cannot be reached/),
      });
    },
    START_MS,
  );
});
