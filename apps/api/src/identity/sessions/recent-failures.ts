/** A failure that counts under each of its keys until it is old or taken back. */
interface Failure {
  readonly at: number;
  readonly keys: readonly string[];
}

/**
 * Counts failures of the last `windowMs` under any keys. It holds what was added within that time
 * and nothing else, so the caller's rate bounds it.
 */
export class RecentFailures {
  private readonly failures = new Set<Failure>();
  private readonly counts = new Map<string, number>();

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(
    private readonly windowMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Returns how many recent failures have this key. */
  count(key: string): number {
    this.dropOld();
    return this.counts.get(key) ?? 0;
  }

  /** Counts a failure and returns a function that takes it back. */
  add(keys: readonly string[]): () => void {
    this.dropOld();
    const failure = { at: this.now(), keys };
    this.failures.add(failure);
    for (const key of keys) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return () => this.drop(failure);
  }

  private dropOld(): void {
    const until = this.now() - this.windowMs;
    for (const failure of this.failures) {
      if (failure.at > until) return;
      this.drop(failure);
    }
  }

  private drop(failure: Failure): void {
    if (!this.failures.delete(failure)) return;
    for (const key of failure.keys) {
      const left = (this.counts.get(key) ?? 0) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    }
  }
}
