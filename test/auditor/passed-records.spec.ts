import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rebuildRows } from '#auditor';
import type { PositionState } from '#read-model';
import { BOOK } from '../kit/house.js';
import { eventually } from '../kit/eventually.js';
import { simulated } from '../simulate/simulated.js';
import {
  append,
  DAYS,
  expectedOf,
  Floor,
  inAnyOrder,
  linesOf,
  recordsOf,
  rowsOf,
} from './floor.js';

let floor: Floor;
beforeEach(async () => {
  floor = await Floor.open(2);
});
afterEach(async () => floor.close());

const linesAt = (table: string): string[] =>
  linesOf(
    simulated({
      rules: 'punto-banco@1',
      bets: true,
      seed: table,
      shoes: 1,
      table,
      faults: ['PY-03', 'TC-05'],
    }).lines,
  ).slice(0, 400);
const LINES = linesAt('T1');
const OTHERS = linesAt('T5');

/** Starts an auditor that declares no gaps, which would be events of their own. */
const start = () => floor.start({ leaseMs: 600, gapAfterMs: 3_600_000 });

const sha256 = (value: Uint8Array): string => createHash('sha256').update(value).digest('hex');
const put = (text: string, key = 'T1'): Promise<void> =>
  append(floor.log, key, [{ key, value: Buffer.from(text) }], 0);
/** Appends lines of a table to partition 0, four in a record. */
const play = (lines: readonly string[], table = 'T1'): Promise<void> =>
  append(floor.log, table, recordsOf(table, lines, [4]), 0);

const positionOf0 = async (): Promise<PositionState> =>
  (await floor.store().positions())[0] as PositionState;
const stopped = (what = 'a stopped partition'): Promise<NonNullable<PositionState['stopped']>> =>
  eventually(what, async () => (await positionOf0()).stopped ?? undefined);

/** Passes a record of partition 0 as an administrator does, and returns whether it was passed. */
async function pass(offset: number, digest?: string): Promise<boolean> {
  const [record] = await floor.log.read(0, offset, 1);
  const { key, value } = record as { key: string; value: Uint8Array };
  const { text, values } = floor.store().passing({
    partition: 0,
    offset,
    key,
    sha256: digest ?? sha256(value),
    size: value.length,
    reason: 'written by a test',
    passedBy: 'person/ann',
  });
  return (await floor.query(text, values)).length > 0;
}

const expectTable = async (table: string, lines: readonly string[]): Promise<void> =>
  expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));

/** Expects the rows of both tables of the partition. */
async function expectTables(lines: readonly string[]): Promise<void> {
  await expectTable('T1', lines);
  await expectTable('T5', OTHERS);
}

/** Returns all rows but positions, which also count the lines of parked tables. */
async function judged(): Promise<unknown> {
  const { position: _, ...rows } = await floor.dump();
  return rows;
}

async function expectRebuiltEqual(): Promise<void> {
  const before = await judged();
  const report = await rebuildRows({
    log: floor.log,
    databaseUrl: floor.database.url,
    book: BOOK,
    gamingDays: DAYS,
  });
  expect(report.tables.filter(({ equal }) => !equal)).toEqual([]);
  expect(report.swapped).toBe(true);
  expect(await judged()).toEqual(before);
}

const underAnotherKey = (line: string): string => line.replace('"table":"T1"', '"table":"T2"');

const GARBAGE = '{"specversion":"1.0",';
const BATCH = [LINES[20], GARBAGE, LINES[21]].join('\n');

describe('a record that cannot be read', () => {
  it.each([
    { what: 'garbage', text: GARBAGE },
    { what: 'a batch with one bad line', text: BATCH, line: 1, lost: 2 },
    { what: 'an event of another table', text: underAnotherKey(LINES[20] as string) },
    {
      what: 'an event of a table whose partition is another',
      text: underAnotherKey(LINES[20] as string),
      key: 'T2',
    },
    { what: 'bytes under the key of no table', text: 'hello', key: 'no table' },
    { what: 'no bytes at all', text: '' },
  ])(
    'is left out by every fold once it is passed, and all other rows are as without it: $what',
    async ({ text, key = 'T1', line = 0, lost = 0 }) => {
      const first = await start();
      await play(LINES.slice(0, 20));
      await put(text, key);
      await play(LINES.slice(20 + lost));
      await play(OTHERS, 'T5');
      expect(await stopped()).toMatchObject({ offset: 5, line });
      expect((await positionOf0()).next).toBe(5);

      expect(await pass(5)).toBe(true);
      await floor.caughtUp();
      const lines = [...LINES.slice(0, 20), ...LINES.slice(20 + lost)];
      await expectTables(lines);

      await first.abandon();
      await floor.expireLeases();
      await floor.query(`update rows.table_state set snapshot = null, snapshot_next = null`);
      await start();
      await play([LINES[399] as string]);
      await floor.caughtUp();
      await expectTables([...lines, LINES[399] as string]);
      await expectRebuiltEqual();
      expect(await floor.store().passed(0)).toEqual([
        { offset: 5, sha256: sha256(Buffer.from(text)) },
      ]);
    },
  );

  it('is passed although the auditor is killed right after the decision', async () => {
    const first = await start();
    await play(LINES.slice(0, 20));
    await put('garbage');
    await play(LINES.slice(20));
    await stopped();
    expect(await pass(5)).toBe(true);
    await first.abandon();
    await floor.expireLeases();
    await start();
    await floor.caughtUp();
    await expectTable('T1', LINES);
  });

  it('stops its partition although a line before it is of an unknown type, and is passed whole', async () => {
    const unknown = (LINES[21] as string).replace(/"shoeprint\.[a-z-]+\.v1"/, '"shoeprint.x.v9"');
    await start();
    await play(LINES.slice(0, 20));
    await put([LINES[20], unknown, 'garbage'].join('\n'));
    await play(LINES.slice(22));
    expect(await stopped()).toMatchObject({ offset: 5, line: 2 });
    expect(await floor.query('select * from rows.parked')).toEqual([]);
    expect(await pass(5)).toBe(true);
    await floor.caughtUp();
    await expectTable('T1', [...LINES.slice(0, 20), ...LINES.slice(22)]);
  });

  it('is left out when its table is reloaded for an event that it cannot fold', async () => {
    const unknown = (LINES[20] as string).replace(/"shoeprint\.[a-z-]+\.v1"/, '"shoeprint.x.v9"');
    await start();
    await play(LINES.slice(0, 20));
    await put(GARBAGE);
    await put(unknown);
    await play(LINES.slice(21));
    await play(OTHERS, 'T5');
    await stopped();
    expect(await pass(5)).toBe(true);
    await floor.caughtUp();
    expect(await floor.query('select "table", "offset"::int from rows.parked')).toEqual([
      { table: 'T1', offset: 6 },
    ]);
    await expectTables(LINES.slice(0, 20));
    await floor.store().askParked('T1', 'release', 'person/ann');
    await eventually(
      'the table judged further',
      async () => (await floor.query('select * from rows.parked')).length === 0,
    );
    await expectTables([...LINES.slice(0, 20), ...LINES.slice(21)]);
  });

  it('behind the event that a table is parked at stops its partition when the table is retried', async () => {
    const unknown = (LINES[20] as string).replace(/"shoeprint\.[a-z-]+\.v1"/, '"shoeprint.x.v9"');
    await start();
    await play(LINES.slice(0, 20));
    await put(unknown);
    await put('garbage');
    await play(LINES.slice(21));
    await play(OTHERS, 'T5');
    await floor.caughtUp();
    await expectTables(LINES.slice(0, 20));
    await floor.store().askParked('T1', 'release', 'person/ann');
    expect(await stopped()).toMatchObject({ offset: 6, line: 0 });
    expect(await pass(6)).toBe(true);
    await eventually(
      'the table judged further',
      async () => (await floor.query('select * from rows.parked')).length === 0,
    );
    await floor.caughtUp();
    await expectTables([...LINES.slice(0, 20), ...LINES.slice(21)]);
    await expectRebuiltEqual();
  });
});

describe('a partition', () => {
  it('stops again if another record lies where one was passed, and that one cannot be passed', async () => {
    await start();
    await play(LINES.slice(0, 20));
    await put('garbage');
    await stopped();
    expect(await pass(5, sha256(Buffer.from('other garbage')))).toBe(true);
    expect(await stopped('a stop at the other record')).toMatchObject({
      offset: 5,
      line: null,
      reason: expect.stringMatching(/record 5 is not the one that was passed/),
    });
    expect(await pass(5)).toBe(false);
  });

  it('a partition that is stopped at a hole cannot be passed', async () => {
    await play(LINES.slice(0, 20));
    await start();
    await floor.caughtUp();
    floor.log.faults.hole = { partition: 0, offset: 6 };
    await play(LINES.slice(20, 40));
    const { offset, line } = await stopped();
    expect(line).toBeNull();
    delete floor.log.faults.hole;
    expect(await pass(offset)).toBe(false);
    expect((await positionOf0()).stopped).not.toBeNull();
  });

  it('a partition whose record was changed after it was judged is stopped because of its log', async () => {
    const first = await start();
    await play(LINES.slice(0, 20));
    await floor.caughtUp();
    await first.abandon();
    await floor.expireLeases();
    await floor.query(`update rows.table_state set snapshot = null, snapshot_next = null`);
    floor.log.store.of(0)[2] = {
      ...{ partition: 0, offset: 2, key: 'T1' },
      value: Buffer.from('garbage'),
    };
    await start();
    expect(await stopped()).toMatchObject({ offset: 2, line: null });
    expect(await pass(2)).toBe(false);
  });

  it('is not passed by a decision about another offset', async () => {
    await start();
    await play(LINES.slice(0, 20));
    await put('garbage');
    await stopped();
    expect(await pass(4)).toBe(false);
    expect((await positionOf0()).stopped).toMatchObject({ offset: 5, line: 0 });
    expect(await floor.store().passed(0)).toEqual([]);
  });
});

describe('a rebuild', () => {
  it('leaves out a record that is passed while it runs', async () => {
    await start();
    await play(LINES.slice(0, 20));
    await put('garbage');
    await play(LINES.slice(20));
    await stopped();
    const rebuild = (signal?: AbortSignal) =>
      rebuildRows({
        log: floor.log,
        databaseUrl: floor.database.url,
        book: BOOK,
        gamingDays: DAYS,
        ...(signal && { signal }),
      });
    await expect(rebuild(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    // somebody else holds a partition of the new rows, so the next rebuild waits where it began
    await floor.query(
      `update rows_next.position set owner = 'x', lease_until = clock_timestamp() + interval '1 h'`,
    );
    await floor.query(
      `insert into rows.released values (1, 0, 0, 'T9', 'a mark', 'person/ann', now())`,
    );
    const rebuilt = rebuild();
    await eventually(
      'the decisions copied',
      async () => (await floor.query('select * from rows_next.released')).length === 1,
    );
    expect(await pass(5)).toBe(true);
    await floor.caughtUp();
    await floor.query('update rows_next.position set lease_until = clock_timestamp()');
    expect(await rebuilt).toMatchObject({ swapped: true, resumed: true });
    await expectTable('T1', LINES);
    expect(await floor.store().passed(0)).toHaveLength(1);
  });
});
