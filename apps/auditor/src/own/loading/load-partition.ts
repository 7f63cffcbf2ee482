import { BrokenLog, partitionOf, type StoredRecord } from '#event-log';
import type { Claimed, DormantTable, ParkedEvent, TableAtHand } from '#read-model';
import { PartitionFold } from '../../fold/partition-fold.js';
import { lineKey, recordDigest, type LeftOut } from '../../fold/record-lines.js';
import type { TableRun } from '../../fold/table-run.js';
import { parkedAt, reload, runFrom, type Loading, type Reloaded } from './load-table.js';
import { recordsBetween, refold } from './refold.js';

/**
 * Loads a claimed partition: its snapshots, with the log folded onto them up to the position.
 * Leaves dormant tables to their next events. Writes none of it again. Loading yields to timers,
 * stops once the partition is no longer held, and continues where it stopped if the same owner
 * claims the partition again.
 */
export class PartitionLoad {
  /** Each table, and the offset from which the log is folded onto it. */
  private readonly tables = new Map<string, { readonly run: TableRun; readonly from: number }>();
  private readonly dormant: string[] = [];
  private readonly parked: ParkedEvent[] = [];
  private readonly newlyParked: (Reloaded & { readonly row: ParkedEvent })[] = [];
  private snapshots: AsyncGenerator<TableAtHand | DormantTable> | undefined;
  /** The lowest offset from which any table needs folding; then the next record to fold. */
  private from: number;
  private bytes = 0;
  private isWhole = true;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly loading: Loading,
    private readonly begunUnder: Claimed,
  ) {
    this.from = begunUnder.next;
  }

  /**
   * Returns whether it can continue under a later claim: it did not fail halfway, and the partition
   * was not written since it began. Every write sets the time of the commit, even one that does not
   * move the position.
   */
  goesOnUnder({ next, committedAt }: Claimed): boolean {
    const { next: before, committedAt: committedBefore } = this.begunUnder;
    return this.isWhole && next === before && committedAt === committedBefore;
  }

  /** Resolves once no call of `run` is under way. */
  get stopped(): Promise<unknown> {
    return this.last;
  }

  /**
   * Loads until it is done, and returns the fold under `claimed`. Returns undefined once `isHeld`
   * returns false. Call it again only after `stopped`, and only once `verify` has compared the log.
   */
  run(claimed: Claimed, isHeld: () => boolean): Promise<PartitionFold | undefined> {
    const run = this.load(claimed, isHeld);
    this.last = run.catch(() => undefined); // the caller handles the failure
    return run;
  }

  private async load(claimed: Claimed, isHeld: () => boolean): Promise<PartitionFold | undefined> {
    const leftOut = await this.leftOut();
    if (!(await this.loadSnapshots(isHeld))) return undefined;
    if (!(await this.refoldLog(isHeld, leftOut))) return undefined;
    const { dormant, parked, bytes, loading } = this;
    const { judging, log } = loading;
    const fold = new PartitionFold(claimed, judging, {
      ...{ dormant, parked, leftOut, bytes },
      tables: [...this.tables.values()].map(({ run }) => run),
      partitionOf: (table) => partitionOf(table, log.partitions),
    });
    for (const { run, row, saved } of this.newlyParked) fold.park(run, row, saved);
    return fold;
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

  /** Returns whether all are loaded. */
  private async loadSnapshots(isHeld: () => boolean): Promise<boolean> {
    const { rows, slices } = this.loading;
    this.snapshots ??= rows.tablesOf(this.begunUnder.partition);
    while (isHeld()) {
      this.isWhole = false; // a list that broke off cannot be continued
      const fetched = await this.snapshots.next();
      if (fetched.done !== true) this.add(fetched.value);
      this.isWhole = true;
      if (fetched.done === true) return true;
      await slices.giveWay();
    }
    return false;
  }

  private add(saved: TableAtHand | DormantTable): void {
    if ('isDormant' in saved) return void this.dormant.push(saved.table);
    const { table, lastNext } = saved;
    const { partition } = this.begunUnder;
    if (saved.parked) {
      this.parked.push({ table, partition, ...saved.parked, reason: '' });
      return;
    }
    const loaded = runFrom(saved, table, this.loading, 0);
    this.tables.set(table, loaded);
    if (lastNext > loaded.from) this.from = Math.min(this.from, loaded.from);
  }

  /** Returns whether the log is folded up to the position. */
  private async refoldLog(isHeld: () => boolean, leftOut: LeftOut): Promise<boolean> {
    const { log, slices } = this.loading;
    const { partition, next } = this.begunUnder;
    for await (const records of recordsBetween(log, partition, this.from, next)) {
      for (const record of records) {
        if (!isHeld()) return false;
        this.isWhole = false; // a table in the middle of a record cannot be continued
        await this.refoldRecord(record, leftOut);
        this.from = record.offset + 1;
        this.isWhole = true;
        await slices.giveWay();
      }
      await this.forgetChanges();
    }
    await this.forgetChanges();
    return isHeld();
  }

  private async refoldRecord(record: StoredRecord, leftOut: LeftOut): Promise<void> {
    const { loading, begunUnder } = this;
    const { partition, next } = begunUnder;
    const { key: table, offset, value } = record;
    this.bytes += value.length;
    const saved = this.tables.get(table);
    if (!saved || offset < saved.from) return;
    const refused = refold(saved.run, record, loading.decoder, { leftOut });
    if (!refused) return;
    // An earlier version folded this event and this one cannot, so park the table here.
    const asked = { partition, table, leftOut, first: 0, gatherFrom: next };
    const again = await reload(loading, asked, refused);
    this.tables.delete(table);
    this.newlyParked.push({ ...again, row: parkedAt(partition, again.refused ?? refused) });
  }

  /** Forgets what changed: the rows already hold it. */
  private async forgetChanges(): Promise<void> {
    for (const { run } of this.tables.values()) {
      if (!run.isChanged) continue;
      run.takeChanges();
      await this.loading.slices.giveWay();
    }
  }
}

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
