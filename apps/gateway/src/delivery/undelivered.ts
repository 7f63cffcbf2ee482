import type { ReadLimits, SpoolContents } from '#spool';
import type { EventPosition } from '../desk/skip.js';

/** The events of one request, and where they are. */
export interface EventsRequest {
  /** Of each event, in order. Empty if everything up to the end is left out or has no event. */
  readonly positions: readonly EventPosition[];
  /** One event a line. */
  readonly lines: Buffer;
  /** What comes after it. */
  readonly end: { readonly line: number; readonly made: number };
}

/** Lines that were read from the spool and are not delivered as a whole. */
export class Undelivered {
  private lines: readonly SpoolContents[] = [];
  /** How many contents of the first line are delivered. */
  private made = 0;

  /** Takes lines. There must be none left. */
  take(lines: readonly SpoolContents[]): void {
    this.lines = lines;
    this.made = 0;
  }

  /** Returns when the first frame of the oldest line came, or undefined without lines. */
  get oldestAt(): number | undefined {
    return this.lines[0]?.at;
  }

  /** Returns the next events that fit into the limits, and at least one if any are left. */
  next(limits: ReadLimits, isSkipped: (position: EventPosition) => boolean): EventsRequest {
    const positions: EventPosition[] = [];
    const texts: string[] = [];
    let bytes = 0;
    for (let line = 0; line < this.lines.length; line += 1) {
      const { n, made } = this.lines[line] as SpoolContents;
      for (let i = line === 0 ? this.made : 0; i < made.length; i += 1) {
        const position = { n, event: i + 1 };
        if (isSkipped(position)) continue;
        const text = made[i] as string;
        bytes += Buffer.byteLength(text) + 1;
        if (positions.length > 0 && (positions.length >= limits.contents || bytes > limits.bytes))
          return requestOf(positions, texts, { line, made: i });
        positions.push(position);
        texts.push(text);
      }
    }
    return requestOf(positions, texts, { line: this.lines.length, made: 0 });
  }

  /**
   * Removes the events before an end. Returns the number of the last line that is delivered as a
   * whole by that, or undefined.
   */
  remove({ line, made }: EventsRequest['end']): number | undefined {
    const last = this.lines[line - 1]?.n;
    this.lines = this.lines.slice(line);
    this.made = made;
    return last;
  }
}

const requestOf = (
  positions: readonly EventPosition[],
  texts: readonly string[],
  end: EventsRequest['end'],
): EventsRequest => ({
  positions,
  lines: Buffer.from(texts.map((text) => `${text}\n`).join('')),
  end,
});
