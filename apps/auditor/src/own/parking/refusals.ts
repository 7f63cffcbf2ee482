import { setTimeout as pause } from 'node:timers/promises';
import { BrokenLog, type StoredRecord } from '#event-log';
import { asError } from '#process';
import type { ParkedEvent } from '#read-model';
import type { PartitionFold, Refused } from '../../fold/partition-fold.js';
import { lineKey, UnknownEvent } from '../../fold/record-lines.js';
import { load, parkedAt, reload, type Loading, type Reloaded } from '../loading/load-table.js';
import type { Writer } from '../writer.js';

/** Receives reports while refused events are settled. */
export interface RefusalListener {
  tableParked(row: ParkedEvent): void;
  /** A table could not be loaded. The load is retried unless this throws. */
  tableNotLoaded(table: string, why: Error): void;
}

const RETRY_MS = 500;

/** Folds records, loads the tables that they need, and settles the events that tables refuse. */
export class Refusals {
  constructor(
    private readonly loading: Loading,
    private readonly writer: Writer,
    private readonly listener: RefusalListener,
  ) {}

  /**
   * Folds the next record of a partition. Loads its table first if that is needed. If the table
   * refuses an event, reloads the table as it was before and retries once, because the fault may
   * pass; then parks the table. The fold is frozen meanwhile. It stays frozen if this rejects or
   * `isHeld` returns false, because the table's state must not be written. Rejects with `BrokenLog`
   * if the log is broken.
   */
  async take(fold: PartitionFold, record: StoredRecord, isHeld: () => boolean): Promise<void> {
    if (fold.needsTableOf(record) && !(await this.load(fold, record.key, isHeld))) return;
    const refused = fold.take(record, this.loading.decoder);
    if (!refused) return;
    fold.freeze();
    // after this, the database has all that was projected; the rest is gathered from there
    await this.writer.idleOf(fold);
    const { table } = refused;
    if (await this.retried(table, isHeld, () => this.settle(fold, record, refused))) fold.thaw();
  }

  /**
   * Loads a table of a partition, unless it is loaded. Parks it if it refuses an event that an
   * earlier version folded. Returns whether it did; it does not once `isHeld` returns false.
   * Rejects with `BrokenLog` if the log is broken.
   */
  load(fold: PartitionFold, table: string, isHeld: () => boolean): Promise<boolean> {
    return this.retried(table, isHeld, async () => {
      const { run, saved, refused } = await load(this.loading, fold, table);
      if (!fold.unloaded.has(table)) return undefined; // another call was faster
      fold.load(run);
      if (!refused) return undefined;
      const row = parkedAt(fold.partition, refused);
      fold.park(run, row, saved);
      return row;
    });
  }

  /**
   * Does work on a table that may park it, again and again until it succeeds. Returns whether it
   * did; it does not once `isHeld` returns false.
   */
  private async retried(
    table: string,
    isHeld: () => boolean,
    work: () => Promise<ParkedEvent | undefined>,
  ): Promise<boolean> {
    while (isHeld()) {
      try {
        const parked = await work();
        if (parked) this.listener.tableParked(parked);
        return true;
      } catch (error) {
        if (error instanceof BrokenLog) throw error;
        this.listener.tableNotLoaded(table, asError(error));
      }
      await pause(RETRY_MS);
    }
    return false;
  }

  /**
   * Folds the rest of the record with the table reloaded or parked. Returns the row of a parked
   * table.
   */
  private async settle(
    fold: PartitionFold,
    record: StoredRecord,
    first: Refused,
  ): Promise<ParkedEvent | undefined> {
    const tried = new Set<string>();
    for (let refused: Refused | undefined = first; refused;) {
      const { run, saved, refused: earlier } = await this.reloaded(fold, refused);
      const isLasting =
        earlier !== undefined || refused.why instanceof UnknownEvent || tried.has(lineKey(refused));
      if (isLasting) {
        const row = parkedAt(fold.partition, earlier ?? refused);
        fold.park(run, row, saved);
        fold.resume(record, this.loading.decoder, refused.line);
        return row;
      }
      tried.add(lineKey(refused));
      fold.replace(run);
      refused = fold.resume(record, this.loading.decoder, refused.line);
    }
    return undefined;
  }

  private reloaded(
    { partition, leftOut, written }: PartitionFold,
    refused: Refused,
  ): Promise<Reloaded> {
    const asked = {
      partition,
      table: refused.table,
      leftOut,
      first: written,
      gatherFrom: written,
    };
    return reload(this.loading, asked, refused);
  }
}
