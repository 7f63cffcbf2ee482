import { stampsOf } from '#audit';

const SOME_TIME = '2026-11-20T12:00:00.000Z';
const AFTER_TIME = '"}';
/** So many identities' stamps are kept ready. */
const REMEMBERED_MAX = 10_000;

/** The server's clock as it is stamped: UTC to the millisecond, and never earlier than it said before, though the machine's clock be set back. */
export class ReceivedClock {
  private ms = -Infinity;
  private text = '';
  private readonly beforeTime = new Map<string, string>();

  constructor(private readonly clock: () => number = Date.now) {}

  /** The time now, `2026-11-20T12:00:00.123Z`. */
  now(): string {
    const ms = this.clock();
    if (ms > this.ms) {
      this.ms = ms;
      this.text = new Date(ms).toISOString();
    }
    return this.text;
  }

  /** How lines end that arrive now from this identity, in ISO 8859-1 characters, one a byte. */
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
