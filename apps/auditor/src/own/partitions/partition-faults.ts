import { BrokenLog } from '#event-log';
import type { Held } from '#read-model';
import { errorText } from '../monitoring/journal.js';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';

/** Stops partitions that cannot be followed, and releases those whose fault may pass. */
export class PartitionFaults {
  constructor(
    private readonly parts: Pick<AuditorParts, 'rows' | 'owner' | 'journal'>,
    private readonly partitions: OwnedPartitions,
    private readonly writer: Writer,
  ) {}

  /** Handles a takeover that failed. */
  async ofTakeover(owned: OwnedPartition, why: Error): Promise<void> {
    if (!this.partitions.holds(owned)) return;
    if (why instanceof BrokenLog)
      await this.stop(owned.claimed, why.offset ?? owned.claimed.next, why);
    else await this.giveUp(owned, why);
  }

  /**
   * Handles a failure while a partition is followed. If the log is broken, everything before the
   * broken record is good and is written before the partition stops.
   */
  async ofFollowing(owned: OwnedPartition, why: Error): Promise<void> {
    const { fold } = owned;
    if (!fold) return;
    if (!(why instanceof BrokenLog)) return this.giveUp(owned, why);
    if (!fold.isFrozen) await this.writer.flushed(fold);
    await this.stop(owned.claimed, fold.isFrozen ? fold.written : fold.next, why);
  }

  /** Stops a partition at an offset until an operator resumes it. */
  async stop({ partition, generation }: Held, offset: number, why: Error): Promise<void> {
    const { journal, rows } = this.parts;
    const error = errorText(why);
    journal.error('partition stopped: its log changed or its rows cannot be written', {
      partition,
      offset,
      error,
    });
    this.drop(partition, generation);
    await rows.stopPartition({ partition, generation }, offset, error).catch((failure: unknown) => {
      journal.error('could not record that a partition stopped; its next owner detects it', {
        partition,
        error: errorText(failure),
      });
    });
  }

  private drop(partition: number, generation: number): void {
    const owned = this.partitions.get(partition);
    if (owned?.claimed.generation === generation) this.partitions.drop(owned);
  }

  /** Releases a partition, so that any auditor that can follow it claims it. */
  private async giveUp(owned: OwnedPartition, why: Error): Promise<void> {
    const { journal, rows, owner } = this.parts;
    journal.error('partition released: it could not be followed', {
      partition: owned.partition,
      error: errorText(why),
    });
    this.partitions.drop(owned);
    await rows.release(owner, [owned.claimed]);
  }
}
