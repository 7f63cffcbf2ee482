import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Events count as being recorded if the last request with events came this recently. */
const LATELY_MS = 1_000;
/** The longest rest, so that reading continues even on a machine without spare time. */
const REST_MS_MAX = 1_000;

/**
 * Lets live play go first: while events are being recorded, reading rests in proportion to the time
 * that it took. On a busy machine the same work takes longer, so reading slows down by itself.
 */
@Injectable()
export class LivePlay {
  private lastAt = -Infinity;

  /** Notes that a request with events came. */
  came(): void {
    this.lastAt = performance.now();
  }

  /**
   * Returns for how many ms reading rests after work that took `tookMs`, so that it has at most
   * `share` of the time: at most a second, and 0 while nothing is being recorded.
   */
  restAfter(tookMs: number, share: number): number {
    if (performance.now() - this.lastAt > LATELY_MS) return 0;
    return Math.min(REST_MS_MAX, tookMs * (1 / share - 1));
  }

  /** Rests after work that took `tookMs`, at least until everything else has had a turn. */
  async rest(tookMs: number, share: number): Promise<void> {
    const ms = this.restAfter(tookMs, share);
    await (ms > 0 ? pause(ms) : nextTurn());
  }
}
