import { BrokenLog, partitionOf, type StoredRecord } from '#event-log';
import type { Claimed, ListedTable } from '#read-model';
import { PartitionFold } from '../../fold/partition-fold.js';
import { lineKey, recordDigest, type LeftOut } from '../../fold/record-lines.js';
import type { Loading } from './load-table.js';
import { recordsBetween } from './refold.js';

/**
 * Opens a claimed partition: lists its tables, and reads the log from the oldest saved state on, so
 * that each table can be loaded at any time after it. Folds nothing. Yields to timers, stops once
 * the partition is no longer held, and continues where it stopped if the same owner claims the
 * partition again.
 */
export class PartitionOpening {
  private listed: readonly ListedTable[] = [];
  private readonly tails = new Map<string, StoredRecord[]>();
  /** Bytes of the tails. */
  private tailBytes = 0;
  /** The next record to read; null before the tables are listed. */
  private from: number | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly loading: Loading,
    private readonly begunUnder: Claimed,
  ) {}

  /**
   * Returns whether it can continue under a later claim: the partition was not written since it
   * began. Every write sets the time of the commit, even one that does not move the position.
   */
  goesOnUnder({ next, committedAt }: Claimed): boolean {
    const { next: before, committedAt: committedBefore } = this.begunUnder;
    return next === before && committedAt === committedBefore;
  }

  /** Resolves once no call of `run` is under way. */
  get stopped(): Promise<unknown> {
    return this.last;
  }

  /** Bytes of the log that it keeps. */
  get bytes(): number {
    return this.tailBytes;
  }

  /** The tables that something is due of without an event, or of which that is not known. */
  get due(): readonly string[] {
    return this.listed
      .filter((listed) => listed.parked === null && !isDormant(listed))
      .map(({ table }) => table);
  }

  /**
   * Returns the fold under `claimed`, without any table loaded. Returns undefined once `isHeld`
   * returns false. Call it again only after `stopped`, and only once `verify` has compared the log.
   */
  run(claimed: Claimed, isHeld: () => boolean): Promise<PartitionFold | undefined> {
    const run = this.open(claimed, isHeld);
    this.last = run.catch(() => undefined); // the caller handles the failure
    return run;
  }

  private async open(claimed: Claimed, isHeld: () => boolean): Promise<PartitionFold | undefined> {
    const { judging, log } = this.loading;
    const { partition } = claimed;
    const leftOut = await this.leftOut();
    if (!(await this.readTails(isHeld))) return undefined;
    return new PartitionFold(claimed, judging, {
      unloaded: this.listed
        .filter(({ parked }) => parked === null)
        .map(({ table }) => [table, this.tails.get(table) ?? []]),
      parked: this.listed.flatMap(({ table, parked }) =>
        parked ? [{ table, partition, ...parked, reason: '' }] : [],
      ),
      leftOut,
      partitionOf: (table) => partitionOf(table, log.partitions),
    });
  }

  /** Reads it each time: a record may have been passed since an earlier claim. */
  private async leftOut(): Promise<LeftOut> {
    const { rows } = this.loading;
    const { partition } = this.begunUnder;
    const [released, passed] = await Promise.all([
      rows.released(partition),
      rows.passed(partition),
    ]);
    return {
      released: new Set(released.map(lineKey)),
      passed: new Map(passed.map(({ offset, sha256 }) => [offset, sha256])),
    };
  }

  /** Returns whether the tails of all tables are read. */
  private async readTails(isHeld: () => boolean): Promise<boolean> {
    const { log, rows, slices } = this.loading;
    const { partition, next } = this.begunUnder;
    if (this.from === null) {
      this.listed = await rows.tablesOf(partition);
      this.from = this.listed.map(tailStart).reduce((least, from) => Math.min(least, from), next);
    }
    const starts = new Map(this.listed.map((listed) => [listed.table, tailStart(listed)]));
    for await (const records of recordsBetween(log, partition, this.from, next)) {
      if (!isHeld()) return false;
      for (const record of records)
        if (record.offset >= (starts.get(record.key) ?? Infinity)) this.addToTail(record);
      this.from = (records.at(-1) as StoredRecord).offset + 1;
      await slices.giveWay();
    }
    return isHeld();
  }

  /** Keeps a copy, because the value is a view of all that was read at once. */
  private addToTail(record: StoredRecord): void {
    const kept = { ...record, value: Buffer.from(record.value) };
    this.tailBytes += kept.value.length;
    const tail = this.tails.get(kept.key);
    if (tail) tail.push(kept);
    else this.tails.set(kept.key, [kept]);
  }
}

/**
 * Returns whether a table is dormant: it is saved, up to date, and waits for nothing, so that it
 * need not be loaded before its next event.
 */
const isDormant = ({ snapshotNext, snapshotWaits, lastNext, parked }: ListedTable): boolean =>
  parked === null && snapshotNext !== null && lastNext <= snapshotNext && snapshotWaits === false;

/**
 * Returns the offset from which the log must be folded onto a table's saved state. Infinity if
 * nothing need be, or if there is no saved state: such a table, which only damage leaves, reads its
 * log by itself.
 */
const tailStart = ({ snapshotNext, lastNext, parked }: ListedTable): number =>
  parked === null && snapshotNext !== null && lastNext > snapshotNext ? snapshotNext : Infinity;

/**
 * Checks that the log reaches as far as the rows and that its last record there is the one that was
 * folded. Throws `BrokenLog` if not.
 */
export async function verify(
  { log }: Loading,
  { partition, next, lastDigest }: Claimed,
): Promise<void> {
  const head = await log.head(partition, next);
  if (head < next)
    throw new BrokenLog(
      `the rows are at ${next} and the log ends at ${head}: they were made from another log`,
      partition,
      head,
    );
  if (next === 0) return;
  const [record] = await log.read(partition, next - 1, 1);
  if (record && lastDigest && recordDigest(record.value).equals(lastDigest)) return;
  throw new BrokenLog(
    `record ${next - 1} is not the one that the rows were made from`,
    partition,
    next - 1,
  );
}
