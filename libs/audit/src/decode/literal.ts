/**
 * Bytes to compare eight at a time, as doubles: ASCII bytes never make one that is not a number or is zero, so equal
 * doubles are equal bytes. The last double overlaps the one before it where the length is no multiple of eight.
 */
export interface Literal {
  readonly doubles: Float64Array;
  /** Where the last double begins; below 0 for a literal of fewer than eight bytes. */
  readonly last: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Whether these bytes stand at `at`. */
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

/** Where the string of printable ASCII without escapes that begins at `from` has its closing quote; `from` where it has none. */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let c = bytes[at] as number; c !== QUOTE; c = bytes[at] as number) {
    if (!(c >= 0x20 && c < 0x7f) || c === BACKSLASH) return from;
    at += 1;
  }
  return at;
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A literal of ASCII text. */
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

/** The first four bytes of a text, as they are read at once. */
export const wordOf = (text: string): number =>
  new DataView(literal(text).bytes.buffer).getInt32(0, true);

/** A literal that stands nowhere: no line holds NUL. */
export const NEVER = literal('\0\0\0\0');
