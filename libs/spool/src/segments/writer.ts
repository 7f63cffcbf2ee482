import { asError } from '#process';
import type { SpoolDisk } from './disk.js';
import type { SpoolPosition } from './entries.js';
import { preambleBytes, lineBytes, SPOOL_VERSION } from './line.js';
import type { SpoolOwner } from '../owner.js';
import type { Recovered } from './recovery.js';
import { SpoolFull } from '../refusals.js';
import { LONGEST_LINE, type Segment, segmentName } from './segment.js';
import type { SpoolSettings } from '../settings.js';

/** A line that is durable. */
export interface Written {
  /** The number of the line. */
  readonly n: number;
  /** How long the disk took to make it durable, in milliseconds. */
  readonly syncMs: number;
}

interface Line {
  readonly sent: number;
  readonly bytes: Buffer;
}

/** Returns the size of texts with one more byte for each. */
export const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);

/** More than a line has beside its frames. */
const LINE_OVERHEAD = 64;

/**
 * Appends lines to segments, begins new ones and removes old ones. Calls must not overlap. After a
 * failed write or sync the segment is cut back to what is durable and never appended to again,
 * because its next sync may succeed without writing what this one lost.
 */
export class SegmentWriter {
  private list: Segment[];
  private nextN: number;
  private writtenSent: number;
  /** Whether the last segment takes more lines. */
  private isOpen: boolean;
  /** How many segments have a line: all, or all but the last. */
  private hasLines: boolean;
  /** Whether the last segment may have bytes after those that are durable. */
  private isUncut = false;

  constructor(
    private readonly disk: SpoolDisk,
    private readonly owner: SpoolOwner,
    private readonly settings: SpoolSettings,
    { segments, n, sent, isDamaged }: Recovered,
  ) {
    this.list = [...segments];
    this.nextN = n;
    this.writtenSent = sent;
    this.isOpen = segments.length > 0 && !isDamaged;
    this.hasLines = true;
  }

  /** Returns the segments that have lines. One without lines may be removed at any time. */
  get segments(): readonly Segment[] {
    return this.hasLines ? this.list : this.list.slice(0, -1);
  }

  /** Returns the number of the last durable line, 0 before the first. */
  get last(): number {
    return this.nextN - 1;
  }

  /** Returns where the next line begins, if it comes into the last segment. */
  get end(): SpoolPosition {
    const { name: segment, bytes: at } = this.lastSegment;
    return { n: this.nextN, segment, at };
  }

  /** Returns the cursor of the last durable line. */
  get durableSent(): number {
    return this.writtenSent;
  }

  /** Returns the size of all segments. */
  get bytes(): number {
    return this.list.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Writes frames, as JSON texts, as one durable line. Throws `SpoolFull` if the cap or the disk
   * leaves no room, and has then written nothing. A line without frames ignores the cap, and so
   * does one that is `isPastCap`.
   */
  async write(sent: number, frames: readonly string[], isPastCap = false): Promise<Written> {
    if (frames.length > 0 && !isPastCap) await this.makeRoom(sent, bytesOf(frames));
    return this.putOrRetry(sent, frames);
  }

  /** Throws `SpoolFull` unless frames of this size fit. Removes delivered segments for them. */
  async makeRoom(sent: number, frameBytes: number): Promise<void> {
    const { capBytes } = this.settings;
    const isOver = (): boolean => this.bytes + frameBytes + LINE_OVERHEAD > capBytes;
    if (!isOver()) return;
    // What goes must be delivered by a durable cursor. Otherwise a start would miss it.
    if (sent > this.writtenSent && this.list.length > 1) await this.putOrRetry(sent, []);
    await this.remove(isOver);
    if (isOver()) throw new SpoolFull(`the spool has reached its cap of ${capBytes} bytes`);
  }

  /** Makes the disk take lines again after `SpoolFull`. Throws if it does not. */
  async reopen(sent: number): Promise<void> {
    const preamble = this.preamble(sent);
    await this.cutBack();
    if (!this.isOpen) await this.begin(preamble);
  }

  private async putOrRetry(sent: number, frames: readonly string[]): Promise<Written> {
    const line = { sent, bytes: lineBytes(this.nextN, sent, frames) };
    const preamble = this.takesMore ? undefined : this.preamble(sent);
    try {
      return await this.put(line, preamble);
    } catch (error) {
      this.owner.notice({ kind: 'retrying', error: asError(error) });
    }
    const newPreamble = preamble ?? this.preamble(sent);
    try {
      await this.cutBack();
      return await this.put(line, newPreamble);
    } catch (error) {
      await this.cutBack().catch(() => undefined); // `reopen` tries it again
      throw new SpoolFull(`the disk refuses: ${asError(error).message}`, { cause: error });
    }
  }

  private async put({ sent, bytes }: Line, preamble: Buffer | undefined): Promise<Written> {
    if (preamble) await this.begin(preamble);
    const { name } = this.lastSegment;
    const begun = performance.now();
    this.isUncut = true;
    this.isOpen = false;
    await this.disk.append(name, bytes);
    await this.disk.sync(name);
    const syncMs = performance.now() - begun;
    this.grow(bytes.length);
    const n = this.nextN;
    this.nextN += 1;
    this.writtenSent = sent;
    const isFirst = !this.hasLines;
    this.hasLines = true;
    if (isFirst) await this.removeOld();
    return { n, syncMs };
  }

  private get takesMore(): boolean {
    return this.isOpen && this.lastSegment.bytes < this.settings.segmentBytes;
  }

  /** Returns what a new segment begins with: the owner's state after the last durable line. */
  private preamble(sent: number): Buffer {
    const owner = this.owner.state();
    const bytes = preambleBytes({ spool: SPOOL_VERSION, n: this.nextN, sent, owner });
    if (bytes.length <= LONGEST_LINE) return bytes;
    throw new RangeError(
      `the owner's state makes a line of ${bytes.length} bytes, and the most is ${LONGEST_LINE}`,
    );
  }

  private async begin(preamble: Buffer): Promise<void> {
    const name = segmentName(this.nextN);
    this.list.push({ name, firstN: this.nextN, bytes: 0, modifiedMs: Date.now() });
    this.isOpen = false;
    this.hasLines = false;
    this.isUncut = true;
    await this.disk.create(name);
    await this.disk.append(name, preamble);
    await this.disk.sync(name);
    await this.disk.syncFolder();
    this.grow(preamble.length);
  }

  /** Cuts the last segment back to what is durable. Removes it if it has no line. */
  private async cutBack(): Promise<void> {
    if (!this.isUncut) return;
    const { name, bytes } = this.lastSegment;
    if (this.hasLines) {
      await this.disk.truncate(name, bytes);
      await this.disk.sync(name);
    } else {
      const isThere = (await this.disk.list()).some((file) => file.name === name);
      if (isThere) await this.disk.remove(name);
      await this.disk.syncFolder();
      this.list.pop();
      this.hasLines = true;
    }
    this.isUncut = false;
  }

  private async removeOld(): Promise<void> {
    const before = Date.now() - this.settings.keepMs;
    await this.remove(({ modifiedMs }) => modifiedMs < before);
  }

  /**
   * Removes delivered segments, the oldest first, while `isWanted`. A start needs the last one with
   * a line, and it is never among them: the line that brought the cursor is after the cursor.
   */
  private async remove(isWanted: (segment: Segment) => boolean): Promise<void> {
    while (this.list.length > 1) {
      const [oldest, next] = this.list as [Segment, Segment];
      if (next.firstN - 1 > this.writtenSent || !isWanted(oldest)) return;
      try {
        await this.disk.remove(oldest.name);
        this.list = this.list.slice(1);
        await this.disk.syncFolder();
      } catch (error) {
        const { name: segment } = oldest;
        this.owner.notice({ kind: 'not-removed', segment, error: asError(error) });
        return;
      }
    }
  }

  private get lastSegment(): Segment {
    return this.list.at(-1) as Segment;
  }

  /** Counts bytes that have become durable. The segment takes more. */
  private grow(by: number): void {
    const { lastSegment } = this;
    const bytes = lastSegment.bytes + by;
    this.list[this.list.length - 1] = { ...lastSegment, bytes, modifiedMs: Date.now() };
    this.isUncut = false;
    this.isOpen = true;
  }
}
