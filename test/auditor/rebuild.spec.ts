import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rebuildRows, type RebuildProgress } from '#auditor';
import { BOOK } from '../kit/house.js';
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
  floor = await Floor.open(3);
});
afterEach(async () => floor.close());

const tables = new Map(
  ['T1', 'T2', 'T3', 'T4'].map((table) => [
    table,
    linesOf(
      simulated({
        rules: 'punto-banco@1',
        bets: true,
        seed: table,
        shoes: 1,
        table,
        faults: ['TC-05', 'PY-03', 'CM-06', 'DV-01'],
      }).lines,
    ),
  ]),
);
const rebuild = (more: Partial<Parameters<typeof rebuildRows>[0]> = {}) =>
  rebuildRows({
    log: floor.log,
    databaseUrl: floor.database.url,
    book: BOOK,
    gamingDays: DAYS,
    ...more,
  });
const part = async (from: number, to?: number): Promise<void> => {
  for (const [table, lines] of tables)
    await append(floor.log, table, recordsOf(table, lines.slice(from, to), [3, 1, 20]));
};

describe('a rebuild', () => {
  it('produces rows equal to the live ones, and the auditor continues with them', async () => {
    await floor.start({ leaseMs: 600 });
    await part(0, 1200);
    await floor.caughtUp();
    const before = await floor.dump();
    const report = await rebuild();
    expect(report).toMatchObject({ swapped: true, resumed: false });
    expect(report.tables.filter(({ equal }) => !equal)).toEqual([]);
    expect(report.tables.find(({ table }) => table === 'coup')?.rebuilt).toBeGreaterThan(100);
    expect(await floor.dump()).toEqual(before);
    await part(1200);
    await floor.caughtUp();
    for (const [table, lines] of tables)
      expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
  });

  it('produces the same rows without the fast path, also of coups that are open', async () => {
    const { lines: lawful } = simulated({ rules: 'nsw-crown@1', bets: true, seed: 9, shoes: 2 });
    const opening = lawful.findLastIndex((line) => line.includes('"shoeprint.coup-opened.v1"'));
    await floor.start({ leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', linesOf(lawful.slice(0, opening + 3)), [7]));
    await append(floor.log, 'T2', recordsOf('T2', tables.get('T2') as string[], [7]));
    await floor.caughtUp();
    const report = await rebuild({ lanes: 'off' });
    expect(report.tables.filter(({ equal }) => !equal)).toEqual([]);
    const [{ open } = { open: 0 }] = await floor.query<{ open: number }>(
      `select count(*)::int as open from rows.coup where state = 'open' and "table" = 'T1'`,
    );
    expect(open).toBe(1);
  });

  it('catches up with live rows that advance meanwhile', async () => {
    await floor.start({ leaseMs: 600 });
    await part(0, 600);
    await floor.caughtUp();
    const writing = part(600);
    const report = await rebuild();
    await writing;
    expect(report.swapped).toBe(true);
    await floor.caughtUp();
    for (const [table, lines] of tables)
      expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
  });

  it('resumes after an interruption', async () => {
    await part(0);
    const auditor = await floor.start();
    await floor.caughtUp();
    await auditor.close();
    const stop = new AbortController();
    const seen: RebuildProgress[] = [];
    const interrupted = rebuild({
      signal: stop.signal,
      progress: (progress) => {
        seen.push(progress);
        if (progress.done > 0) stop.abort(new Error('enough'));
      },
    });
    await expect(interrupted).rejects.toThrow('enough');
    expect(seen.length).toBeGreaterThan(0);
    const [{ done } = { done: 0 }] = await floor.query<{ done: number }>(
      'select sum(next)::int as done from rows_next.position',
    );
    expect(done).toBeGreaterThan(0);
    const before = await floor.dump();
    const report = await rebuild();
    expect(report).toMatchObject({ swapped: true, resumed: true });
    expect(await floor.dump()).toEqual(before);
  });

  it('swaps in rows that differ only if that is accepted, and reports which differ', async () => {
    await part(0, 800);
    const auditor = await floor.start();
    await floor.caughtUp();
    await auditor.close();
    const good = await floor.dump();
    await floor.query(`update rows.coup set outcome = 'tie' where coup = 3 and "table" = 'T2'`);
    await floor.query(`delete from rows.finding where code = 'PY-03' and "table" = 'T1'`);
    const refused = await rebuild();
    expect(refused.swapped).toBe(false);
    expect(
      refused.tables
        .filter(({ equal }) => !equal)
        .map(({ table }) => table)
        .sort(),
    ).toEqual(
      (good.finding as { code: string }[]).some(({ code }) => code === 'PY-03')
        ? ['coup', 'finding']
        : ['coup'],
    );
    expect(await floor.dump()).not.toEqual(good);
    expect((await rebuild({ acceptDifferences: true })).swapped).toBe(true);
    expect(await floor.dump()).toEqual(good);
  });

  it('is refused while another rebuild runs', async () => {
    await part(0, 200);
    const auditor = await floor.start();
    await floor.caughtUp();
    const outcomes = await Promise.allSettled([rebuild(), rebuild()]);
    expect(
      outcomes
        .filter(({ status }) => status === 'rejected')
        .map((each) => String((each as PromiseRejectedResult).reason)),
    ).toEqual(['RebuildRunning: another rebuild of these rows is running']);
    await auditor.close();
  });
});
