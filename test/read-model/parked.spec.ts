import { afterEach, describe, expect, it } from '@jest/globals';
import { RowStore, type ListedTable, type ParkedEvent } from '#read-model';
import { eachOnFreshRows, type Rows } from './looking.js';
import { findingRow, move, NOTHING, snapshotRow, tableRow } from './rows.js';

let rows: Rows;
let store: RowStore;
let generation: number;

eachOnFreshRows(async (fresh, url) => {
  rows = fresh;
  store = RowStore.open(url);
  await store.prepare('log-1', 2, 1);
  generation = (await store.claim('anna', 60_000, 2))[0]?.generation as number;
});
afterEach(() => store.close());

const still = (partition = 0) => ({ ...NOTHING, moves: [move(partition, generation, 0, 0)] });
const row = (table: string, with_: Partial<ParkedEvent> = {}): ParkedEvent => ({
  table,
  partition: 0,
  offset: 3,
  line: 1,
  reason: 'unknown type',
  ...with_,
});

async function listed(partition: number): Promise<ListedTable[]> {
  const all = await store.tablesOf(partition);
  return all.sort((one, other) => (one.table < other.table ? -1 : 1));
}

describe('a parked table', () => {
  it('is shown with the event that it stopped at', async () => {
    await store.write({
      ...still(),
      parked: [row('B07'), row('B08', { offset: 9, reason: 'the fold failed' })],
    });
    expect(await store.parked()).toEqual([
      {
        table: 'B07',
        partition: 0,
        offset: 3,
        line: 1,
        reason: 'unknown type',
        parkedAt: expect.stringMatching(/Z$/),
        asked: null,
        askedBy: null,
        askedAt: null,
      },
      {
        table: 'B08',
        partition: 0,
        offset: 9,
        line: 1,
        reason: 'the fold failed',
        parkedAt: expect.stringMatching(/Z$/),
        asked: null,
        askedBy: null,
        askedAt: null,
      },
    ]);
  });

  it('takes a request by name, which the owner of its partition receives', async () => {
    await store.write({ ...still(), parked: [row('B07')] });
    expect(await store.askParked('B09', 'retry', 'mira')).toBe(false);
    expect(await store.asked([0, 1])).toEqual([]);
    expect(await store.askParked('B07', 'retry', 'mira')).toBe(true);
    expect(await store.asked([1])).toEqual([]);
    expect(await store.asked([0])).toMatchObject([
      {
        table: 'B07',
        offset: 3,
        line: 1,
        asked: 'retry',
        askedBy: 'mira',
        askedAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('is unparked in the transaction that writes the rows of the continued fold', async () => {
    await store.write({ ...still(), parked: [row('B07')] });
    await store.askParked('B07', 'retry', 'mira');
    expect(
      await store.unpark('B07', { ...still(), moves: [move(0, generation + 1, 0, 0)] }),
    ).toEqual({ fenced: [0] });
    expect(await store.parked()).toHaveLength(1);
    expect(await store.unpark('B07', { ...still(), findings: [findingRow('f')] })).toEqual({
      fenced: [],
    });
    expect(await store.parked()).toEqual([]);
    expect(await store.released(0)).toEqual([]);
    expect(await rows.counts()).toMatchObject({ finding: 1 });
  });

  it('loses its request when it is parked again', async () => {
    await store.write({ ...still(), parked: [row('B07')] });
    await store.askParked('B07', 'release', 'mira');
    await store.unpark('B07', { ...still(), parked: [row('B07', { offset: 5 })] });
    expect(await store.parked()).toMatchObject([{ table: 'B07', offset: 5, asked: null }]);
    await store.askParked('B07', 'retry', 'mira');
    await store.write({ ...still(), parked: [row('B07', { offset: 5, reason: 'still unknown' })] });
    expect(await store.parked()).toMatchObject([
      {
        table: 'B07',
        offset: 5,
        reason: 'still unknown',
        asked: null,
        askedBy: null,
        askedAt: null,
      },
    ]);
  });

  it('leaves a record of the released event and of who decided', async () => {
    await store.write({ ...still(), parked: [row('B07')] });
    await store.askParked('B07', 'release', 'mira');
    await store.unpark('B07', still());
    expect(await store.released(0)).toEqual([
      {
        table: 'B07',
        partition: 0,
        offset: 3,
        line: 1,
        reason: 'unknown type',
        releasedBy: 'mira',
        releasedAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await store.released(1)).toEqual([]);
  });
});

describe('the new owner of a partition', () => {
  it('finds its tables with their snapshots, positions and parked events', async () => {
    await store.write({
      ...still(),
      moves: [move(0, generation, 0, 0), move(1, generation, 0, 0)],
      tables: [
        tableRow('A', { changed: 4 }),
        tableRow('B', { changed: 9 }),
        tableRow('C', { changed: 2, partition: 1 }),
      ],
      snapshots: [
        snapshotRow('B', 8, 'state of B'),
        snapshotRow('C', 2, '', { partition: 1, waits: true }),
      ],
      parked: [row('B', { offset: 8, line: 0 }), row('D', { offset: 1, line: 7 })],
    });
    const unsaved = { snapshotNext: null, snapshotWaits: null };
    expect(await listed(0)).toEqual([
      { table: 'A', ...unsaved, lastNext: 4, parked: null },
      {
        table: 'B',
        snapshotNext: 8,
        snapshotWaits: false,
        lastNext: 9,
        parked: { offset: 8, line: 0 },
      },
      { table: 'D', ...unsaved, lastNext: 0, parked: { offset: 1, line: 7 } },
    ]);
    expect(await listed(1)).toEqual([
      { table: 'C', snapshotNext: 2, snapshotWaits: true, lastNext: 2, parked: null },
    ]);
    expect(await store.savedTable('A')).toEqual({
      snapshot: null,
      snapshotNext: null,
      lastNext: 4,
    });
    expect(await store.savedTable('B')).toEqual({
      snapshot: Buffer.from('state of B'),
      snapshotNext: 8,
      lastNext: 9,
    });
    expect(await store.savedTable('E')).toBeUndefined();
  });

  it('does not know of a state that an earlier version saved whether its table waits', async () => {
    await store.write({
      ...still(),
      tables: [tableRow('A', { changed: 4 })],
      snapshots: [snapshotRow('A', 4, 'a')],
    });
    await rows.ask('update rows.table_state set snapshot_waits = null');
    expect(await listed(0)).toMatchObject([{ table: 'A', snapshotWaits: null }]);
  });
});
