import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Journal } from '#server';
import { canonicalLine, fold, stamped } from '#audit';
import { judgingBy, type Judging } from '../../apps/auditor/src/fold/table-run.js';
import { BOOK } from '../kit/house.js';
import { eventually } from '../kit/eventually.js';
import { simulated } from '../simulate/simulated.js';
import {
  append,
  eventOf,
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

/** A journal that keeps its messages. */
function kept(): Journal & { readonly errors: string[] } {
  const errors: string[] = [];
  return {
    errors,
    info: () => undefined,
    error: (message, fields) => void errors.push(`${message} ${JSON.stringify(fields)}`),
  };
}

/** Returns a fold that fails at one event: always, or a number of times. */
function failingAt(line: string, times = Number.POSITIVE_INFINITY): Judging & { failures: number } {
  const { source, id } = JSON.parse(line) as { source: string; id: string };
  const judging = {
    ...judgingBy(BOOK),
    failures: 0,
    fold: (...taken: Parameters<Judging['fold']>) => {
      const event = eventOf(taken[1]);
      // the state is unusable by then, as after a fold that fails halfway
      fold(...taken);
      if (event.source === source && event.id === id && judging.failures < times) {
        judging.failures += 1;
        throw new Error('the judges fell over');
      }
    },
  };
  return judging;
}

/** Returns a fold whose lane counts too many cards of a kind once it has taken a line. */
function miscountingAt(line: string): Judging {
  const { source, id } = JSON.parse(line) as { source: string; id: string };
  return {
    ...judgingBy(BOOK),
    fold: (...taken: Parameters<Judging['fold']>) => {
      fold(...taken);
      const [state, given] = taken;
      const event = eventOf(given);
      if (event.source === source && event.id === id && state.open?.lane?.isAhead)
        state.open.lane.copies[0] = 99;
    },
  };
}

const expectTable = async (table: string, lines: readonly string[]): Promise<void> =>
  expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
const parkedTables = (): Promise<
  { table: string; offset: string; line: number; reason: string }[]
> => floor.query('select "table", "offset", line, reason from rows.parked');
const positionOf = async (
  partition: number,
): Promise<{ next: number; stopped_reason: string | null; stopped_offset: number | null }> => {
  const [row] = await floor.query<{
    next: string;
    stopped_reason: string | null;
    stopped_offset: string | null;
  }>('select next, stopped_reason, stopped_offset from rows.position where partition = $1', [
    partition,
  ]);
  return {
    next: Number(row?.next),
    stopped_reason: row?.stopped_reason ?? null,
    stopped_offset: row?.stopped_offset ? Number(row.stopped_offset) : null,
  };
};

describe('a partition with unreadable bytes', () => {
  it.each([
    ['garbage', (lines: string[]) => `${lines[20]}\n{"specversion":"1.0",`],
    [
      'an event of another table',
      (lines: string[]) =>
        `${lines[20]}\n${(lines[21] as string).replace('"table":"T1"', '"table":"T2"')}`,
    ],
    ['an empty line', (lines: string[]) => `${lines[20]}\n`],
  ])('stops at the record, and other partitions continue: %s', async (_what, broken) => {
    const journal = kept();
    const auditor = await floor.start({ journal });
    const [lines, others] = [linesAt('T1'), linesAt('T2')];
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 20), [4]), 0);
    await append(floor.log, 'T1', [{ key: 'T1', value: Buffer.from(broken(lines)) }], 0);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(22), [4]), 0);
    await append(floor.log, 'T2', recordsOf('T2', others, [4]), 1);
    const position = await eventually('a stopped partition', async () =>
      (await positionOf(0)).stopped_reason === null ? null : positionOf(0),
    );
    expect(position).toMatchObject({ next: 5, stopped_offset: 5 });
    expect(journal.errors.join('\n')).toMatch(/stopped.*"partition":0,"offset":5/);
    await eventually('the other partition', async () => (await positionOf(1)).next === 100);
    expect(auditor.following).toEqual([1]);
    await expectTable('T1', lines.slice(0, 20));
    await expectTable('T2', others);
  });

  it('stops at a missing record of the log', async () => {
    const lines = linesAt('T1');
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 20), [4]), 0);
    await floor.start();
    await floor.caughtUp();
    floor.log.faults.hole = { partition: 0, offset: 6 };
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(20, 40), [4]), 0);
    const position = await eventually('a stopped partition', async () =>
      (await positionOf(0)).stopped_reason === null ? null : positionOf(0),
    );
    expect(position.stopped_reason).toMatch(/BrokenLog/);
    expect(position.next).toBeLessThanOrEqual(6);
    await expectTable('T1', lines.slice(0, position.next * 4));
  });

  it('continues once the log is repaired and the partition is resumed', async () => {
    const lines = linesAt('T1');
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 40), [4]), 0);
    floor.log.faults.hole = { partition: 0, offset: 6 };
    await floor.start({ leaseMs: 600 });
    await eventually('a stopped partition', async () => (await positionOf(0)).stopped_reason);
    delete floor.log.faults.hole;
    await floor.store().resumePartition(0);
    await floor.caughtUp();
    await expectTable('T1', lines.slice(0, 40));
  });
});

describe('a log that the rows were not made from', () => {
  it('is refused by its id', async () => {
    await floor.start();
    await floor.query("update rows.position set log_id = 'another'");
    await expect(floor.start()).rejects.toThrow(/another/);
  });

  it.each([
    [
      'it ends before the rows',
      async () => floor.query('update rows.position set next = 400 where partition = 0'),
    ],
    [
      'its last record is another',
      async () =>
        floor.query("update rows.position set last_digest = sha256('x') where partition = 0"),
    ],
  ])('stops the partition: %s', async (_what, change) => {
    const first = await floor.start();
    const lines = linesAt('T1');
    await append(floor.log, 'T1', recordsOf('T1', lines, [4]), 0);
    await floor.caughtUp();
    await first.close();
    await change();
    await floor.start();
    expect(
      (
        await eventually('a stopped partition', async () =>
          (await positionOf(0)).stopped_reason === null ? null : positionOf(0),
        )
      ).stopped_reason,
    ).toMatch(/made from another log|not the one that the rows were made from/);
  });
});

describe('a table whose judges fail', () => {
  it('is reloaded and continues if the fault passes', async () => {
    const [lines, others] = [linesAt('T1'), linesAt('T5')];
    const judging = failingAt(lines[150] as string, 1);
    await floor.start({ judging });
    for (const [table, all] of [
      ['T1', lines],
      ['T5', others],
    ] as const)
      await append(floor.log, table, recordsOf(table, all, [1, 6]), 0);
    await floor.caughtUp();
    expect(judging.failures).toBe(1);
    expect(await parkedTables()).toEqual([]);
    await expectTable('T1', lines);
    await expectTable('T5', others);
  });

  it('is parked where its lane and the fold differ, and continues without the lane', async () => {
    const [lines, others] = [linesAt('T1'), linesAt('T5')];
    const first = await floor.start({ judging: miscountingAt(lines[20] as string) });
    for (const [table, all] of [
      ['T1', lines],
      ['T5', others],
    ] as const)
      await append(floor.log, table, recordsOf(table, all, [4]), 0);
    await floor.caughtUp();
    expect(await parkedTables()).toMatchObject([
      { table: 'T1', reason: expect.stringMatching(/^the lane and the fold differ about shoe/) },
    ]);
    await expectTable('T5', others);
    await first.close();
    await floor.start({ judging: judgingBy(BOOK, 'off') });
    await floor.store().askParked('T1', 'retry', 'admin');
    await eventually('the table continues', async () => (await parkedTables()).length === 0);
    await floor.caughtUp();
    await expectTable('T1', lines);
  });

  it.each(['on', 'off'] as const)(
    'is folded from the log again if its snapshot cannot be used (the lane is %s)',
    async (lanes) => {
      const [lines, others] = [linesAt('T1'), linesAt('T5')];
      const first = await floor.start();
      await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 40), [4]), 0);
      await append(floor.log, 'T5', recordsOf('T5', others, [4]), 0);
      await floor.caughtUp();
      await first.close();
      // a lane that had taken another burn card than the one on the log
      const [row] = await floor.query<{ snapshot: Buffer }>(
        `select snapshot from rows.table_state where "table" = 'T1'`,
      );
      const saved = String(row?.snapshot);
      const damaged = saved.replace(/(?<="ahead":.*?\\"card\\":\\")[^\\]+/, '9S');
      expect(damaged).not.toBe(saved);
      await floor.query(`update rows.table_state set snapshot = $1 where "table" = 'T1'`, [
        Buffer.from(damaged),
      ]);
      const journal = kept();
      await floor.start({ judging: judgingBy(BOOK, lanes), journal });
      await append(floor.log, 'T1', recordsOf('T1', lines.slice(40), [4]), 0);
      await floor.caughtUp();
      expect(journal.errors).toEqual([
        expect.stringMatching(/^snapshot unusable: .*"table":"T1","error":"/),
      ]);
      expect(await parkedTables()).toEqual([]);
      await expectTable('T1', lines);
      await expectTable('T5', others);
    },
  );

  it.each([[[1]], [[6]], [[3, 50]]])(
    'is parked with its rows as of the event before, and other tables continue (records of %j lines)',
    async (cuts) => {
      const journal = kept();
      const [lines, others] = [linesAt('T1'), linesAt('T5')];
      await floor.start({ judging: failingAt(lines[150] as string), journal });
      for (const [table, all] of [
        ['T1', lines],
        ['T5', others],
      ] as const)
        await append(floor.log, table, recordsOf(table, all, cuts), 0);
      await floor.caughtUp();
      const [row] = await parkedTables();
      expect(row).toMatchObject({ table: 'T1', reason: 'the judges fell over' });
      const record = recordsOf('T1', lines, cuts)[Number(row?.offset)] as { value: Uint8Array };
      expect(Buffer.from(record.value).toString().split('\n')[row?.line as number]).toBe(
        lines[150],
      );
      expect(journal.errors.join('\n')).toMatch(/table parked.*"table":"T1"/);
      await expectTable('T1', lines.slice(0, 150));
      await expectTable('T5', others);
    },
  );

  it('stays parked across owners, and a retry by judges that do not fail leaves no trace', async () => {
    const [lines, others] = [linesAt('T1'), linesAt('T5')];
    const first = await floor.start({ judging: failingAt(lines[150] as string), leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 300), [7]), 0);
    await append(floor.log, 'T5', recordsOf('T5', others, [7]), 0);
    await floor.caughtUp();
    const rows = floor.store();
    await rows.askParked('T1', 'retry', 'sam'); // by judges that still fail
    await eventually('the asking done', async () => (await rows.parked())[0]?.asked === null);
    expect(await parkedTables()).toHaveLength(1);
    await first.abandon();
    await floor.expireLeases();
    await floor.start({ judging: judgingBy(BOOK), leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(300), [7]), 0);
    await floor.caughtUp();
    await expectTable('T1', lines.slice(0, 150));
    await rows.askParked('T1', 'retry', 'sam');
    await eventually('nothing parked', async () => (await parkedTables()).length === 0);
    await expectTable('T1', lines);
    await expectTable('T5', others);
  });

  it('continues without the event after a release, and leaves it out permanently', async () => {
    const lines = linesAt('T1');
    const judging = failingAt(lines[150] as string);
    const first = await floor.start({ judging, leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 300), [7]), 0);
    await floor.caughtUp();
    const rows = floor.store();
    await rows.askParked('T1', 'release', 'sam');
    await eventually('nothing parked', async () => (await parkedTables()).length === 0);
    const without = lines.filter((_, at) => at !== 150);
    await expectTable('T1', without.slice(0, 299));
    expect(await rows.released(0)).toMatchObject([
      { table: 'T1', releasedBy: 'sam', reason: 'the judges fell over' },
    ]);
    await first.abandon();
    await floor.expireLeases();
    await floor.start({ judging, leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(300), [7]), 0);
    await floor.caughtUp();
    await expectTable('T1', without);
  });

  it('is parked again if it fails at a later event', async () => {
    const lines = linesAt('T1');
    const [one, two] = [failingAt(lines[150] as string), failingAt(lines[260] as string)];
    const judging: Judging = {
      ...judgingBy(BOOK),
      fold: (state, event, ...with_) =>
        (eventOf(event).id === (JSON.parse(lines[260] as string) as { id: string }).id
          ? two
          : one
        ).fold(state, event, ...with_),
    };
    await floor.start({ judging, leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', lines, [7]), 0);
    await floor.caughtUp();
    await floor.store().askParked('T1', 'release', 'sam');
    await eventually(
      'the table at the later event',
      async () => Number((await parkedTables())[0]?.offset) === Math.floor(260 / 7),
    );
    await expectTable(
      'T1',
      lines.slice(0, 260).filter((_, at) => at !== 150),
    );
  });
});

describe('an event that this auditor does not know', () => {
  const unknown = (line: string, change: (text: string) => string): string => change(line);
  const later = (lines: readonly string[]): string => {
    const event = JSON.parse(lines[100] as string) as Record<string, unknown>;
    return JSON.stringify({ ...event, type: 'shoeprint.card-burned.v7' });
  };

  it.each([
    ['an unknown type', later],
    [
      'an unknown version',
      (lines: readonly string[]) =>
        unknown(lines[100] as string, (text) => text.replace('.v1"', '.v9"')),
    ],
    [
      'rules that are not installed',
      (lines: readonly string[]) =>
        stamped(
          canonicalLine(lines.find((line) => line.includes('shoe-opened')) as string).replace(
            'punto-banco@1',
            'macau-2099@1',
          ),
          'device/x',
          '2026-11-20T12:00:00.000Z',
        ),
    ],
  ])('parks its table: %s', async (_what, make) => {
    const [lines, others] = [linesAt('T1'), linesAt('T5')];
    await floor.start();
    await append(
      floor.log,
      'T1',
      recordsOf('T1', [...lines.slice(0, 100), make(lines), ...lines.slice(101)], [7]),
      0,
    );
    await append(floor.log, 'T5', recordsOf('T5', others, [7]), 0);
    await floor.caughtUp();
    expect(await parkedTables()).toMatchObject([
      { table: 'T1', offset: String(Math.floor(100 / 7)), line: 100 % 7 },
    ]);
    await expectTable('T1', lines.slice(0, 100));
    await expectTable('T5', others);
  });

  it('parks a table even if it is the first event of the table', async () => {
    const lines = linesAt('T1');
    await floor.start({ leaseMs: 600 });
    await append(floor.log, 'T1', recordsOf('T1', [later(lines), ...lines], [1]), 0);
    await floor.caughtUp();
    expect(await parkedTables()).toMatchObject([{ table: 'T1', offset: '0', line: 0 }]);
    await floor.store().askParked('T1', 'release', 'sam');
    await eventually('nothing parked', async () => (await parkedTables()).length === 0);
    await expectTable('T1', lines);
  });
});
