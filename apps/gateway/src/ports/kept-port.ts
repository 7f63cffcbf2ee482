import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#process';
import type { Link, Links } from './links.js';
import { NoLink } from './no-link.js';
import type { Port } from './port.js';

/** The pauses between tries to open a port, in milliseconds. Each is twice the one before. */
export interface RetryMs {
  readonly first: number;
  readonly most: number;
}
const RETRY_MS: RetryMs = { first: 250, most: 5_000 };

/** What a try opened: a link, or a server that hands its links on by itself. */
export type Opened = Link | Pick<Link, 'ended' | 'close'>;

/**
 * Tries once to open something, and ends soon after `stop`. Rejects with `NoLink` if a later try
 * may succeed, and with `Refusal` if the start should stop.
 */
export type Attempt = (stop: AbortSignal) => Promise<Opened>;

/** A port that opens what it needs, again and again, until it is closed. */
export class KeptPort implements Port {
  private readonly stop = new AbortController();
  private opened: Opened | undefined;
  private kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly links: Links,
    private readonly attempt: Attempt,
    private readonly retryMs = RETRY_MS,
  ) {}

  /** Waits for the first try, then keeps trying. Throws what should stop a start. */
  async start(): Promise<void> {
    const first = this.attempt(this.stop.signal);
    await first.catch((error: unknown) => {
      if (!(error instanceof NoLink)) throw error;
    });
    this.kept = this.keep(first);
  }

  /** Makes the first try without waiting for it. */
  begin(): void {
    this.kept = this.keep();
  }

  write(text: string): void {
    this.links.write(text);
  }

  pause(): void {
    this.links.pause();
  }

  resume(): void {
    this.links.resume();
  }

  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all([this.links.close(), this.opened?.close(), this.kept]);
  }

  /** Opens, holds and pauses in turn until the port is closed. */
  private async keep(first?: Promise<Opened>): Promise<void> {
    const { signal } = this.stop;
    await turn(); // the caller has the port before its listener hears of it
    let pauseMs = this.retryMs.first;
    for (let trying = first; trying !== undefined || !signal.aborted; trying = undefined) {
      const lastedMs = await this.hold(trying ?? this.attempt(signal));
      if (lastedMs > this.retryMs.most) pauseMs = this.retryMs.first;
      await pause(pauseMs, undefined, { signal }).catch(() => undefined); // closed
      pauseMs = Math.min(2 * pauseMs, this.retryMs.most);
    }
  }

  /** Holds what a try opens until it ends. Returns how long that was, in milliseconds. */
  private async hold(trying: Promise<Opened>): Promise<number> {
    try {
      this.opened = await trying;
    } catch (error) {
      if (!(error instanceof NoLink || error instanceof Refusal)) throw error;
      this.links.failed(error.message);
      return 0;
    }
    const since = performance.now();
    if (this.stop.signal.aborted) await this.opened.close();
    else if ('stream' in this.opened) this.links.take(this.opened);
    await this.opened.ended;
    return performance.now() - since;
  }
}
