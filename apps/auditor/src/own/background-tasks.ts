/** Timers and tasks that nobody waits for, until the end. A failure is reported and ends nothing else. */
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

  /** Adds a task that was started. */
  track(task: Promise<void>): void {
    const tracked = task.catch(this.onFailure).finally(() => this.tasks.delete(tracked));
    this.tasks.add(tracked);
  }

  /** Starts nothing more at an interval. */
  stopTimers(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Resolves once the tasks that were started have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.tasks);
  }
}
