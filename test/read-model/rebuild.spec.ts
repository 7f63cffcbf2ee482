import { afterEach, describe, expect, it } from '@jest/globals';
import {
  NotAtTheSamePosition,
  Rebuild,
  RebuildRunning,
  RowStore,
  type LivePosition,
  type RowBatch,
} from '#read-model';
import { eachOnFreshRows, type Rows } from './looking.js';
import { coupRow, evening, findingRow, move, NOTHING } from './rows.js';

let url: string;
let rows: Rows;
let live: RowStore;
let generation: number;
const opened: Rebuild[] = [];

eachOnFreshRows(async (fresh, databaseUrl) => {
  rows = fresh;
  url = databaseUrl;
  live = RowStore.open(url);
  await live.prepare('log-1', 2, 1);
  generation = (await live.claim('anna', 60_000, 2))[0]?.generation as number;
  await live.write(evening(generation, 0, 10));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rebuild) => rebuild.close()));
  await live.close();
});

async function openRebuild(): Promise<Rebuild> {
  const rebuild = await Rebuild.open(url);
  opened.push(rebuild);
  return rebuild;
}

/**
 * Returns a function that fills the schema up to the live positions, as the auditor's rebuild does.
 * `with_` overrides the projected rows.
 */
function filling(
  rebuild: Rebuild,
  with_: Partial<RowBatch> = {},
): (positions: readonly LivePosition[]) => Promise<void> {
  return async (positions) => {
    const next = RowStore.open(url, { schema: rebuild.schema });
    try {
      await next.claim('rebuild', 60_000, 100);
      for (const { partition, next: from, generation: own } of await next.positions()) {
        const to = positions.find((position) => position.partition === partition)?.next as number;
        const rowsToo =
          partition === 0 && from === 0
            ? { ...evening(own, 0, 10), ...with_ }
            : { ...NOTHING, ...with_ };
        if (from < to)
          expect(await next.write({ ...rowsToo, moves: [move(partition, own, from, to)] })).toEqual(
            { fenced: [] },
          );
      }
    } finally {
      await next.close();
    }
  };
}

describe('a rebuild', () => {
  it('fills a schema beside the live rows, finds them equal and replaces them', async () => {
    const before = await rows.all();
    const rebuild = await openRebuild();
    expect(await rebuild.prepare('log-1', 2, 1)).toEqual({ resumed: false });
    const told: string[] = [];
    const compared = await rebuild.compare(filling(rebuild), ({ table }) => told.push(table));
    expect(compared.filter(({ equal }) => !equal)).toEqual([]);
    expect(compared).toContainEqual({
      table: 'bet_total',
      live: 2,
      rebuilt: 2,
      equal: true,
      differing: [],
    });
    expect(told).toEqual(compared.map(({ table }) => table));
    await rebuild.swap(filling(rebuild));
    expect(await rows.all()).toEqual(before);
    expect(await rows.ask(`select nspname from pg_namespace where nspname like 'rows%'`)).toEqual([
      { nspname: 'rows' },
    ]);
  });

  it('names the tables that differ, with some keys', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const compared = await rebuild.compare(
      filling(rebuild, {
        coups: [coupRow('device/B07#2', { outcome: 'tie' }), coupRow('extra')],
        findings: [],
      }),
    );
    expect(compared.filter(({ equal }) => !equal)).toEqual([
      // its finding was counted in it later than it changed itself
      { table: 'shoe', live: 1, rebuilt: 1, equal: false, differing: ['(device/B07#1,B07)'] },
      {
        table: 'coup',
        live: 1,
        rebuilt: 2,
        equal: false,
        differing: [expect.stringMatching(/device\/B07#2|extra/)],
      },
      { table: 'finding', live: 1, rebuilt: 0, equal: false, differing: ['(f1)'] },
    ]);
  });

  it('does not compare snapshots, leases or clocks', async () => {
    await live.write({
      ...NOTHING,
      moves: [move(0, generation, 10, 10)],
      parked: [{ table: 'X', partition: 0, offset: 3, line: 0, reason: 'unknown' }],
    });
    await live.askParked('X', 'retry', 'mira');
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const fill = filling(rebuild, {
      snapshots: [],
      parked: [{ table: 'X', partition: 0, offset: 3, line: 0, reason: 'unknown' }],
    });
    expect((await rebuild.compare(fill)).every(({ equal }) => equal)).toBe(true);
    await rebuild.swap(fill);
    // The swap keeps a pending request.
    expect(await live.parked()).toMatchObject([{ table: 'X', asked: 'retry', askedBy: 'mira' }]);
  });

  it('continues an interrupted one, and starts again for another log or fold version', async () => {
    const first = await openRebuild();
    await first.prepare('log-1', 2, 1);
    await filling(first)([
      { partition: 0, next: 6 },
      { partition: 1, next: 0 },
    ]);
    await opened.splice(0)[0]?.close();
    const second = await openRebuild();
    expect(await second.prepare('log-1', 2, 1)).toEqual({ resumed: true });
    expect(await rows.ask('select next from rows_next.position order by partition')).toEqual([
      { next: 6 },
      { next: 0 },
    ]);
    expect(await second.prepare('log-1', 2, 2)).toEqual({ resumed: false });
    expect(await rows.ask('select next, fold_version from rows_next.position')).toEqual([
      { next: 0, fold_version: 2 },
      { next: 0, fold_version: 2 },
    ]);
    expect(await second.prepare('log-2', 2, 2)).toEqual({ resumed: false });
    expect(await second.prepare('log-2', 3, 2)).toEqual({ resumed: false });
  });

  it('does not run twice at the same time', async () => {
    await openRebuild();
    await expect(Rebuild.open(url)).rejects.toThrow(RebuildRunning);
    await opened.splice(0)[0]?.close();
    await expect(openRebuild()).resolves.toBeInstanceOf(Rebuild);
  });

  it('skips the released events of the live rows', async () => {
    await live.write({
      ...NOTHING,
      moves: [move(0, generation, 10, 10)],
      parked: [{ table: 'X', partition: 0, offset: 3, line: 1, reason: 'unknown' }],
    });
    await live.askParked('X', 'release', 'mira');
    await live.unpark('X', { ...NOTHING, moves: [move(0, generation, 10, 10)] });
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const next = RowStore.open(url, { schema: rebuild.schema });
    expect(await next.released(0)).toMatchObject([
      { table: 'X', offset: 3, line: 1, releasedBy: 'mira' },
    ]);
    await next.close();
  });

  it('creates the first rows of a database without rows', async () => {
    await rows.ask('drop schema rows cascade');
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    await filling(rebuild)([
      { partition: 0, next: 10 },
      { partition: 1, next: 0 },
    ]);
    await rebuild.swap(async () => undefined);
    expect(await live.positions()).toMatchObject([
      { next: 10, owner: null },
      { next: 0, owner: null },
    ]);
  });
});

describe('a swap', () => {
  it.each([
    [
      'the rebuilt rows are behind',
      [
        { partition: 0, next: 9 },
        { partition: 1, next: 0 },
      ],
    ],
    [
      'the rebuilt rows are ahead',
      [
        { partition: 0, next: 10 },
        { partition: 1, next: 1 },
      ],
    ],
  ])('is refused if %s, and changes nothing', async (_, positions) => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    await expect(rebuild.swap(() => filling(rebuild)(positions))).rejects.toThrow(
      NotAtTheSamePosition,
    );
    await expect(rebuild.compare(() => filling(rebuild)(positions))).rejects.toThrow(
      NotAtTheSamePosition,
    );
    expect(await rows.ask('select next from rows.position order by partition')).toEqual([
      { next: 10 },
      { next: 0 },
    ]);
    expect(await live.write({ ...NOTHING, moves: [move(0, generation, 10, 11)] })).toEqual({
      fenced: [],
    });
  });

  it('is refused if the last record differs', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    await filling(rebuild)([
      { partition: 0, next: 10 },
      { partition: 1, next: 0 },
    ]);
    await rows.ask(`update rows_next.position set last_digest = 'other' where partition = 0`);
    await expect(rebuild.swap(async () => undefined)).rejects.toThrow(/differs/);
  });

  it('fences the owners of both sides, and new owners can claim at once', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const next = RowStore.open(url, { schema: rebuild.schema });
    const [mine] = await next.claim('rebuild', 60_000, 2);
    const batch: RowBatch = { ...evening(mine?.generation as number, 0, 10) };
    await rebuild.swap(async () => void (await next.write(batch)));
    await next.close();
    expect(
      await live.write({
        ...NOTHING,
        moves: [move(0, generation, 10, 11)],
        findings: [findingRow('late')],
      }),
    ).toEqual({ fenced: [0] });
    expect(
      await live.write({ ...NOTHING, moves: [move(0, mine?.generation as number, 10, 11)] }),
    ).toEqual({ fenced: [0] });
    expect(await live.claim('berta', 60_000, 2)).toMatchObject([
      { partition: 0, next: 10 },
      { partition: 1, next: 0 },
    ]);
  });

  it('loses no concurrent write: each is in the rows afterwards or is fenced', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    let written = 10;
    let over = false;
    const writing = (async () => {
      for (
        let told = await live.write({
          ...NOTHING,
          moves: [move(0, generation, written, written + 1)],
        });
        told.fenced.length === 0;
      ) {
        written += 1;
        if (over) return;
        told = await live.write({ ...NOTHING, moves: [move(0, generation, written, written + 1)] });
      }
    })();
    const fill = filling(rebuild);
    expect((await rebuild.compare(fill)).every(({ equal }) => equal)).toBe(true);
    await rebuild.swap(fill);
    over = true;
    await writing;
    expect(await live.positions()).toMatchObject([{ next: written }, { next: 0 }]);
    expect(written).toBeGreaterThan(10);
  });

  it('fences a write that waits for it, which changes neither schema', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const fill = filling(rebuild);
    let late: Promise<unknown> = Promise.resolve();
    await rebuild.swap(async (positions) => {
      await fill(positions);
      late = live.write({
        ...NOTHING,
        moves: [move(0, generation, 10, 11)],
        findings: [findingRow('late')],
      });
      await rows.waiting('with wanted');
    });
    expect(await late).toEqual({ fenced: [0] });
    expect(await rows.ask('select id from rows.finding')).toEqual([{ id: 'f1' }]);
  });

  it('is visible to sessions that planned their queries before', async () => {
    const [one, other] = [await rows.session(), await rows.session()];
    const looking = { name: 'look', text: 'select outcome from rows.coup order by ref' };
    for (const session of [one, other])
      for (let i = 0; i < 6; i += 1)
        expect((await session.query(looking)).rows).toEqual([{ outcome: 'banker' }]);
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    await rebuild.swap(filling(rebuild, { coups: [coupRow('device/B07#2', { outcome: 'tie' })] }));
    for (const session of [one, other])
      expect((await session.query(looking)).rows).toEqual([{ outcome: 'tie' }]);
    const [{ generation: turned }] = (await live.claim('anna', 60_000, 1)) as unknown as [
      { generation: number },
    ];
    expect(await live.write({ ...evening(turned, 10, 11) })).toEqual({ fenced: [] });
    expect(await rows.ask(looking.text)).toEqual([{ outcome: 'banker' }]);
  });

  it('waits for a report that has read the positions, which sees the former rows until it ends', async () => {
    const rebuild = await openRebuild();
    await rebuild.prepare('log-1', 2, 1);
    const report = await rows.session();
    await report.query('begin isolation level repeatable read');
    await report.query('select next from rows.position');
    const swapped = rebuild.swap(
      filling(rebuild, { coups: [coupRow('device/B07#2', { outcome: 'tie' })] }),
    );
    await rows.waiting('lock table "rows".position');
    expect((await report.query('select outcome from rows.coup')).rows).toEqual([
      { outcome: 'banker' },
    ]);
    await report.query('commit');
    await swapped;
    expect((await report.query('select outcome from rows.coup')).rows).toEqual([
      { outcome: 'tie' },
    ]);
  });
});
