import type { Follower } from '#event-log';
import { asError } from '#process';
import type { Claimed } from '#read-model';
import type { PartitionFold } from '../../fold/partition-fold.js';
import type { BackgroundTasks } from '../background-tasks.js';
import { PartitionLoad, verify } from '../loading/load-partition.js';
import type { Loading } from '../loading/load-table.js';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';
import type { PartitionFaults } from './partition-faults.js';

/** Partitions whose logs are compared at once, which waits for the log more than it works. */
const AT_ONCE = 4;
/**
 * Partitions that are loaded at once, which is nearly all work. Those that wait can go to another
 * auditor.
 */
const LOADED_AT_ONCE = 2;

/** How long a loading that lost its partition is kept, in case the partition comes back. */
const KEEP_MS = 60_000;

/** The loading of a partition, and when it stopped; null while it runs. */
interface Begun {
  readonly load: PartitionLoad;
  stoppedAt: number | null;
}

/** The parts that takeovers work with. */
export interface TakeoverParts extends Pick<AuditorParts, 'journal' | 'metrics'> {
  readonly loading: Loading;
  readonly partitions: OwnedPartitions;
  readonly writer: Writer;
  readonly follower: Follower;
  readonly faults: PartitionFaults;
  readonly tasks: BackgroundTasks;
}

/**
 * Loads claimed partitions, a few at a time, and starts to follow them. Keeps the work on a
 * partition that was lost meanwhile, for the case that it is claimed again and nobody wrote it.
 */
export class Takeovers {
  private readonly waiting: OwnedPartition[] = [];
  private readonly begun = new Map<number, Begun>();
  private running = 0;
  private loading = 0;
  private readonly turns: (() => void)[] = [];

  constructor(private readonly parts: TakeoverParts) {}

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  begin(owned: OwnedPartition): void {
    this.waiting.push(owned);
    this.startNext();
  }

  /** Forgets the work on partitions that did not come back. */
  forgetOld(): void {
    const before = performance.now() - KEEP_MS;
    for (const [partition, { stoppedAt }] of this.begun)
      if (stoppedAt !== null && stoppedAt < before) this.begun.delete(partition);
  }

  private startNext(): void {
    if (this.running === AT_ONCE) return;
    const owned = this.waiting.shift();
    if (!owned) return;
    this.running += 1;
    const takeover = this.takeOver(owned)
      .catch((error: unknown) => this.parts.faults.ofTakeover(owned, asError(error)))
      .finally(() => {
        this.running -= 1;
        this.startNext();
      });
    this.parts.tasks.track(takeover);
  }

  private async takeOver(owned: OwnedPartition): Promise<void> {
    const { partitions, writer, follower, journal, metrics } = this.parts;
    const isHeld = (): boolean => partitions.holds(owned);
    if (!isHeld()) return;
    const began = performance.now();
    await verify(this.parts.loading, owned.claimed);
    const fold = await this.inTurn(async () => {
      if (!isHeld()) return undefined;
      owned.beginLoading();
      return this.load(owned, isHeld);
    });
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
      tables: fold.tables.size + fold.dormant.size,
      dormant: fold.dormant.size,
      parked: fold.parked.size,
      ms: Math.round(ms),
    });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.loading === LOADED_AT_ONCE)
      await new Promise<void>((resolve) => this.turns.push(resolve));
    this.loading += 1;
    try {
      return await work();
    } finally {
      this.loading -= 1;
      this.turns.shift()?.();
    }
  }

  private async load(
    { claimed }: OwnedPartition,
    isHeld: () => boolean,
  ): Promise<PartitionFold | undefined> {
    const { partition } = claimed;
    const begun = await this.begunFor(claimed);
    begun.stoppedAt = null;
    this.begun.set(partition, begun);
    try {
      const fold = await begun.load.run(claimed, isHeld);
      if (fold) this.begun.delete(partition);
      return fold;
    } finally {
      begun.stoppedAt = performance.now();
    }
  }

  /** Returns the work that an earlier claim began, if it is still good, or begins it. */
  private async begunFor(claimed: Claimed): Promise<Begun> {
    const former = this.begun.get(claimed.partition);
    await former?.load.stopped;
    if (former?.load.goesOnUnder(claimed)) {
      this.parts.journal.info('loading resumed', { partition: claimed.partition });
      return former;
    }
    return { load: new PartitionLoad(this.parts.loading, claimed), stoppedAt: null };
  }
}
