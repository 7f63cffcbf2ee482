import { endOfString, stands, type Literal } from './literal.js';

/**
 * A part of a log: its bytes, and the same bytes as a string with one character each (ISO 8859-1).
 */
export interface Block {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly text: string;
  /** Returns a part of the text. */
  cut(from: number, to: number): string;
}

/** A block whose whole text is at hand. */
export class TextBlock implements Block {
  readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    readonly text: string,
  ) {
    this.view = viewOf(bytes);
  }

  cut(from: number, to: number): string {
    return this.text.substring(from, to);
  }
}

/** Returns a part of bytes as a string with one character each. */
export type TextOf = (bytes: Uint8Array, from: number, to: number) => string;

/** A block whose text is made only where it is asked for: lawful play needs hardly any of it. */
export class BytesBlock implements Block {
  readonly view: DataView;
  private whole: string | undefined;

  constructor(
    readonly bytes: Uint8Array,
    private readonly textOf: TextOf,
  ) {
    this.view = viewOf(bytes);
  }

  get text(): string {
    return (this.whole ??= this.cut(0, this.bytes.length));
  }

  cut(from: number, to: number): string {
    return this.textOf(this.bytes, from, to);
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const NO_BYTES = new Uint8Array(0);
const NO_VIEW = viewOf(NO_BYTES);
const NO_BLOCK: Block = new TextBlock(NO_BYTES, '');

/**
 * Reads one line of a block without creating objects: every read is a method of one reader, and all
 * who use the reader share its position. After a mismatch it continues, but `ok` is false and what
 * it read means nothing. So one check at the end of a line replaces a check after each of its
 * thirty reads.
 */
export class LineReader {
  bytes: Uint8Array = NO_BYTES;
  view: DataView = NO_VIEW;
  at = 0;
  ok = true;
  private block = NO_BLOCK;

  /** Starts reading lines of a block. */
  open(block: Block): void {
    this.bytes = block.bytes;
    this.view = block.view;
    this.block = block;
  }

  /** Returns a part of the block as a text. */
  text(from: number, to: number): string {
    return this.block.cut(from, to);
  }

  /** Starts reading at a position of the block. */
  start(at: number): void {
    this.at = at;
    this.ok = true;
  }

  /** Skips this byte. */
  byte(wanted: number): void {
    if (this.bytes[this.at] !== wanted) this.ok = false;
    this.at += 1;
  }

  /** Skips exactly these bytes. Any others leave the line to the explaining path. */
  literal(wanted: Literal): void {
    if (!this.peek(wanted)) this.ok = false;
  }

  /** Skips these bytes if they come next, and returns whether they did. */
  peek(wanted: Literal): boolean {
    if (!stands(this.view, this.bytes, this.at, wanted)) return false;
    this.at += wanted.length;
    return true;
  }

  /**
   * Skips a string of printable ASCII without escapes, up to but not including its closing quote.
   */
  string(): void {
    const to = endOfString(this.bytes, this.at);
    if (to < 0) this.ok = false;
    else this.at = to;
  }

  /** Reads such a string that is not empty, as a text. */
  name(): string {
    const from = this.at;
    this.string();
    if (this.at === from) this.ok = false;
    return this.text(from, this.at);
  }

  /** Reads a whole number of at most 15 digits, without leading zero. */
  whole(): number {
    const { bytes } = this;
    const from = this.at;
    let { at } = this;
    let value = 0;
    for (
      let digit = (bytes[at] as number) - ZERO;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - ZERO
    ) {
      value = value * 10 + digit;
      at += 1;
    }
    const digits = at - from;
    if (digits === 0 || digits > 15 || (digits > 1 && bytes[from] === ZERO)) this.ok = false;
    this.at = at;
    return value;
  }
}

const ZERO = 0x30;
