/**
 * Bytes to compare eight at a time, as doubles, and fewer than eight as two words of four. ASCII
 * bytes never form NaN or zero, so equal doubles are equal bytes. The last double or word overlaps
 * the one before it if the length is not a multiple of its size.
 */
export interface Literal {
  readonly doubles: Float64Array;
  /** Where the last double or word begins; 0 for a literal of fewer than four bytes. */
  readonly last: number;
  /** The first and the last word of a literal of four to seven bytes. */
  readonly firstWord: number;
  readonly lastWord: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/**
 * Returns whether these bytes are at `at`. Compares the end first, because what names of two lines
 * differ in is usually at their end.
 */
export function stands(view: DataView, bytes: Uint8Array, at: number, wanted: Literal): boolean {
  const { doubles, last, length } = wanted;
  if (at + length > bytes.length) return false;
  if (length < 8) return standsShort(view, bytes, at, wanted);
  if (view.getFloat64(at + last, true) !== doubles[doubles.length - 1]) return false;
  for (let i = doubles.length - 2, from = at + i * 8; i >= 0; i -= 1, from -= 8)
    if (view.getFloat64(from, true) !== doubles[i]) return false;
  return true;
}

function standsShort(view: DataView, bytes: Uint8Array, at: number, wanted: Literal): boolean {
  if (wanted.length >= 4)
    return (
      view.getInt32(at, true) === wanted.firstWord &&
      view.getInt32(at + wanted.last, true) === wanted.lastWord
    );
  for (let i = 0; i < wanted.length; i += 1) if (bytes[at + i] !== wanted.bytes[i]) return false;
  return true;
}

/**
 * Returns the position of the closing quote of the string of printable ASCII without escapes that
 * begins at `from`; -1 if there is none.
 */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (PLAIN[bytes[at] as number] === 1) at += 1;
  return bytes[at] === QUOTE ? at : -1;
}

/** Returns whether a byte is printable ASCII that needs no escape in a string. */
export const isPlain = (byte: number): boolean => PLAIN[byte] === 1;

/** The byte of a quotation mark. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const PLAIN = new Uint8Array(256);
for (let c = 0x20; c < 0x7f; c += 1) if (c !== QUOTE && c !== BACKSLASH) PLAIN[c] = 1;

/** Returns the literal of an ASCII text. */
export function literal(text: string): Literal {
  const { length } = text;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const doubles = new Float64Array(length < 8 ? 0 : Math.ceil(length / 8));
  for (let i = 0; i < doubles.length; i += 1)
    doubles[i] = view.getFloat64(Math.min(i * 8, length - 8), true);
  const last = Math.max(0, length - (length < 8 ? 4 : 8));
  const isWords = length >= 4 && length < 8;
  return {
    doubles,
    last,
    firstWord: isWords ? view.getInt32(0, true) : 0,
    lastWord: isWords ? view.getInt32(last, true) : 0,
    bytes,
    length,
  };
}

/** A literal that matches nowhere, because no line contains NUL. */
export const NEVER = literal('\0\0\0\0');
