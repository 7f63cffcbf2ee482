import { setTimeout as passed } from 'node:timers/promises';
import { asError } from '#process';
import { contiguous } from './contiguous.js';
import { BrokenLog, type Follower, type StoredRecord, type RecordHandler } from './port.js';

/** Where a follower is in one partition. */
export interface Wanted {
  readonly partition: number;
  readonly from: number;
}

/** The log that a `PullFollower` reads. */
export interface PullSource {
  readonly partitions: number;
  /**
   * Returns records of each wanted partition from its offset on, in the order of `wanted`. Rejects
   * with `BrokenLog` if a partition is damaged, and with any other error if the log is temporarily
   * unreachable.
   */
  fetch(wanted: readonly Wanted[]): Promise<readonly (readonly StoredRecord[])[]>;
  /** Calls `wake` whenever there may be new records. Returns a function that unsubscribes. */
  onAppended(wake: () => void): () => void;
  /** Wait at the head between fetches. A wake-up is only a hint, so the follower polls as well. */
  readonly pollMs: number;
}

interface Pursuit {
  readonly partition: number;
  next: number;
}

/**
 * The least time from one fetch to the next. What comes meanwhile comes with it, because a fetch
 * costs the log far more than a record does.
 */
const GAP_MS = 5;
const RETRY_MS = 100;
const RETRY_MS_MAX = 1000;

/**
 * Follows a log by fetching. One fetch reads all partitions whose handler is free. Delivers the
 * fetched records and checks that their offsets follow one another. Retries forever while the log
 * is unreachable.
 */
export class PullFollower implements Follower {
  private readonly pursuits = new Map<number, Pursuit>();
  private readonly takings = new Map<number, Promise<void>>();
  private readonly running: Promise<void>;
  private readonly unsubscribe: () => void;
  private closed = false;
  private failures = 0;
  private isAwake = true;
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly source: PullSource,
    private readonly handler: RecordHandler,
  ) {
    this.unsubscribe = source.onAppended(() => this.wake());
    this.running = this.run();
  }

  /** Throws `RangeError` if the partition does not exist: a bug of the caller. */
  add(partition: number, from: number): void {
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.source.partitions)
      throw new RangeError(`partition ${partition} does not exist`);
    if (this.closed) return;
    this.pursuits.set(partition, { partition, next: from });
    this.wake();
  }

  async remove(partition: number): Promise<void> {
    this.pursuits.delete(partition);
    await this.takings.get(partition);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pursuits.clear();
    this.unsubscribe();
    this.wake();
    await this.running;
    await Promise.all(this.takings.values());
  }

  private wake(): void {
    this.isAwake = true;
    this.wakeUp?.();
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      this.isAwake = false;
      const free = [...this.pursuits.values()].filter(
        ({ partition }) => !this.takings.has(partition),
      );
      const since = performance.now();
      if (free.length > 0) await this.fetch(free);
      await this.pause(this.pauseMs(free.length));
      const early = since + GAP_MS - performance.now();
      if (early > 0) await passed(early);
    }
  }

  /**
   * Returns how long to pause: until a wake-up if there is nothing to fetch, the polling interval
   * at the head, and a growing backoff while the log is unreachable.
   */
  private pauseMs(free: number): number | undefined {
    if (free === 0) return undefined;
    return this.failures === 0
      ? this.source.pollMs
      : Math.min(RETRY_MS * 2 ** (this.failures - 1), RETRY_MS_MAX);
  }

  /** Fetches and delivers records. */
  private async fetch(free: readonly Pursuit[]): Promise<void> {
    try {
      const fetched = await this.source.fetch(
        free.map(({ partition, next }) => ({ partition, from: next })),
      );
      this.failures = 0;
      for (const [at, records] of fetched.entries()) this.handOn(free[at] as Pursuit, records);
    } catch (error) {
      if (!(error instanceof BrokenLog)) this.failures += 1;
      else for (const pursuit of this.concerned(free, error)) this.stop(pursuit, error);
    }
  }

  private concerned(free: readonly Pursuit[], { partition }: BrokenLog): readonly Pursuit[] {
    return partition === undefined
      ? free
      : free.filter((pursuit) => pursuit.partition === partition);
  }

  private handOn(pursuit: Pursuit, records: readonly StoredRecord[]): void {
    const { partition, next } = pursuit;
    if (records.length === 0 || !this.isCurrent(pursuit)) return;
    this.takings.set(partition, this.take(pursuit, contiguous(records, partition, next)));
  }

  /** Never rejects: if the handler rejects, the partition stops. */
  private async take(pursuit: Pursuit, records: readonly StoredRecord[]): Promise<void> {
    try {
      await this.handler.take(pursuit.partition, records);
      pursuit.next += records.length;
    } catch (error) {
      this.stop(pursuit, asError(error));
    } finally {
      this.takings.delete(pursuit.partition);
      this.wake();
    }
  }

  private stop(pursuit: Pursuit, why: Error): void {
    if (!this.isCurrent(pursuit)) return;
    this.pursuits.delete(pursuit.partition);
    this.handler.stopped(pursuit.partition, why);
    this.wake(); // the others were fetched with it
  }

  private isCurrent(pursuit: Pursuit): boolean {
    return this.pursuits.get(pursuit.partition) === pursuit;
  }

  private async pause(ms: number | undefined): Promise<void> {
    if (this.isAwake || this.closed) return;
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = undefined;
  }
}
