import { blockOf, type Decoder } from '../decode/decode.js';
import type { Block } from '../decode/line-reader.js';
import type { Scanner } from '../decode/scan.js';
import type { AnyEvent } from '../events/events.js';
import type { Receipt } from '../state.js';

/** The room for the first lines; it doubles when it is full. */
const BYTES_AT_FIRST = 1 << 15;
const LINES_AT_FIRST = 128;

/** The bytes of a line, and the decoder that reads it. */
interface Bytes {
  readonly decoder: Decoder;
  readonly block: Block;
  readonly from: number;
  readonly to: number;
}

/** The lines of a tail, one below the other, and the position of each; null if that is unknown. */
export interface SavedTail {
  readonly lines: string;
  readonly positions: readonly (number | null)[];
}

/**
 * The canonical lines of a shoe that the lane took and the shoe has not stepped through: their
 * bytes, one after the other, with the receipt of each.
 */
export class Tail {
  private bytes: Uint8Array;
  private view: DataView;
  private length = 0;
  private lines = 0;
  /** Where each line ends, the mark of its receipt, and its position; NaN if that is unknown. */
  private ends = new Int32Array(LINES_AT_FIRST);
  private marks = new Float64Array(LINES_AT_FIRST);
  private positions = new Float64Array(LINES_AT_FIRST);
  private decoder: Decoder | null = null;

  /** `size` is the number of bytes for which there is room at first. */
  constructor(size = BYTES_AT_FIRST) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** The number of bytes for which there is room. */
  get size(): number {
    return this.bytes.length;
  }

  get count(): number {
    return this.lines;
  }

  /** Returns whether lines of a decoder can be added: one decoder reads all lines of a tail. */
  takesFrom(decoder: Decoder): boolean {
    return this.lines === 0 || this.decoder === decoder || this.decoder?.isLike(decoder) === true;
  }

  /** Adds a line that the scanner has read, so that all its bytes are ASCII. */
  add({ decoder, block, from, to }: Bytes, { mark, position = NaN }: Receipt): void {
    const length = to - from;
    if (this.length + length > this.bytes.length) this.makeRoom(length);
    if (this.lines === this.ends.length) this.makeRoomForLines();
    copyAscii(block.view, from, this.view, { at: this.length, length });
    this.decoder = decoder;
    this.length += length;
    this.ends[this.lines] = this.length;
    this.marks[this.lines] = mark;
    this.positions[this.lines] = position;
    this.lines += 1;
  }

  private makeRoom(more: number): void {
    let size = this.bytes.length;
    while (size < this.length + more) size *= 2;
    const bytes = new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  private makeRoomForLines(): void {
    const ends = new Int32Array(this.ends.length * 2);
    const [marks, positions] = [new Float64Array(ends.length), new Float64Array(ends.length)];
    ends.set(this.ends);
    marks.set(this.marks);
    positions.set(this.positions);
    Object.assign(this, { ends, marks, positions });
  }

  /** Gives back the room that no line takes. */
  trim(): void {
    const { length, lines } = this;
    this.bytes = this.bytes.slice(0, length);
    this.view = new DataView(this.bytes.buffer);
    this.ends = this.ends.slice(0, lines);
    this.marks = this.marks.slice(0, lines);
    this.positions = this.positions.slice(0, lines);
  }

  /** Returns the lines as a text, for a person who looks for a bug. */
  text(): string {
    return ascii.decode(this.bytes.subarray(0, this.length));
  }

  /** Returns what a tail with these lines can be made from again. */
  saved(): SavedTail {
    const text = this.text();
    const lines = Array.from({ length: this.lines }, (_, i) =>
      text.substring(this.startOf(i), this.ends[i]),
    );
    const positions = Array.from(this.positions.subarray(0, this.lines), (position) =>
      Number.isNaN(position) ? null : position,
    );
    return { lines: lines.join('\n'), positions };
  }

  /** Calls `take` with the event of each line. */
  play(take: (event: AnyEvent, mark: number, line: number) => void): void {
    const { decoder, lines } = this;
    if (decoder === null) return;
    const bytes = this.bytes.subarray(0, this.length);
    const block = { bytes, view: this.view, text: ascii.decode(bytes) };
    let from = 0;
    for (let i = 0; i < lines; i += 1) {
      const to = this.ends[i] as number;
      const { event } = decoder.decode(block, from, to);
      if (!event) throw new Error('a line that the scanner has read cannot be read again');
      const position = this.positions[i] as number;
      if (!Number.isNaN(position)) (event as { position?: number }).position = position;
      take(event, this.marks[i] as number, i);
      from = to;
    }
  }

  /** Calls `take` with what the scanner reads of each line from one on, up to another. */
  readAgain(first: number, end: number, take: (scanner: Scanner, line: number) => void): void {
    const { decoder } = this;
    if (decoder === null || first >= end) return;
    const start = this.startOf(first);
    const bytes = this.bytes.subarray(start, this.ends[end - 1]);
    const block = blockOf(bytes, ascii.decode(bytes));
    let from = 0;
    for (let i = first; i < end; i += 1) {
      const to = (this.ends[i] as number) - start;
      const scanner = decoder.scanned(block, from, to);
      if (!scanner) throw new Error('a line that the scanner has read cannot be read again');
      take(scanner, i);
      from = to;
    }
  }

  /** Returns the mark of the receipt of a line. */
  markOf(line: number): number {
    return this.marks[line] as number;
  }

  private startOf(line: number): number {
    return line === 0 ? 0 : (this.ends[line - 1] as number);
  }

  /** Forgets the lines. */
  clear(): void {
    this.length = 0;
    this.lines = 0;
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
