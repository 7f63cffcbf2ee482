import type { SpoolDisk } from './disk.js';
import { type Damage, entriesOf, type Place, placeOf } from './entries.js';
import type { Segment } from './segment.js';
import { bytesOf } from './writer.js';

/** What a line of the spool has for the api. */
export interface SpoolContents {
  readonly n: number;
  /** When its first frame came, in milliseconds since 1970. */
  readonly at: number;
  /** Its contents in order, perhaps none. */
  readonly made: readonly string[];
}

/** How much is read at once. A line that has more comes alone. */
export interface ReadLimits {
  readonly contents: number;
  /** The size of the contents, with a newline after each. */
  readonly bytes: number;
}

/** The most bytes of lines that one call reads. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

/** Reads lines for delivery, in their order, and remembers where it is. */
export class SpoolReader {
  /** Where the lines after `after` begin. */
  private reached: { readonly after: number; readonly place: Place } | undefined;

  constructor(
    private readonly disk: SpoolDisk,
    private readonly report: (damage: Damage) => Promise<void>,
  ) {}

  /**
   * Returns the lines with frames after line `after`, as many as fit into the limits, and at least
   * one if there is any. Passes over damage and reports it.
   */
  async read(
    segments: readonly Segment[],
    after: number,
    limits: ReadLimits,
  ): Promise<readonly SpoolContents[]> {
    const begin = this.beginning(segments, after);
    if (!begin) return [];
    const lines: SpoolContents[] = [];
    const held = { contents: 0, bytes: 0, place: 0 };
    let place = begin;
    for await (const entry of entriesOf(this.disk, segments, begin)) {
      if (entry.kind === 'damage') await this.report(entry.damage);
      if (entry.kind !== 'line') continue;
      const { segment, line, end } = entry;
      const made = line.frames.flatMap((frame) => frame.made);
      held.contents += made.length;
      held.bytes += bytesOf(made);
      if (lines.length > 0 && (held.contents > limits.contents || held.bytes > limits.bytes)) break;
      held.place += end - (segment.name === place.segment ? place.at : 0);
      place = { n: line.n + 1, segment: segment.name, at: end };
      const [first] = line.frames;
      if (first) lines.push({ n: line.n, at: first.at, made });
      if (held.place > HELD_BYTES_MAX) break;
    }
    this.reached = { after: lines.at(-1)?.n ?? after, place };
    return lines;
  }

  private beginning(segments: readonly Segment[], after: number): Place | undefined {
    const { reached } = this;
    const isThere =
      reached?.after === after && segments.some(({ name }) => name === reached.place.segment);
    return isThere ? reached.place : placeOf(after + 1, segments);
  }
}
