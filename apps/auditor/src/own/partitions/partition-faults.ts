import { BrokenLog } from '#event-log';
import type { Held } from '#read-model';
import { UnreadableRecord } from '../../fold/record-lines.js';
import type { LineAt } from '../../fold/table-run.js';
import { errorText } from '#server';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';

/** Why and where a partition stops. */
interface Stopping {
  readonly offset: number;
  readonly why: Error;
  /** The record that cannot be read, if that is all that is wrong. */
  readonly unread?: UnreadableRecord | undefined;
}

/**
 * Returns the record that cannot be read, unless it lies before an offset: what lies before was
 * read once, so the log has changed.
 */
const unreadFrom = (why: BrokenLog, offset: number): UnreadableRecord | undefined =>
  why instanceof UnreadableRecord && (why.offset ?? 0) >= offset ? why : undefined;

/** Stops partitions that cannot be followed, and releases those whose fault may pass. */
export class PartitionFaults {
  constructor(
    private readonly parts: Pick<AuditorParts, 'rows' | 'owner' | 'journal'>,
    private readonly partitions: OwnedPartitions,
    private readonly writer: Writer,
  ) {}

  /**
   * Handles a takeover that failed. A record that cannot be read then could be read when the rows
   * were made from it, so the log has changed.
   */
  async ofTakeover(owned: OwnedPartition, why: Error): Promise<void> {
    if (!this.partitions.holds(owned)) return;
    if (why instanceof BrokenLog)
      await this.stop(owned.claimed, { offset: why.offset ?? owned.claimed.next, why });
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
    if (fold.isFrozen) return this.stop(owned.claimed, { offset: fold.written, why });
    await this.writer.flushed(fold);
    // a table may have been loaded from records that were folded before
    const offset = Math.min(why.offset ?? fold.next, fold.next);
    await this.stop(owned.claimed, { offset, why, unread: unreadFrom(why, fold.next) });
  }

  /**
   * Handles a log that turned out to be broken while a table that is parked at an event was folded
   * on. Records after that event were not read before.
   */
  async ofUnparking(owned: OwnedPartition, parked: LineAt, why: BrokenLog): Promise<void> {
    if (!this.partitions.holds(owned)) return;
    const offset = why.offset ?? parked.offset;
    await this.stop(owned.claimed, { offset, why, unread: unreadFrom(why, parked.offset) });
  }

  /** Stops a partition until an operator resumes it. */
  async stop({ partition, generation }: Held, { offset, why, unread }: Stopping): Promise<void> {
    const { journal, rows } = this.parts;
    const error = errorText(why);
    const line = unread?.line ?? null;
    journal.error('partition stopped: its log changed or its rows cannot be written', {
      partition,
      offset,
      ...(line !== null && { line }),
      error,
    });
    this.drop(partition, generation);
    const stop = { offset, line, reason: error };
    await rows.stopPartition({ partition, generation }, stop).catch((failure: unknown) => {
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
