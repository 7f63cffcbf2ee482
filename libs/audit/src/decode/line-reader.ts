import { endOfString, stands, type Literal } from './literal.js';

/** A stretch of a log: its bytes, and the same bytes as a string of one character each (ISO 8859-1). */
export interface Block {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly text: string;
}

/**
 * Reads along one line of a block. It goes on after something else than what was wanted, and says so at the end: `ok` is
 * then false, and what was read means nothing.
 */
export class LineReader {
  protected bytes!: Uint8Array;
  protected view!: DataView;
  protected text!: string;
  protected at = 0;
  protected ok = true;

  /** Steps over this byte. */
  protected byte(wanted: number): void {
    if (this.bytes[this.at] !== wanted) this.ok = false;
    this.at += 1;
  }

  /** Steps over exactly these bytes; the line is not for the fast way where others stand. */
  protected literal(wanted: Literal): void {
    if (!this.peek(wanted)) this.ok = false;
  }

  /** Steps over these bytes where they stand, and says whether they did. */
  protected peek(wanted: Literal): boolean {
    if (!stands(this.view, this.bytes, this.at, wanted)) return false;
    this.at += wanted.length;
    return true;
  }

  /** A string of printable ASCII without escapes, up to its closing quote, which is not stepped over. */
  protected string(): string {
    const from = this.at;
    const to = endOfString(this.bytes, from);
    if (to === from) this.ok = false;
    this.at = to;
    return this.text.substring(from, to);
  }

  /** A whole number of at most 15 digits, without leading zero, not under `least`. */
  protected whole(least: number): number {
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
