import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Decoder, fold, houseFrom } from '#audit';
import type { Journal } from '#server';
import { MemoryLog, type StoredRecord } from '#event-log';
import { judgingBy, type Judging } from '../../apps/auditor/src/fold/table-run.js';
import { PartitionOpening } from '../../apps/auditor/src/own/loading/load-partition.js';
import { load } from '../../apps/auditor/src/own/loading/load-table.js';
import { TimeSlices } from '../../apps/auditor/src/own/loading/time-slices.js';
import { decoded } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
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
  tablesIn,
} from './floor.js';

/** A log that reads little at a time, and keeps some reads waiting while it is shut. */
class SlowLog extends MemoryLog {
  /** The offsets from which a read waits: the first, and the one after the last. */
  private gate = { from: Infinity, to: Infinity };
  /** How many reads of partition 0 began at its start. */
  readsFromStart = 0;
  private readonly waiting: (() => void)[] = [];
  fails = false;

  override async read(partition: number, from: number): Promise<StoredRecord[]> {
    if (this.fails) throw new Error('the log is away');
    if (partition === 0 && from === 0) this.readsFromStart += 1;
    const last = (await this.head(partition)) - 1;
    if (from >= this.gate.from && from < this.gate.to && from < last)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    return super.read(partition, from, 2_000);
  }

  /** Keeps reads from some offsets on waiting, but for those of the last record. */
  shut(from: number, to = Infinity): void {
    this.gate = { from, to };
  }

  get isWaitedFor(): boolean {
    return this.waiting.length > 0;
  }

  open(): void {
    this.shut(Infinity);
    for (const goOn of this.waiting.splice(0)) goOn();
  }
}

/** A log that reads little at a time, into one buffer that the next read fills with zeros. */
class OneBufferLog extends MemoryLog {
  private last = Buffer.alloc(0);

  override async read(partition: number, from: number): Promise<StoredRecord[]> {
    this.last.fill(0);
    const records = await super.read(partition, from, 2_000);
    const buffer = Buffer.concat(records.map(({ value }) => value));
    this.last = buffer;
    let end = 0;
    return records.map((record) => {
      const start = end;
      end += record.value.length;
      return { ...record, value: buffer.subarray(start, end) };
    });
  }
}

let floor: Floor;
let log: SlowLog;
beforeEach(async () => {
  floor = await Floor.open(2);
  log = new SlowLog({ store: floor.log.store });
});
afterEach(async () => {
  log.open();
  await floor.close();
});

/** Messages of a journal, with their fields as JSON. */
interface Kept extends Journal {
  readonly lines: string[];
  readonly has: (text: string) => boolean;
}

function kept(): Kept {
  const lines: string[] = [];
  const keep = (message: string, fields?: object): void =>
    void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  return { lines, info: keep, error: keep, has: (text) => lines.some((it) => it.includes(text)) };
}

/** Returns a fold that counts what it folds. */
function counting(): Judging & { folded: number } {
  const judging = {
    ...judgingBy(BOOK),
    folded: 0,
    fold: (...taken: Parameters<Judging['fold']>) => {
      judging.folded += 1;
      fold(...taken);
    },
  };
  return judging;
}

const EVENTS = 600;
const linesAt = (table: string): string[] =>
  linesOf(
    simulated({ rules: 'punto-banco@1', bets: true, seed: table, shoes: 1, table }).lines,
  ).slice(0, EVENTS + 200);

/** Appends the first events of tables, has them written by an auditor, and kills it. */
async function written(tables: readonly string[]) {
  const first = await floor.start();
  for (const table of tables)
    await append(floor.log, table, recordsOf(table, linesAt(table).slice(0, EVENTS), [4]));
  await floor.caughtUp();
  await first.abandon();
  await floor.expireLeases();
}

const steal = (): Promise<unknown> =>
  floor.query(
    `update rows.position set owner = 'another', generation = generation + 1,
       lease_until = clock_timestamp() + interval '1 h' where partition = 0`,
  );
const giveBack = (): Promise<unknown> =>
  floor.query(
    `update rows.position set owner = null, lease_until = null, generation = generation + 1 where partition = 0`,
  );
const expectTable = async (table: string, lines: readonly string[]): Promise<void> =>
  expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
/** Appends what `written` left out of T1, and expects the rows of all of it. */
async function expectRestOfT1(): Promise<void> {
  await append(floor.log, 'T1', recordsOf('T1', linesAt('T1').slice(EVENTS), [4]), 0);
  await floor.caughtUp();
  await expectTable('T1', linesAt('T1'));
}

describe('a takeover', () => {
  it('goes on where it stopped if the partition comes back and nobody wrote it', async () => {
    await written(['T1']);
    const journal = kept();
    const judging = counting();
    log.shut(EVENTS / 8);
    const auditor = await floor.start({ log, journal, judging, leaseMs: 1_000 });
    await eventually('a takeover that waits for the log', () => log.isWaitedFor);
    await steal();
    await eventually('the loss', () => journal.has('partition lost'));
    expect(log.readsFromStart).toBe(1);
    log.open();
    await giveBack();
    await eventually('both partitions', () => auditor.following.length === 2);
    await eventually('the table', () => journal.has('tables loaded'));
    expect(log.readsFromStart).toBe(1);
    expect(judging.folded).toBe(EVENTS);
    expect(journal.lines.join('\n')).toMatch(/loading resumed \{"partition":0\}/);
    await expectRestOfT1();
  });

  it('saves what it folded again, so that the next one does not', async () => {
    await written(['T1']);
    const first = await floor.start();
    const isSaved = async (): Promise<boolean> => {
      const [row] = await floor.query<{ next: string }>(
        'select snapshot_next as next from rows.table_state',
      );
      return Number(row?.next) === EVENTS / 4;
    };
    // any quiet table is saved after half a minute
    await eventually('the state of the table, soon', isSaved, 20_000);
    await first.abandon();
    await floor.expireLeases();
    const judging = counting();
    const second = await floor.start({ judging });
    await eventually('both partitions', () => second.following.length === 2);
    await eventually('all tables', () => second.isIdle);
    expect(judging.folded).toBe(0);
  });

  it('judges an event as soon as its table is loaded, whatever other tables take', async () => {
    const [first, rest] = [linesAt('T1').slice(0, EVENTS), linesAt('T5')];
    const auditor = await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', first, [4]), 0);
    await floor.caughtUp();
    await auditor.close(); // saves T1
    const saved = await floor.log.head(0);
    await written(['T5']);
    // T1 has an event since, and its saved state is damaged: all of its log must be folded again
    const another = await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', linesAt('T1').slice(EVENTS), [100]), 0);
    await floor.caughtUp();
    await another.abandon();
    await floor.expireLeases();
    await floor.query(`update rows.table_state set snapshot = 'damaged' where "table" = 'T1'`);
    log.shut(0, saved);
    const slow = await floor.start({ log });
    await eventually('a table that waits for the log', () => log.isWaitedFor);
    await append(floor.log, 'T5', recordsOf('T5', rest.slice(EVENTS), [4]), 0);
    await floor.caughtUp();
    await expectTable('T5', rest);
    expect(slow.isIdle).toBe(false);
    log.open();
    await eventually('all tables', () => slow.isIdle);
    await expectTable('T1', linesAt('T1'));
  });

  it('judges the events of every partition, whatever the tables of other partitions take', async () => {
    const wide = await Floor.open(8);
    const slow = new SlowLog({ store: wide.log.store });
    try {
      const tables = Array.from({ length: 8 }, (_, partition) => tablesIn(wide.log, partition, 1));
      const send = async (from: number, to: number): Promise<void> => {
        for (const table of tables.flat())
          await append(wide.log, table, recordsOf(table, linesAt(table).slice(from, to), [4]));
        await wide.caughtUp();
      };
      const first = await wide.start();
      await send(0, EVENTS);
      await first.close(); // saves all
      const second = await wide.start();
      await send(EVENTS, EVENTS + 4);
      await second.abandon();
      await wide.expireLeases();
      await wide.query(`update rows.table_state set snapshot = 'damaged'`);
      slow.shut(0, EVENTS / 4); // no table can be folded again
      const third = await wide.start({ log: slow });
      await eventually('all partitions', () => third.following.length === 8);
      expect(third.isIdle).toBe(false);
      slow.open();
      await eventually('all tables', () => third.isIdle);
    } finally {
      slow.open();
      await wide.close();
    }
  });

  it('begins again if another auditor wrote the partition meanwhile', async () => {
    await written(['T1']);
    const journal = kept();
    log.shut(EVENTS / 8);
    const slow = await floor.start({ log, journal, leaseMs: 1_000 });
    await eventually('a takeover that waits for the log', () => log.isWaitedFor);
    await steal();
    await eventually('the loss', () => journal.has('partition lost'));
    // the auditor that has it now writes without moving the position, as when it releases a table
    await floor.query(
      'update rows.position set committed_at = clock_timestamp() where partition = 0',
    );
    log.open();
    await giveBack();
    await eventually('both partitions', () => slow.following.length === 2);
    expect(journal.has('loading resumed')).toBe(false);
    await expectRestOfT1();
  });

  it('a takeover that the log does not answer releases the partition, stops nothing, and continues later', async () => {
    await written(['T1']);
    const journal = kept();
    const judging = counting();
    log.shut(EVENTS / 8);
    const auditor = await floor.start({ log, journal, judging, leaseMs: 1_000 });
    await eventually('a takeover that waits for the log', () => log.isWaitedFor);
    log.fails = true;
    log.open();
    await eventually('a partition given up', () => journal.has('it could not be followed'));
    log.fails = false;
    await eventually('both partitions', () => auditor.following.length === 2);
    await eventually('the table', () => journal.has('tables loaded'));
    expect(judging.folded).toBe(EVENTS);
    expect(await floor.query('select from rows.position where stopped_at is not null')).toEqual([]);
  });
});

describe('a table that is saved and quiet', () => {
  /** Has two tables saved that stopped in the middle of a shoe. */
  async function saved(): Promise<void> {
    const first = await floor.start();
    for (const table of ['T1', 'T5'])
      await append(floor.log, table, recordsOf(table, linesAt(table).slice(0, EVENTS), [4]), 0);
    await floor.caughtUp();
    await first.close();
  }
  const goOn = (table: string): Promise<void> =>
    append(floor.log, table, recordsOf(table, linesAt(table).slice(EVENTS), [4]), 0);

  it('is not loaded by a takeover, but by its next event, and goes on as if it had been', async () => {
    await saved();
    const journal = kept();
    const judging = counting();
    const second = await floor.start({ journal, judging });
    await eventually('both partitions', () => second.following.length === 2);
    expect(journal.lines.join('\n')).toMatch(/partition taken over .*"tables":2,"due":0/);
    await goOn('T1');
    await floor.caughtUp();
    expect(judging.folded).toBe(linesAt('T1').length - EVENTS);
    await expectTable('T1', linesAt('T1'));
    await expectTable('T5', linesAt('T5').slice(0, EVENTS));
    await goOn('T5');
    await floor.caughtUp();
    await expectTable('T5', linesAt('T5'));
  });

  it('is loaded once the database answers again, and its partition waits for it', async () => {
    await saved();
    const rows = floor.store();
    const journal = kept();
    const second = await floor.start({ rows, journal });
    await eventually('both partitions', () => second.following.length === 2);
    await floor.query('alter table rows.table_state rename to away');
    await goOn('T1');
    await eventually('a table that could not be loaded', () => journal.has('retrying table load'));
    await floor.query('alter table rows.away rename to table_state');
    await floor.caughtUp();
    await expectTable('T1', linesAt('T1'));
  });

  it('is parked if its saved state cannot be used and its log cannot be folded any more', async () => {
    await saved();
    await floor.query(`update rows.table_state set snapshot = 'damaged' where "table" = 'T1'`);
    const journal = kept();
    const bad = linesAt('T1')[40] as string;
    const judging = {
      ...judgingBy(BOOK, 'off'),
      fold: (...taken: Parameters<Judging['fold']>) => {
        if (JSON.stringify(eventOf(taken[1])) === JSON.stringify(decoded(bad)))
          throw new Error('the judges fell over');
        fold(...taken);
      },
    };
    await floor.start({ journal, judging });
    await goOn('T1');
    await goOn('T5');
    await floor.caughtUp();
    expect(await floor.store().parked()).toMatchObject([
      { table: 'T1', offset: 10, line: 0, reason: 'the judges fell over' },
    ]);
    await expectTable('T5', linesAt('T5'));
    await expectTable('T1', linesAt('T1').slice(0, EVENTS)); // the rows stay as they were written
  });
});

describe('an auditor that gives a partition back', () => {
  it('saves the states of its tables first, so that the next owner folds nothing again', async () => {
    const tables = [0, 1].map((partition) => tablesIn(floor.log, partition, 3));
    await floor.start();
    for (const table of tables.flat())
      await append(floor.log, table, recordsOf(table, linesAt(table).slice(0, EVENTS), [4]));
    await floor.caughtUp();
    const journal = kept();
    const judging = counting();
    const second = await floor.start({ journal, judging });
    await eventually('a partition of its own', () => second.following.length === 1);
    const taken = tables[second.following[0] as number] as string[];
    expect(journal.lines.join('\n')).toMatch(/partition taken over .*"tables":3,"due":0/);
    expect(judging.folded).toBe(0);
    for (const table of taken)
      await append(floor.log, table, recordsOf(table, linesAt(table).slice(EVENTS), [4]));
    await floor.caughtUp();
    for (const table of taken) await expectTable(table, linesAt(table));
  });

  it('gives those first that it has not begun to load, so that two auditors load at the same time', async () => {
    const wide = await Floor.open(6);
    const slow = new SlowLog({ store: wide.log.store });
    try {
      const partitions = [0, 1, 2, 3, 4, 5]; // four are loaded at once
      for (const table of partitions.flatMap((partition) => tablesIn(wide.log, partition, 1)))
        await append(wide.log, table, recordsOf(table, linesAt(table).slice(0, EVENTS), [4]));
      const writer = await wide.start();
      await wide.caughtUp();
      await writer.abandon();
      await wide.expireLeases();
      slow.shut(EVENTS / 8);
      const first = await wide.start({ log: slow });
      await eventually('loads that wait for the log', () => slow.isWaitedFor);
      const second = await wide.start();
      await eventually('two partitions for the second', () => second.following.length === 2);
      expect(first.following).toEqual([]);
      slow.open();
      await eventually('three partitions for each', () =>
        [first, second].every(({ following }) => following.length === 3),
      );
    } finally {
      slow.open();
      await wide.close();
    }
  });

  it('gives none back that it is loading', async () => {
    await written(['T1', 'T2']);
    const judging = counting();
    log.shut(EVENTS / 8);
    const slow = await floor.start({ log, judging });
    await eventually('a takeover that waits for the log', () => log.isWaitedFor);
    const before = await floor.query('select partition, owner, generation from rows.position');
    const journal = kept();
    const second = await floor.start({ journal });
    const [began] = await floor.query<{ at: string }>('select clock_timestamp()::text as at');
    await eventually('two auditors that have known each other for some beats', async () => {
      const [{ known } = { known: false }] = await floor.query<{ known: boolean }>(
        `select count(*) = 2 and min(seen_at) > $1::timestamptz + interval '2 s' as known from rows.member`,
        [began?.at],
      );
      return known;
    });
    expect(await floor.query('select partition, owner, generation from rows.position')).toEqual(
      before,
    );
    log.open();
    await eventually('a partition for each', () =>
      [slow, second].every(({ following }) => following.length === 1),
    );
    expect(judging.folded).toBe(2 * EVENTS);
    expect(journal.lines.join('\n')).toMatch(/partition taken over .*"due":0/);
  });
});

describe('long work is divided into slices', () => {
  it('long work is divided into slices of at most 10 ms, however much runs side by side', async () => {
    let clock = 0;
    const slices = new TimeSlices(() => clock);
    const longest = await longestTurn(
      () => clock,
      async () => {
        const work = async (): Promise<void> => {
          for (let step = 0; step < 100; step += 1) {
            clock += 3;
            await slices.giveWay();
          }
        };
        await Promise.all([work(), work(), work(), work()]);
      },
    );
    expect(clock).toBe(1_200);
    expect(longest).toBeLessThanOrEqual(24);
  });

  it('loading the states of many tables and folding the log onto them is divided into slices', async () => {
    await written(tablesIn(floor.log, 0, 12));
    const [claimed] = await floor.store().claim('a test', 60_000, 1);
    if (!claimed) throw new Error('no partition was claimed');
    // every look at the clock is a step of the work
    let clock = 0;
    const slices = new TimeSlices(() => (clock += 1));
    const judging = judgingBy(BOOK);
    const decoder = new Decoder(houseFrom(BOOK));
    const unusable = (_table: string, why: Error): void => {
      throw why;
    };
    const loading = { log: floor.log, rows: floor.store(), judging, decoder, slices, unusable };
    const opening = new PartitionOpening(loading, claimed);
    let folded = 0;
    const longest = await longestTurn(
      () => clock,
      async () => {
        const fold = await opening.run(claimed, () => true);
        if (!fold) throw new Error('the partition is not held');
        expect(opening.due).toHaveLength(12);
        for (const table of opening.due) {
          const { run } = await load(loading, fold, table);
          folded += run.folded;
        }
      },
    );
    expect(folded).toBe(12 * EVENTS);
    expect(clock).toBeGreaterThan(12 * (EVENTS / 4));
    expect(longest).toBeLessThanOrEqual(12);
  });
});

it('what is read for a takeover keeps nothing else of the log in memory', async () => {
  await written(tablesIn(floor.log, 0, 3));
  const [claimed] = await floor.store().claim('a test', 60_000, 1);
  if (!claimed) throw new Error('no partition was claimed');
  const loading = {
    ...{ log: new OneBufferLog({ store: floor.log.store }), rows: floor.store() },
    ...{ judging: judgingBy(BOOK), decoder: new Decoder(houseFrom(BOOK)) },
    slices: new TimeSlices(() => 0),
    unusable: (_table: string, why: Error): void => {
      throw why;
    },
  };
  const opening = new PartitionOpening(loading, claimed);
  const partition = await opening.run(claimed, () => true);
  if (!partition) throw new Error('the partition is not held');
  expect(opening.bytes).toBeGreaterThan(2_000);
  let folded = 0;
  for (const table of opening.due) folded += (await load(loading, partition, table)).run.folded;
  expect(folded).toBe(3 * EVENTS);
});

/** Returns how far a clock moved at most between two turns of the event loop while `work` ran. */
async function longestTurn(clock: () => number, work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = clock();
  let isOver = false;
  const look = (): void => {
    longest = Math.max(longest, clock() - last);
    last = clock();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work().finally(() => (isOver = true));
  look();
  return longest;
}
