import { blockOf, type Decoder } from '../decode/decode.js';
import type { Block } from '../decode/line-reader.js';
import type { Line } from '../decode/line.js';
import type { Scanner } from '../decode/scan.js';
import type { AnyEvent } from '../events/events.js';
import type { Receipt } from '../state.js';

/** The room of a chunk. No line that the scanner reads has more bytes. */
const CHUNK_BYTES = 1 << 15;
const CHUNK_LINES = 256;
/** Chunks that wait to be used again, in the whole process: 2.4 MB. */
const SPARE_MAX = 64;

/** The lines of a tail, one below the other, and the position of each; null if that is unknown. */
export interface SavedTail {
  readonly lines: string;
  readonly positions: readonly (number | null)[];
}

/** Some lines of a tail, one after the other. */
class Chunk {
  bytes = new Uint8Array(CHUNK_BYTES);
  view = new DataView(this.bytes.buffer);
  length = 0;
  count = 0;
  /** Where each line ends, the mark of its receipt, and its position; NaN if that is unknown. */
  ends = new Int32Array(CHUNK_LINES);
  marks = new Float64Array(CHUNK_LINES);
  positions = new Float64Array(CHUNK_LINES);

  /** The number of lines before. */
  first = 0;

  get isWhole(): boolean {
    return this.bytes.length === CHUNK_BYTES;
  }

  /** Begins again without lines, behind so many of other chunks. */
  begin(first: number): void {
    this.first = first;
    this.length = this.count = 0;
  }

  hasRoomFor(length: number): boolean {
    return this.length + length <= this.bytes.length && this.count < this.ends.length;
  }

  add({ block, from, to }: Line, { mark, position = NaN }: Receipt): void {
    const { count } = this;
    const length = to - from;
    copyAscii(block.view, from, this.view, { at: this.length, length });
    this.length += length;
    this.ends[count] = this.length;
    this.marks[count] = mark;
    this.positions[count] = position;
    this.count = count + 1;
  }

  trim(): void {
    const { length, count } = this;
    this.bytes = this.bytes.slice(0, length);
    this.view = new DataView(this.bytes.buffer);
    this.ends = this.ends.slice(0, count);
    this.marks = this.marks.slice(0, count);
    this.positions = this.positions.slice(0, count);
  }

  /** Returns where a line begins. */
  startOf(line: number): number {
    return line === 0 ? 0 : (this.ends[line - 1] as number);
  }

  /** Returns the lines from one on, up to another, as a block. */
  block(from = 0, to = this.count): Block {
    const bytes = this.bytes.subarray(this.startOf(from), this.startOf(to));
    return blockOf(bytes, ascii.decode(bytes));
  }
}

/**
 * Chunks that no tail needs. A new one takes about as long to make as all its lines to copy, and
 * dies old.
 */
const spare: Chunk[] = [];

/**
 * The canonical lines of a shoe that the lane took and the shoe has not stepped through: their
 * bytes, with the receipt of each.
 */
export class Tail {
  private chunks: Chunk[] = [];
  private last: Chunk | undefined;
  private decoder: Decoder | null = null;
  private isGivenBack = false;

  /** The number of lines. */
  get count(): number {
    const { last } = this;
    return last === undefined ? 0 : last.first + last.count;
  }

  /** Returns whether lines of a decoder can be added: one decoder reads all lines of a tail. */
  takesFrom(decoder: Decoder): boolean {
    return this.decoder === decoder || this.count === 0 || this.decoder?.isLike(decoder) === true;
  }

  /** Adds a line that the scanner has read, so that all its bytes are ASCII. */
  add(line: Line, receipt: Receipt): void {
    let { last } = this;
    if (!last?.hasRoomFor(line.to - line.from)) last = this.nextChunk();
    last.add(line, receipt);
    this.decoder = line.decoder;
  }

  private nextChunk(): Chunk {
    const chunk = spare.pop() ?? new Chunk();
    chunk.begin(this.count);
    this.chunks.push(chunk);
    return (this.last = chunk);
  }

  /** Frees the room that no line takes. */
  trim(): void {
    this.last?.trim();
  }

  /** Returns the lines as a text, for a person who looks for a bug. */
  text(): string {
    return this.whole()
      .map((chunk) => chunk.block().text)
      .join('');
  }

  /** Returns what a tail with these lines can be made from again. */
  saved(): SavedTail {
    const lines: string[] = [];
    const positions: (number | null)[] = [];
    for (const chunk of this.whole()) {
      const { text } = chunk.block();
      for (let i = 0; i < chunk.count; i += 1) {
        const position = chunk.positions[i] as number;
        lines.push(text.substring(chunk.startOf(i), chunk.startOf(i + 1)));
        positions.push(Number.isNaN(position) ? null : position);
      }
    }
    return { lines: lines.join('\n'), positions };
  }

  /** Calls `take` with the event of each line. */
  play(take: (event: AnyEvent, mark: number, line: number) => void): void {
    const { decoder } = this;
    if (decoder === null) return;
    for (const chunk of this.whole()) {
      const block = chunk.block();
      for (let i = 0; i < chunk.count; i += 1) {
        const { event } = decoder.decode(block, chunk.startOf(i), chunk.startOf(i + 1));
        if (!event) throw new Error('a line that the scanner has read cannot be read again');
        const position = chunk.positions[i] as number;
        if (!Number.isNaN(position)) (event as { position?: number }).position = position;
        take(event, chunk.marks[i] as number, chunk.first + i);
      }
    }
  }

  /**
   * Calls `take` with what the scanner reads of each line from one on, up to another, and with the
   * mark of its receipt.
   */
  readAgain(
    first: number,
    end: number,
    take: (scanner: Scanner, line: number, mark: number) => void,
  ): void {
    const { decoder } = this;
    if (decoder === null) return;
    for (const chunk of this.whole()) {
      const from = Math.max(first - chunk.first, 0);
      const to = Math.min(end - chunk.first, chunk.count);
      if (from >= to) continue;
      const block = chunk.block(from, to);
      const start = chunk.startOf(from);
      for (let i = from; i < to; i += 1) {
        const scanner = decoder.scanned(
          block,
          chunk.startOf(i) - start,
          chunk.startOf(i + 1) - start,
        );
        if (!scanner) throw new Error('a line that the scanner has read cannot be read again');
        take(scanner, chunk.first + i, chunk.marks[i] as number);
      }
    }
  }

  /** Returns the chunks of all lines. Throws if they were given back. */
  private whole(): readonly Chunk[] {
    if (this.isGivenBack) throw new Error('the lines of a shoe out of reach are gone');
    return this.chunks;
  }

  /** Forgets the lines. */
  clear(): void {
    for (const chunk of this.chunks)
      if (chunk.isWhole && spare.length < SPARE_MAX) spare.push(chunk);
    this.chunks = [];
    this.last = undefined;
  }

  /** Forgets the lines, of which nobody needs any again. */
  giveBack(): void {
    this.clear();
    this.isGivenBack = true;
  }
}

const ascii = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Copies ASCII eight bytes at a time as doubles: ASCII is never NaN, so every bit is kept. */
function copyAscii(
  from: DataView,
  start: number,
  to: DataView,
  { at, length }: { readonly at: number; readonly length: number },
): void {
  let i = 0;
  for (; i + 8 <= length; i += 8) to.setFloat64(at + i, from.getFloat64(start + i, true), true);
  for (; i < length; i += 1) to.setUint8(at + i, from.getUint8(start + i));
}
