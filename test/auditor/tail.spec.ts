import { expect, it } from '@jest/globals';
import { Decoder, FOLD_VERSION, houseFrom } from '#audit';
import { gamingDays } from '#read-model';
import { PartitionFold, type Projection } from '../../apps/auditor/src/fold/partition-fold.js';
import { judgingBy } from '../../apps/auditor/src/fold/table-run.js';
import { Writer } from '../../apps/auditor/src/own/writer.js';
import { BOOK } from '../kit/house.js';
import { TableLog } from '../kit/table.js';
import { simulated } from '../simulate/simulated.js';
import { DAYS, Floor, linesOf } from './floor.js';

const MIB = 1024 * 1024;
const call = (table: string, nth: number, reason: string): string =>
  JSON.stringify({
    specversion: '1.0',
    type: 'shoeprint.supervisor-called.v1',
    source: 'person/sam',
    id: `call/${nth}`,
    time: '2026-11-20T12:00:00.000Z',
    table,
    data: { reason },
  });
/** A block of three events of nearly the greatest length. */
const BLOCK = Buffer.from([1, 2, 3].map((nth) => call('T1', nth, 'x'.repeat(16_000))).join('\n'));
const TABLES = 20;
const EVENTS = 16_000;
const EVENTS_AT_REST_MAX = 10_000;

it('a takeover folds a bounded number of bytes again, even if they are few events', () => {
  const fold = new PartitionFold(
    { partition: 0, generation: 1, next: 0, lastDigest: null },
    judgingBy(BOOK),
  );
  const decoder = new Decoder(houseFrom(BOOK));
  let saved = 0;
  let longest = 0;
  let savings = 0;
  for (let offset = 0; offset * BLOCK.length < 150 * MIB; offset += 1) {
    fold.take({ partition: 0, offset, key: 'T1', value: BLOCK }, decoder);
    if (offset % 20 !== 0) continue;
    // as in live play: one snapshot per transaction
    const { rows } = fold.project(() => '2026-11-20', 1);
    for (const { next } of rows.snapshots) [saved, savings] = [next, savings + 1];
    longest = Math.max(longest, (offset - saved) * BLOCK.length);
  }
  expect(longest / MIB).toBeLessThan(65);
  expect(savings).toBeLessThan(4); // not saved more often than needed
});

it('a takeover folds fewer events again after a pause, in which the oldest states were saved', () => {
  const fold = new PartitionFold(
    { partition: 0, generation: 1, next: 0, lastDigest: null },
    judgingBy(BOOK),
  );
  const decoder = new Decoder(houseFrom(BOOK));
  for (let offset = 0; offset < EVENTS; offset += 1) {
    const key = `T${offset % TABLES}`;
    fold.take({ partition: 0, offset, key, value: Buffer.from(call(key, offset, 'x')) }, decoder);
  }
  expect(fold.projectAtRest(MIB)).toBeUndefined(); // something else is to be written
  const from = new Map(
    fold.project(() => '2026-11-20', 1).rows.snapshots.map(({ table, next }) => [table, next]),
  );
  expect(EVENTS - Math.min(...from.values())).toBeGreaterThan(EVENTS_AT_REST_MAX);
  let pieces = 0;
  for (let piece = fold.projectAtRest(1); piece; piece = fold.projectAtRest(1)) {
    expect(piece.rows.snapshots).toHaveLength(1);
    for (const { table, next } of piece.rows.snapshots) from.set(table, next);
    pieces += 1;
  }
  expect(pieces).toBe(TABLES);
  expect(EVENTS - Math.min(...from.values())).toBeLessThan(EVENTS_AT_REST_MAX);
});

const SHOES = 8;
const EVENTS_OF_SHOE = 1_200;

it('saves states in several pieces, one after the other, while there is nothing else to write', async () => {
  const floor = await Floor.open(1);
  try {
    const rows = floor.store();
    await rows.prepare(floor.log.id, 1, FOLD_VERSION);
    const [claimed] = await rows.claim('a test', 600_000, 1);
    if (!claimed) throw new Error('no partition was claimed');
    const fold = new PartitionFold(claimed, judgingBy(BOOK));
    const failed: unknown[] = [];
    const writer = new Writer(rows, gamingDays(DAYS), {
      lost: () => failed.push('lost'),
      unwritable: (_, why) => failed.push(why),
      committed: () => undefined,
      failed: (why) => failed.push(why),
    });
    writer.add(fold);
    const tables = Array.from({ length: SHOES }, (_, nth) => `T${nth}`);
    const games = tables.map((table) => {
      const options = { rules: 'punto-banco@1', bets: true, seed: table, shoes: 2, table };
      return linesOf(simulated(options).lines).slice(0, EVENTS_OF_SHOE);
    });
    const decoder = new Decoder(houseFrom(BOOK));
    for (let offset = 0; offset < SHOES * EVENTS_OF_SHOE; offset += 1) {
      const line = games[offset % SHOES]?.[Math.floor(offset / SHOES)] as string;
      const key = tables[offset % SHOES] as string;
      fold.take({ partition: 0, offset, key, value: Buffer.from(line) }, decoder);
    }
    await writer.flushed(fold);
    const saved = async () => {
      const [row] = await floor.query<{ tables: number; bytes: number }>(
        `select count(*)::int as tables, coalesce(sum(length(snapshot)), 0)::int as bytes
         from rows.table_state where snapshot_next = $1`,
        [fold.next],
      );
      return row as { tables: number; bytes: number };
    };
    expect(await saved()).toEqual({ tables: 0, bytes: 0 });
    await writer.saveAtRest();
    const { bytes } = await saved();
    expect(bytes).toBeGreaterThan(MIB); // a piece ends with the table that goes beyond half of that
    for (let calls = 0; (await saved()).tables < SHOES && calls < SHOES; calls += 1)
      await writer.saveAtRest();
    expect((await saved()).tables).toBe(SHOES);
    expect(failed).toEqual([]);
  } finally {
    await floor.close();
  }
});

/** A partition that is folded by a clock of the test's own, in minutes. */
function partition() {
  const clock = { minutes: 0 };
  const decoder = new Decoder(houseFrom(BOOK));
  const fold = new PartitionFold(
    { partition: 0, generation: 1, next: 0, lastDigest: null },
    judgingBy(BOOK),
    undefined,
    () => clock.minutes * 60_000,
  );
  const write = (projection: Projection | undefined): string[] => {
    if (projection) fold.wrote(projection.move);
    return (projection?.rows.snapshots ?? []).map(({ table }) => table).sort();
  };
  const take = (key: string, line: string): void => {
    const { next: offset } = fold;
    fold.take({ partition: 0, offset, key, value: Buffer.from(line) }, decoder);
    write(fold.project(() => '2026-11-20', 1));
  };
  return {
    ...{ clock, fold, take },
    /** Folds an event of each table. */
    play: (...tables: string[]): void => {
      for (const key of tables) take(key, call(key, fold.next, 'x'));
    },
    /** Saves while there is nothing else to write. Returns the tables that were saved. */
    rest: (): string[] => write(fold.projectAtRest(MIB)),
  };
}

it('a table that is quiet for half a minute is saved, once', () => {
  const { clock, play, rest } = partition();
  play('T1', 'T2', 'T3');
  clock.minutes = 0.4;
  play('T2');
  expect(rest()).toEqual([]);
  clock.minutes = 0.5;
  expect(rest()).toEqual(['T1', 'T3']);
  clock.minutes = 0.9;
  expect(rest()).toEqual(['T2']);
  clock.minutes = 9;
  expect(rest()).toEqual([]);
});

it('a saved table that is quiet for ten minutes is not kept in memory', () => {
  const { clock, fold, play, rest } = partition();
  play('T1', 'T2');
  clock.minutes = 9.5;
  play('T2');
  rest();
  clock.minutes = 10;
  rest();
  expect([...fold.tables.keys()]).toEqual(['T2']);
  expect([...fold.unloaded.keys()]).toEqual(['T1']);
  const record = { partition: 0, offset: fold.next, key: 'T1', value: Buffer.from('') };
  expect(fold.needsTableOf(record)).toBe(true);
  expect(fold.needsTableOf({ ...record, offset: fold.next - 1 })).toBe(false); // folded before
  expect(() => play('T1')).toThrow(/T1 is not loaded/);
});

it('a table that is quiet for ten minutes is kept in memory until it is saved', () => {
  const { clock, fold, play, rest } = partition();
  play('T1');
  clock.minutes = 10;
  expect([...fold.tables.keys()]).toEqual(['T1']);
  expect(rest()).toEqual(['T1']);
  expect([...fold.tables.keys()]).toEqual(['T1']);
  rest();
  expect([...fold.tables.keys()]).toEqual([]);
});

it('a quiet table is kept in memory while it waits for missing numbers', () => {
  const { clock, fold, take, rest } = partition();
  const log = new TableLog();
  log.open();
  log.add('shoe', 'coup-opened', { coup: 1 });
  log.draw('P 2S B 9S');
  const [first, second, ...others] = linesOf(log.events) as [string, string, ...string[]];
  for (const line of [first, ...others]) take('T1', line);
  clock.minutes = 10;
  expect(rest()).toEqual(['T1']);
  rest();
  expect([...fold.tables.keys()]).toEqual(['T1']);
  take('T1', second);
  clock.minutes = 20;
  rest();
  rest();
  expect([...fold.unloaded.keys()]).toEqual(['T1']);
});
