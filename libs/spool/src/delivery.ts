import type { SpoolDisk } from './segments/disk.js';
import { type Damage, entriesOf, type SpoolPosition, positionOf } from './segments/entries.js';
import type { SpoolLine } from './segments/line.js';
import type { Segment } from './segments/segment.js';
import { bytesOf } from './segments/writer.js';

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

/** The most bytes of lines that are kept in memory after they were written. */
const RECENT_BYTES_MAX = 256 * 1024;

/** About what a line takes beside its texts. */
const LINE_BYTES = 128;

/** A line in memory, and where the line after it begins. */
interface Recent {
  readonly line: SpoolLine;
  readonly bytes: number;
  readonly next: SpoolPosition;
}

/**
 * Reads lines for delivery, in their order, and remembers where it is. Lines that were just written
 * are still in memory, so live play does not wait for the disk a second time.
 */
export class SpoolReader {
  /** Where the lines after `after` begin. */
  private reached: { readonly after: number; readonly position: SpoolPosition } | undefined;
  /** The newest lines, in order. */
  private readonly recent: Recent[] = [];
  private recentBytes = 0;

  constructor(
    private readonly disk: SpoolDisk,
    private readonly report: (damage: Damage) => Promise<void>,
  ) {}

  /** Takes a line that is durable. The line after it begins at `next`. */
  wrote(line: SpoolLine, next: SpoolPosition): void {
    const texts = line.frames.flatMap(({ made, raw }) => [...made, raw]);
    const bytes = LINE_BYTES + bytesOf(texts);
    this.recent.push({ line, bytes, next });
    this.recentBytes += bytes;
    while (this.recentBytes > RECENT_BYTES_MAX) this.recentBytes -= this.recent.shift()?.bytes ?? 0;
  }

  /**
   * Returns the lines with frames after line `after`, as many as fit into the limits, and at least
   * one if there is any. Passes over damage and reports it.
   */
  async read(
    segments: readonly Segment[],
    after: number,
    limits: ReadLimits,
  ): Promise<readonly SpoolContents[]> {
    const recent = this.recent.findLastIndex(({ line }) => line.n === after + 1);
    if (recent >= 0) return this.fromMemory(this.recent.slice(recent), after, limits);
    const begin = this.beginning(segments, after);
    if (!begin) return [];
    const read = new Reading(limits);
    let [position, bytes] = [begin, 0];
    for await (const entry of entriesOf(this.disk, segments, begin)) {
      if (entry.kind === 'damage') await this.report(entry.damage);
      if (entry.kind !== 'line') continue;
      const { segment, line, end } = entry;
      if (!read.takes(line)) break;
      bytes += end - (segment.name === position.segment ? position.at : 0);
      position = { n: line.n + 1, segment: segment.name, at: end };
      if (bytes > HELD_BYTES_MAX) break;
    }
    return this.reaching(read.lines, after, position);
  }

  private fromMemory(
    recent: readonly Recent[],
    after: number,
    limits: ReadLimits,
  ): readonly SpoolContents[] {
    const read = new Reading(limits);
    const end = recent.findIndex(({ line }) => !read.takes(line));
    const { next } = recent.at(end < 0 ? -1 : end - 1) as Recent;
    return this.reaching(read.lines, after, next);
  }

  /** Remembers where the lines after those that were read begin. */
  private reaching(
    lines: readonly SpoolContents[],
    after: number,
    position: SpoolPosition,
  ): readonly SpoolContents[] {
    this.reached = { after: lines.at(-1)?.n ?? after, position };
    return lines;
  }

  private beginning(segments: readonly Segment[], after: number): SpoolPosition | undefined {
    const { reached } = this;
    const isThere =
      reached?.after === after && segments.some(({ name }) => name === reached.position.segment);
    return isThere ? reached.position : positionOf(after + 1, segments);
  }
}

/** The lines with frames that are read at once. */
class Reading {
  readonly lines: SpoolContents[] = [];
  private contents = 0;
  private bytes = 0;

  constructor(private readonly limits: ReadLimits) {}

  /** Takes a line. Returns whether it fits, or comes alone. */
  takes({ n, frames }: SpoolLine): boolean {
    const made = frames.flatMap((frame) => frame.made);
    this.contents += made.length;
    this.bytes += bytesOf(made);
    const { contents, bytes } = this.limits;
    if (this.lines.length > 0 && (this.contents > contents || this.bytes > bytes)) return false;
    const [first] = frames;
    if (first) this.lines.push({ n, at: first.at, made });
    return true;
  }
}
