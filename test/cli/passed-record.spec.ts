import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulate } from '#audit';
import { openLog, partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { databaseOf, endAll, query, signedIn, START_MS, Started, type Serving } from './serving.js';
import { built, shoeprintBeside, type Ran } from './shoeprint.js';

const PARTITIONS = 2;
const SETTINGS = { SHOEPRINT_PARTITIONS: String(PARTITIONS) };
const data = mkdtempSync(join(tmpdir(), 'shoeprint-passed-'));
const GARBAGE = Buffer.concat([Buffer.from('not an\nevent: 庄\u202e'), Buffer.from([0xff, 0])]);
const SHA256 = createHash('sha256').update(GARBAGE).digest('hex');
const REASON = 'written by a test, and not an event';
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
const partition = partitionOf('P1', PARTITIONS);
/** Another table of the same partition. */
const BESIDE = ['P2', 'P3', 'P4', 'P5'].find(
  (table) => partitionOf(table, PARTITIONS) === partition,
) as string;

const start = async (): Promise<Serving> =>
  signedIn(Started.shoeprint(['serve', '--data', data, '--port', '0'], SETTINGS));
const parked = (...args: string[]): Promise<Ran> =>
  shoeprintBeside(['parked', ...args, '--url', server.url], { SHOEPRINT_TOKEN: server.token });
const read = async (table: string): Promise<number> => {
  const sql = 'select read from rows.table_state where "table" = $1';
  return Number((await query<{ read: string }>(databaseOf(data), sql, [table]))[0]?.read ?? 0);
};
const offsetOfGarbage = async (): Promise<number> => {
  const sql = 'select "offset" from log.record where partition = $1 and value = $2';
  const rows = await query<{ offset: string }>(databaseOf(data), sql, [partition, GARBAGE]);
  return Number(rows[0]?.offset);
};
/** Returns the rows of findings and coups, without what says when they were written. */
const judged = async (): Promise<unknown> => ({
  coups: await query(databaseOf(data), 'select ref, state, outcome from rows.coup order by ref'),
  findings: await query(databaseOf(data), 'select id, code, body from rows.finding order by id'),
});

beforeAll(async () => {
  built();
  server = await start();
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

describe('shoeprint parked, for a record that stopped a partition', () => {
  it(
    'shows its bytes in hexadecimal digits and as text, and its SHA-256',
    async () => {
      const [lines, others] = [linesOf('P1'), linesOf(BESIDE)];
      await server.send(lines.slice(0, 100));
      const url = databaseOf(data);
      const log = await openLog({ kind: 'postgres', url, partitions: PARTITIONS });
      const records = [{ key: 'P1', value: GARBAGE }];
      await log.append({ partition, records, urgency: 'live' });
      await log.close();
      await server.send([...lines.slice(100), ...others]);
      await eventually(
        'the stopped partition',
        async () => /1 partition stopped/.test((await parked()).stdout),
        START_MS,
      );
      expect((await parked()).stdout).toMatch(
        new RegExp(`^${partition} .* ${await offsetOfGarbage()} +record +BrokenLog: line 0 `, 'm'),
      );
      const { code, stdout } = await parked('show', String(partition));
      expect(code).toBe(0);
      const shown = stdout.split('\n');
      expect(shown).toEqual(
        expect.arrayContaining([
          `offset     ${await offsetOfGarbage()}`,
          'key        P1',
          'time       not kept by this log',
          `size       ${GARBAGE.length} bytes`,
          `sha256     ${SHA256}`,
          'line       0, counted from 0',
          '00000000  6e 6f 74 20 61 6e 0a 65 76 65 6e 74 3a 20 e5 ba  not an\\u000aevent: ',
          '00000010  84 e2 80 ae ff 00                                庄\\u202e\ufffd\\u0000',
        ]),
      );
      const json = await parked('--json', 'show', String(partition));
      expect(JSON.parse(json.stdout)).toMatchObject({
        sha256: SHA256,
        value: GARBAGE.toString('base64'),
      });
    },
    START_MS,
  );

  it(
    'refuses to pass it under another digest, and a partition that is not stopped',
    async () => {
      const offset = String(await offsetOfGarbage());
      const asked = ['--offset', offset, '--reason', REASON, '--sha256'];
      const other = await parked('pass', String(partition), ...asked, '0'.repeat(64));
      expect(other).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/the partition is not stopped at this record/),
      });
      const none = await parked('pass', String(1 - partition), ...asked, SHA256);
      expect(none).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/no stopped partition has this number/),
      });
      const silent = ['--offset', offset, '--sha256', SHA256, '--reason', ' '.repeat(3_000)];
      const reasonless = await parked('pass', String(partition), ...silent);
      expect(reasonless).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/\n {2}\/reason: must be 1 to 500 characters/),
      });
      const nameless = await parked('pass', String(partition), '--offset', 'x');
      expect(nameless).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/offset of a record/),
      });
      expect((await parked()).stdout).toMatch(/1 partition stopped/);
    },
    START_MS,
  );

  it(
    'passes it by offset, digest and reason, and everything behind it is judged',
    async () => {
      const offset = String(await offsetOfGarbage());
      const { code, stdout } = await parked(
        ...['pass', String(partition), '--offset', offset],
        ...['--sha256', SHA256, '--reason', REASON],
      );
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: `partition ${partition}: record ${offset} is passed; an auditor continues behind it within seconds, and every report of the partition says so\n`,
      });
      await eventually(
        'the tables judged to their end',
        async () => (await read('P1')) === 400 && (await read(BESIDE)) === 400,
        START_MS,
      );
      expect(await query(databaseOf(data), 'select * from rows.passed_record')).toMatchObject([
        { key: 'P1', sha256: SHA256, reason: REASON, passed_by: 'person/admin' },
      ]);
      expect((await parked()).stdout).toMatch(/no partition is stopped/);
    },
    START_MS,
  );

  it(
    'leaves the rows as they are when the server is killed, when it starts again, and after a rebuild',
    async () => {
      const before = await judged();
      await server.started.stop('SIGKILL');
      server = await start();
      await server.send(linesOf('P1').slice(399));
      await eventually(
        'the last line read again',
        async () => (await read('P1')) === 401,
        START_MS,
      );
      expect(await judged()).toEqual(before);
      expect((await parked()).stdout).toMatch(/no partition is stopped/);
      const rebuilding = Started.shoeprint(['rebuild', 'rows', '--data', data], SETTINGS);
      expect({ code: await rebuilding.ended, said: rebuilding.said }).toMatchObject({
        code: 0,
        said: expect.stringMatching(/the rebuilt rows are live/),
      });
      expect(await judged()).toEqual(before);
      expect(await query(databaseOf(data), 'select * from rows.passed_record')).toHaveLength(1);
    },
    START_MS,
  );
});
