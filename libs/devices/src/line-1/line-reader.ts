import { LINE1_BYTES_MAX } from './line.js';

/** A line that ended: its text from `$` on, without CR and LF, and when its first byte came. */
export interface ReadLine {
  readonly text: string;
  /** `cut`: another line began inside it. `long`: it has no end within 160 bytes. */
  readonly is: 'whole' | 'cut' | 'long';
  readonly up: number;
}

/** The line that is open: its bytes as characters. Empty outside lines. */
export interface OpenLine {
  readonly text: string;
  readonly up: number;
}

/** Outside lines. */
export const NO_LINE: OpenLine = { text: '', up: 0 };
const LF = 10;
const DOLLAR = 36;

/** Splits bytes into lines. Ignores what stands outside them. `up` is a clock in seconds. */
export function readLines(
  before: OpenLine,
  bytes: Uint8Array,
  up: number,
): { readonly open: OpenLine; readonly lines: readonly ReadLine[] } {
  let open = before;
  const lines: ReadLine[] = [];
  const end = (is: ReadLine['is'], text: string): void => {
    lines.push({ text, is, up: open.up });
    open = NO_LINE;
  };
  for (const byte of bytes) {
    if (byte === DOLLAR) {
      if (open.text !== '') end('cut', open.text);
      open = { text: '$', up };
    } else if (open.text !== '') {
      if (byte === LF) end('whole', open.text.replace(/\r$/, ''));
      else {
        open = { ...open, text: open.text + String.fromCharCode(byte) };
        if (open.text.length === LINE1_BYTES_MAX) end('long', open.text);
      }
    }
  }
  return { open, lines };
}

/** Returns the bytes of ASCII text. */
export const asciiBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
