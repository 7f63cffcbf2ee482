import { stampsOf } from '#audit';

const SOME_TIME = '2026-11-20T12:00:00.000Z';
const AFTER_TIME = '"}';
/** The most identities whose stamps are cached. */
const REMEMBERED_MAX = 10_000;

/**
 * The server's clock for stamps: UTC to the millisecond. It never goes back, even if the machine's
 * clock does.
 */
export class ReceivedClock {
  private ms = -Infinity;
  private text = '';
  private readonly beforeTime = new Map<string, string>();

  constructor(private readonly clock: () => number = Date.now) {}

  /** Returns the time now, such as `2026-11-20T12:00:00.123Z`. */
  now(): string {
    const ms = this.clock();
    if (ms > this.ms) {
      this.ms = ms;
      this.text = new Date(ms).toISOString();
    }
    return this.text;
  }

  /**
   * Returns the end of lines that arrive now from this identity, in ISO 8859-1 characters, one for
   * each byte.
   */
  stampsFrom(receivedFrom: string): string {
    let before = this.beforeTime.get(receivedFrom);
    if (before === undefined) {
      if (this.beforeTime.size >= REMEMBERED_MAX) this.beforeTime.clear();
      before = Buffer.from(
        stampsOf(receivedFrom, SOME_TIME).slice(0, -SOME_TIME.length - AFTER_TIME.length),
        'utf8',
      ).toString('latin1');
      this.beforeTime.set(receivedFrom, before);
    }
    return before + this.now() + AFTER_TIME;
  }
}
