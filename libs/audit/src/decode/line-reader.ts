import { endOfString, stands, type Literal } from './literal.js';

/** A stretch of a log: its bytes, and the same bytes as a string of one character each (ISO 8859-1). */
export interface Block {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly text: string;
}

/**
 * Reads along one line of a block without making objects: every read is a method of one reader, and whoever reads with it
 * shares its place. After a mismatch it continues, and `ok` is false: what was read means nothing then. The check stands
 * once at the end of a line instead of after each of its thirty reads.
 */
export class LineReader {
  bytes: Uint8Array = NO_BYTES;
  view: DataView = NO_VIEW;
  text = '';
  at = 0;
  ok = true;

  /** Starts reading lines of a block. */
  open({ bytes, view, text }: Block): void {
    this.bytes = bytes;
    this.view = view;
    this.text = text;
  }

  /** Starts reading at a place of the block. */
  start(at: number): void {
    this.at = at;
    this.ok = true;
  }

  /** Steps over this byte. */
  byte(wanted: number): void {
    if (this.bytes[this.at] !== wanted) this.ok = false;
    this.at += 1;
  }

  /** Steps over exactly these bytes; others make the line one for the explaining path. */
  literal(wanted: Literal): void {
    if (!this.peek(wanted)) this.ok = false;
  }

  /** Steps over these bytes where they stand, and says whether they did. */
  peek(wanted: Literal): boolean {
    if (!stands(this.view, this.bytes, this.at, wanted)) return false;
    this.at += wanted.length;
    return true;
  }

  /** A string of printable ASCII without escapes, up to its closing quote, which is not stepped over. */
  string(): string {
    const from = this.at;
    const to = endOfString(this.bytes, from);
    if (to === from) this.ok = false;
    this.at = to;
    return this.text.substring(from, to);
  }

  /** A whole number of at most 15 digits, without leading zero, not under `least`. */
  whole(least: number): number {
    const { bytes } = this;
    const from = this.at;
    let value = 0;
    for (
      let digit = (bytes[this.at] as number) - 48;
      digit >= 0 && digit <= 9;
      digit = (bytes[this.at] as number) - 48
    ) {
      value = value * 10 + digit;
      this.at += 1;
    }
    const digits = this.at - from;
    if (digits === 0 || digits > 15 || (digits > 1 && bytes[from] === 48) || value < least)
      this.ok = false;
    return value;
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_VIEW = new DataView(NO_BYTES.buffer);
