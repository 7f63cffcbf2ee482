import type { StoredRecord, RecordHandler } from '#event-log';
import type { BackgroundTasks } from './background-tasks.js';
import type { TimeSlices } from './loading/time-slices.js';
import type { Refusals } from './parking/refusals.js';
import type { FollowedPartition, OwnedPartitions } from './partitions/owned-partition.js';
import type { PartitionFaults } from './partitions/partition-faults.js';
import type { Writer } from './writer.js';

/** After this many events a fold starts a write and waits until there is room for more. */
const CHUNK_EVENTS = 2_000;

/** The parts that an intake works with. */
export interface IntakeParts {
  readonly partitions: OwnedPartitions;
  readonly writer: Writer;
  readonly refusals: Refusals;
  readonly faults: PartitionFaults;
  readonly tasks: BackgroundTasks;
  readonly slices: TimeSlices;
}

/** Folds the records that the log delivers. */
export class Intake implements RecordHandler {
  constructor(private readonly parts: IntakeParts) {}

  /** Folds records of a partition. Rejects if the partition cannot be followed further. */
  async take(partition: number, records: readonly StoredRecord[]): Promise<void> {
    const owned = this.parts.partitions.get(partition);
    const fold = owned?.fold;
    if (owned && fold) await owned.inTurn(() => this.fold({ owned, fold }, records));
  }

  stopped(partition: number, why: Error): void {
    const { partitions, tasks, faults } = this.parts;
    const owned = partitions.get(partition);
    if (owned) tasks.track(faults.ofFollowing(owned, why));
  }

  private async fold(
    { owned, fold }: FollowedPartition,
    records: readonly StoredRecord[],
  ): Promise<void> {
    const { partitions, writer, refusals, slices } = this.parts;
    const isHeld = (): boolean => partitions.holds(owned);
    let chunkEnd = fold.folded + CHUNK_EVENTS;
    for (const record of records) {
      if (!isHeld()) return;
      await refusals.take(fold, record, isHeld);
      await slices.giveWay();
      if (fold.folded < chunkEnd) continue;
      chunkEnd = fold.folded + CHUNK_EVENTS;
      writer.kick();
      await writer.room();
    }
    if (!writer.owns(fold)) return;
    writer.kick();
    await writer.room();
  }
}
