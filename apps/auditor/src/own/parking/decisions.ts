import { BrokenLog } from '#event-log';
import type { ParkedTable } from '#read-model';
import type { PartitionFold, Refused } from '../../fold/partition-fold.js';
import { lineKey } from '../../fold/record-lines.js';
import type { TableRun } from '../../fold/table-run.js';
import type { BackgroundTasks } from '../background-tasks.js';
import {
  parkedAt,
  reload,
  type Loading,
  type Reloaded,
  type TableToLoad,
} from '../loading/load-table.js';
import { recordsBetween, refold } from '../loading/refold.js';
import type { Reports } from '../monitoring/reports.js';
import type { FollowedPartition, OwnedPartitions } from '../partitions/owned-partition.js';
import type { PartitionFaults } from '../partitions/partition-faults.js';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';

/** The parts that decisions are carried out with. */
export interface DecisionParts extends Pick<AuditorParts, 'rows' | 'journal'> {
  readonly loading: Loading;
  readonly partitions: OwnedPartitions;
  readonly writer: Writer;
  readonly faults: PartitionFaults;
  readonly tasks: BackgroundTasks;
  readonly reports: Reports;
}

/**
 * Carries out decisions about parked tables: retries a table, or continues without the event that
 * it stopped at.
 */
export class Decisions {
  private readonly underWay = new Set<string>();

  constructor(private readonly parts: DecisionParts) {}

  /** Starts the decisions about tables of followed partitions. */
  async look(): Promise<void> {
    const { rows, partitions, tasks } = this.parts;
    const withParked = partitions.followed().filter(({ fold }) => fold.parked.size > 0);
    if (withParked.length === 0) return;
    for (const row of await rows.asked(withParked.map(({ fold }) => fold.partition))) {
      const followed = partitions.followed().find(({ fold }) => fold.partition === row.partition);
      if (!followed?.fold.parked.has(row.table) || this.underWay.has(row.table)) continue;
      this.underWay.add(row.table);
      tasks.track(this.decide(followed, row).finally(() => this.underWay.delete(row.table)));
    }
  }

  /** Unparks a table. Stops the partition if the log is broken behind the parked event. */
  private async decide(followed: FollowedPartition, row: ParkedTable): Promise<void> {
    try {
      await this.unpark(followed, row);
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      await this.parts.faults.ofUnparking(followed.owned, row, error);
    }
  }

  /**
   * Folds a parked table up to its partition's position: first beside the partition, then the rest
   * in turn with it.
   */
  private async unpark({ owned, fold }: FollowedPartition, row: ParkedTable): Promise<void> {
    const { loading, partitions, writer, journal, reports } = this.parts;
    const table = await ParkedRun.load(loading, fold, row);
    await table.foldTo(fold.next);
    await owned.inTurn(async () => {
      if (!partitions.holds(owned) || !writer.owns(fold)) return;
      await writer.flushed(fold);
      await table.foldTo(fold.next);
      await table.returnTo(fold);
      await writer.flushed(fold);
      const { refused } = table;
      const fields = { ...row, parkedAgain: refused !== undefined };
      journal.error(
        row.asked === 'release' ? 'table released: one event is left out' : 'table retried',
        fields,
      );
      if (refused) reports.tableParked(parkedAt(fold.partition, refused));
    });
  }
}

/**
 * Continues a parked table, with the event that it stopped at or, if that is released, without it.
 */
class ParkedRun {
  private readonly run: TableRun;
  private refusedEvent: Refused | undefined;
  private next: number;

  private constructor(
    private readonly loading: Loading,
    private readonly row: ParkedTable,
    private readonly asked: TableToLoad,
    { run, refused }: Reloaded,
  ) {
    this.run = run;
    this.refusedEvent = refused;
    this.next = row.offset;
  }

  /**
   * Loads a table as it was before the event that it stopped at. Keeps later changes for
   * projection.
   */
  static async load(loading: Loading, fold: PartitionFold, row: ParkedTable): Promise<ParkedRun> {
    const released = new Set(fold.leftOut.released);
    if (row.asked === 'release') released.add(lineKey(row));
    const leftOut = { ...fold.leftOut, released };
    const { partition, table, offset } = row;
    const asked = { partition, table, leftOut, first: offset, gatherFrom: offset };
    return new ParkedRun(loading, row, asked, await reload(loading, asked, row));
  }

  /** The event that the table refused, if any. The table's state is unusable then. */
  get refused(): Refused | undefined {
    return this.refusedEvent;
  }

  /** Folds the table up to an offset, or up to an event that it refuses. */
  async foldTo(offset: number): Promise<void> {
    if (this.refusedEvent) return;
    const { log, decoder, slices } = this.loading;
    const { partition, leftOut } = this.asked;
    for await (const records of recordsBetween(log, partition, this.next, offset)) {
      for (const record of records) {
        if (record.key === this.run.table) {
          await slices.giveWay();
          const from = record.offset === this.row.offset ? this.row.line : 0;
          this.refusedEvent = refold(this.run, record, decoder, { from, leftOut });
          if (this.refusedEvent) return;
        }
        this.next = record.offset + 1;
      }
    }
  }

  /**
   * Returns the table to its partition: folded up to the partition's position, or parked at the
   * event that it refused.
   */
  async returnTo(fold: PartitionFold): Promise<void> {
    const { released } = this.asked.leftOut;
    if (!this.refusedEvent) return void fold.unpark(this.run, released);
    const { run, saved, refused } = await reload(this.loading, this.asked, this.refusedEvent);
    fold.unpark(run, released);
    fold.park(run, parkedAt(fold.partition, refused ?? this.refusedEvent), saved);
  }
}
