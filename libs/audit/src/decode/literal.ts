/**
 * Bytes to compare eight at a time, as doubles. ASCII bytes never form NaN or zero, so equal
 * doubles are equal bytes. The last double overlaps the one before it if the length is not a
 * multiple of eight.
 */
export interface Literal {
  readonly doubles: Float64Array;
  /** Where the last double begins. It is negative for a literal of fewer than eight bytes. */
  readonly last: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Returns whether these bytes are at `at`. */
export function stands(
  view: DataView,
  bytes: Uint8Array,
  at: number,
  { doubles, last, bytes: wanted, length }: Literal,
): boolean {
  if (at + length > bytes.length) return false;
  if (last < 0) {
    for (let i = 0; i < length; i += 1) if (bytes[at + i] !== wanted[i]) return false;
    return true;
  }
  const tail = doubles.length - 1;
  for (let i = 0, from = at; i < tail; i += 1, from += 8)
    if (view.getFloat64(from, true) !== doubles[i]) return false;
  return view.getFloat64(at + last, true) === doubles[tail];
}

/**
 * Returns the position of the closing quote of the string of printable ASCII without escapes that
 * begins at `from`, or `from` if there is none.
 */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let c = bytes[at] as number; c !== QUOTE; c = bytes[at] as number) {
    if (!(c >= 0x20 && c < 0x7f) || c === BACKSLASH) return from;
    at += 1;
  }
  return at;
}

/** The byte of a quotation mark. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the literal of an ASCII text. */
export function literal(text: string): Literal {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const last = bytes.length - 8;
  const doubles = new Float64Array(Math.ceil(Math.max(0, last) / 8) + 1);
  if (last >= 0)
    for (let i = 0; i < doubles.length; i += 1)
      doubles[i] = view.getFloat64(Math.min(i * 8, last), true);
  return { doubles, last, bytes, length: bytes.length };
}

/** Returns the first four bytes of a text as one number, which is how they are compared. */
export const wordOf = (text: string): number =>
  new DataView(literal(text).bytes.buffer).getInt32(0, true);

/** A literal that matches nowhere, because no line contains NUL. */
export const NEVER = literal('\0\0\0\0');
