import { OutcomeUnknown } from '#event-log';

/** How often overdue appends are looked for. */
const LOOK_MS = 1000;

interface Awaited {
  readonly until: number;
  readonly give: (why: OutcomeUnknown) => void;
}

/** Gives up appends that take longer than anybody waits. One timer looks after all of them, and runs while there are any. */
export class AppendDeadline {
  private readonly open = new Set<Awaited>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ms: number,
    private readonly lookMs = LOOK_MS,
  ) {}

  /** The append's own end, or `OutcomeUnknown` where that takes longer. */
  within<T>(append: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const awaited = { until: performance.now() + this.ms, give: reject };
      this.open.add(awaited);
      this.timer ??= setInterval(() => this.look(), this.lookMs);
      append.then(
        (value) => {
          this.open.delete(awaited);
          resolve(value);
        },
        (why: Error) => {
          this.open.delete(awaited);
          reject(why);
        },
      );
    });
  }

  private look(): void {
    const now = performance.now();
    // In the order in which they began: the first that has time left ends the search.
    for (const awaited of this.open) {
      if (awaited.until > now) break;
      this.open.delete(awaited);
      awaited.give(new OutcomeUnknown(`the log did not answer within ${this.ms} ms`));
    }
    if (this.open.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
