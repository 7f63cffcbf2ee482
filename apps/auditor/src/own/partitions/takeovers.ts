import type { Follower } from '#event-log';
import { asError } from '#process';
import type { Claimed } from '#read-model';
import type { PartitionFold } from '../../fold/partition-fold.js';
import type { BackgroundTasks } from '../background-tasks.js';
import { PartitionOpening, verify } from '../loading/load-partition.js';
import type { Loading } from '../loading/load-table.js';
import type { Refusals } from '../parking/refusals.js';
import type { AuditorParts } from '../parts.js';
import type { Writer } from '../writer.js';
import type { OwnedPartition, OwnedPartitions } from './owned-partition.js';
import type { PartitionFaults } from './partition-faults.js';

/** Partitions that are opened at once. Those that wait can go to another auditor. */
const AT_ONCE = 4;
/** Partitions whose tables are loaded at once. */
const LOADED_AT_ONCE = 2;
/**
 * While partitions together keep more bytes of the log than this for tables that are not loaded,
 * none is opened in place of one whose tables are not.
 */
const KEPT_BYTES = 64 * 1024 * 1024;

/** How long an opening that lost its partition is kept, in case the partition comes back. */
const KEEP_MS = 60_000;

/** The opening of a partition, and when it stopped; null while it runs. */
interface Begun {
  readonly opening: PartitionOpening;
  stoppedAt: number | null;
}

/** The parts that takeovers work with. */
export interface TakeoverParts extends Pick<AuditorParts, 'journal' | 'metrics'> {
  readonly loading: Loading;
  readonly partitions: OwnedPartitions;
  readonly refusals: Refusals;
  readonly writer: Writer;
  readonly follower: Follower;
  readonly faults: PartitionFaults;
  readonly tasks: BackgroundTasks;
}

/**
 * Opens claimed partitions, a few at a time, and starts to follow them. Then loads the tables that
 * something is due of, while the events that come load theirs. Keeps the work on a partition that
 * was lost before it was open, for the case that it is claimed again and nobody wrote it.
 */
export class Takeovers {
  private readonly waiting: OwnedPartition[] = [];
  private readonly begun = new Map<number, Begun>();
  private running = 0;
  private loading = 0;
  /** Bytes of the log that are kept for tables that are not loaded. */
  private kept = 0;
  /** Those that wait to load tables. */
  private readonly turns: (() => void)[] = [];

  constructor(private readonly parts: TakeoverParts) {}

  get isIdle(): boolean {
    return this.running + this.loading + this.waiting.length + this.turns.length === 0;
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
    let isRunning = true;
    const makeWay = (): void => {
      if (!isRunning) return;
      isRunning = false;
      this.running -= 1;
      this.startNext();
    };
    const takeover = this.takeOver(owned, makeWay)
      .catch((error: unknown) => this.parts.faults.ofTakeover(owned, asError(error)))
      .finally(makeWay);
    this.parts.tasks.track(takeover);
  }

  /** Calls `makeWay` once another partition may be opened. */
  private async takeOver(owned: OwnedPartition, makeWay: () => void): Promise<void> {
    const isHeld = (): boolean => this.parts.partitions.holds(owned);
    if (!isHeld()) return;
    const began = performance.now();
    const { opening, fold } = await owned.loading(async () => {
      await verify(this.parts.loading, owned.claimed);
      return this.open(owned.claimed, isHeld);
    });
    if (!fold || !isHeld()) return;
    const { due, bytes } = opening;
    this.follow(owned, fold, { due, ms: performance.now() - began });
    this.kept += bytes;
    if (this.kept <= KEPT_BYTES) makeWay();
    try {
      await this.inTurn(() => owned.loading(() => this.loadDue(fold, due, isHeld)));
    } finally {
      this.kept -= bytes;
    }
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    while (this.loading === LOADED_AT_ONCE)
      await new Promise<void>((resolve) => this.turns.push(resolve));
    this.loading += 1;
    try {
      await work();
    } finally {
      this.loading -= 1;
      this.turns.shift()?.();
    }
  }

  private follow(
    owned: OwnedPartition,
    fold: PartitionFold,
    { due, ms }: { readonly due: readonly string[]; readonly ms: number },
  ): void {
    const { writer, follower, journal, metrics } = this.parts;
    owned.open(fold);
    writer.add(fold);
    follower.add(owned.partition, fold.next);
    metrics.takeovers.inc();
    metrics.takeoverSeconds.observe(ms / 1000);
    journal.info('partition taken over', {
      partition: owned.partition,
      next: fold.next,
      tables: fold.unloaded.size,
      due: due.length,
      parked: fold.parked.size,
      ms: Math.round(ms),
    });
  }

  /** Loads the tables that something is due of and that no event has loaded by now. */
  private async loadDue(
    fold: PartitionFold,
    due: readonly string[],
    isHeld: () => boolean,
  ): Promise<void> {
    const began = performance.now();
    let [tables, refolded] = [0, 0];
    for (const table of due) {
      if (!fold.unloaded.has(table)) continue;
      if (!(await this.parts.refusals.load(fold, table, isHeld))) return;
      tables += 1;
      refolded += fold.tables.get(table)?.folded ?? 0;
    }
    if (fold.parked.size > 0) this.parts.writer.kick(); // one may have been parked
    if (tables === 0) return;
    const ms = Math.round(performance.now() - began);
    this.parts.journal.info('tables loaded', { partition: fold.partition, tables, refolded, ms });
  }

  private async open(
    claimed: Claimed,
    isHeld: () => boolean,
  ): Promise<{ readonly opening: PartitionOpening; readonly fold: PartitionFold | undefined }> {
    const { partition } = claimed;
    const begun = await this.begunFor(claimed);
    begun.stoppedAt = null;
    this.begun.set(partition, begun);
    try {
      const fold = await begun.opening.run(claimed, isHeld);
      if (fold) this.begun.delete(partition);
      return { opening: begun.opening, fold };
    } finally {
      begun.stoppedAt = performance.now();
    }
  }

  /** Returns the work that an earlier claim began, if it is still good, or begins it. */
  private async begunFor(claimed: Claimed): Promise<Begun> {
    const former = this.begun.get(claimed.partition);
    await former?.opening.stopped;
    if (former?.opening.goesOnUnder(claimed)) {
      this.parts.journal.info('loading resumed', { partition: claimed.partition });
      return former;
    }
    return { opening: new PartitionOpening(this.parts.loading, claimed), stoppedAt: null };
  }
}
