import type { Follower } from '#event-log';
import type { BackgroundTasks } from '../background-tasks.js';
import { loadPartition } from '../loading/load-partition.js';
import type { Loading } from '../loading/load-table.js';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';
import type { PartitionFaults } from './partition-faults.js';

const AT_ONCE = 4;

/** The parts that takeovers work with. */
export interface TakeoverParts extends Pick<AuditorParts, 'journal' | 'metrics'> {
  readonly loading: Loading;
  readonly partitions: OwnedPartitions;
  readonly writer: Writer;
  readonly follower: Follower;
  readonly faults: PartitionFaults;
  readonly tasks: BackgroundTasks;
}

/** Loads claimed partitions, a few at a time, and starts to follow them. */
export class Takeovers {
  private readonly waiting: OwnedPartition[] = [];
  private running = 0;

  constructor(private readonly parts: TakeoverParts) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  begin(owned: OwnedPartition): void {
    this.waiting.push(owned);
    this.startNext();
  }

  private startNext(): void {
    if (this.running === AT_ONCE) return;
    const owned = this.waiting.shift();
    if (!owned) return;
    this.running += 1;
    const takeover = this.takeOver(owned)
      .catch((error: unknown) => this.parts.faults.ofTakeover(owned, error as Error))
      .finally(() => {
        this.running -= 1;
        this.startNext();
      });
    this.parts.tasks.track(takeover);
  }

  private async takeOver(owned: OwnedPartition): Promise<void> {
    const { partitions, writer, follower, journal, metrics, loading } = this.parts;
    const isHeld = (): boolean => partitions.holds(owned);
    if (!isHeld()) return;
    const began = performance.now();
    const fold = await loadPartition(loading, owned.claimed, isHeld);
    if (!fold || !isHeld()) return;
    const refolded = fold.folded;
    owned.takenOver(fold);
    writer.add(fold);
    writer.kick();
    follower.add(owned.partition, fold.next);
    const ms = performance.now() - began;
    metrics.takeovers.inc();
    metrics.takeoverSeconds.observe(ms / 1000);
    journal.info('partition taken over', {
      partition: owned.partition,
      next: fold.next,
      refolded,
      tables: fold.tables.size,
      parked: fold.parked.size,
      ms: Math.round(ms),
    });
  }
}
