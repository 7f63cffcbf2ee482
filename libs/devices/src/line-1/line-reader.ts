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

/** Splits bytes into lines. Ignores what is outside them. `up` is a clock in seconds. */
export function readLines(
  before: OpenLine,
  bytes: Uint8Array,
  up: number,
): { readonly open: OpenLine; readonly lines: readonly ReadLine[] } {
  let { text, up: since } = before;
  const lines: ReadLine[] = [];
  const end = (is: ReadLine['is'], whole: string): void => {
    lines.push({ text: whole, is, up: since });
    text = '';
  };
  for (const byte of bytes) {
    if (byte === DOLLAR) {
      if (text !== '') end('cut', text);
      text = '$';
      since = up;
    } else if (text !== '') {
      if (byte === LF) end('whole', text.replace(/\r$/, ''));
      else {
        text += String.fromCharCode(byte);
        if (text.length === LINE1_BYTES_MAX) end('long', text);
      }
    }
  }
  return { open: text === '' ? NO_LINE : { text, up: since }, lines };
}

/** Returns the bytes of ASCII text. */
export function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
