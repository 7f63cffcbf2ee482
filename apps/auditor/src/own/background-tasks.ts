/**
 * Timers and tasks that run unawaited until the auditor stops. A failure is reported and affects no
 * other.
 */
export class BackgroundTasks {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly tasks = new Set<Promise<void>>();

  constructor(private readonly onFailure: (error: unknown) => void) {}

  /** Runs `work` at an interval, skipping a turn while it still runs. */
  every(ms: number, work: () => Promise<void>): void {
    let isRunning = false;
    this.timers.push(
      setInterval(() => {
        if (isRunning) return;
        isRunning = true;
        this.track(work().finally(() => (isRunning = false)));
      }, ms),
    );
  }

  /** Tracks a task that has started. */
  track(task: Promise<void>): void {
    const tracked: Promise<void> = task
      .catch(this.onFailure)
      .finally(() => this.tasks.delete(tracked));
    this.tasks.add(tracked);
  }

  /** Stops the timers. Tasks that run are not stopped. */
  stopTimers(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Resolves once all tracked tasks have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.tasks);
  }
}
