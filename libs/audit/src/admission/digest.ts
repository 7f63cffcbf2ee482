/**
 * Content digests for admission.
 *
 * Admission asks one question of a digest: is this repeat the event that it has already admitted?
 * It compares the digest with one other at a time, of the same source, session and sequence (or
 * id). The digest must detect accidental differences, such as a card read again or a restarted
 * counter. It does not protect against forgery: the log keeps both events, byte for byte. See
 * docs/decisions/0002-admission-digest.md.
 *
 * The digest has two lanes of rotate, exclusive or and multiply, which take eight bytes in turn as
 * two words, mixed at the end as in MurmurHash3. One lane takes both words and the other takes the
 * second word with the first lane, so that two multiplications bring eight bytes into both lanes,
 * and different words always leave different lanes.
 */
export interface Lanes {
  a: number;
  b: number;
}

/** Returns the lanes of an empty content. */
export const newLanes = (): Lanes => ({ a: 0x9747b28c | 0, b: 0x3c6ef372 });

/**
 * Adds `bytes[from, to)` and their number to the lanes. The number keeps two pieces from running
 * together.
 */
export function takeBytes(lanes: Lanes, view: DataView, from: number, to: number): void {
  let { a, b } = lanes;
  let at = from;
  for (const end = to - 7; at < end; at += 8) {
    const second = view.getInt32(at + 4, true);
    const first = view.getInt32(at, true) ^ ((second << 16) | (second >>> 16));
    a = Math.imul(((a << 5) | (a >>> 27)) ^ first, 0x9e3779b1);
    b = Math.imul(((b << 13) | (b >>> 19)) ^ second ^ a, 0x85ebca6b);
  }
  let first = 0;
  if (to - at >= 4) {
    first = view.getInt32(at, true);
    at += 4;
  }
  let second = to - from;
  for (; at < to; at += 1) second = (second << 8) ^ view.getUint8(at);
  lanes.a = a;
  lanes.b = b;
  takeWords(lanes, first, second);
}

function takeWords(lanes: Lanes, first: number, second: number): void {
  const { a, b } = lanes;
  const word = first ^ ((second << 16) | (second >>> 16));
  lanes.a = Math.imul(((a << 5) | (a >>> 27)) ^ word, 0x9e3779b1);
  lanes.b = Math.imul(((b << 13) | (b >>> 19)) ^ second ^ lanes.a, 0x85ebca6b);
}

const encoder = new TextEncoder();
/** Holds the text of a finding, too. */
const scratch = new DataView(new ArrayBuffer(2048));

/** Adds the UTF-8 of a text to the lanes, as `takeBytes` does. */
export function takeText(lanes: Lanes, text: string): void {
  if (text.length > scratch.byteLength || !writeAscii(scratch, text)) {
    const bytes = encoder.encode(text);
    takeBytes(lanes, new DataView(bytes.buffer, bytes.byteOffset), 0, bytes.length);
  } else takeBytes(lanes, scratch, 0, text.length);
}

/**
 * Writes a short text, or returns false if it is not all ASCII. An encoder takes longer to call
 * than this takes to run.
 */
function writeAscii(into: DataView, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    into.setUint8(i, code);
  }
  return true;
}

/** Adds a whole number below 2^53 to the lanes. */
export const takeNumber = (lanes: Lanes, number: number): void =>
  takeWords(lanes, number | 0, (number / 0x1_0000_0000) | 0);

/** Adds other lanes to the lanes, as what they have taken in. */
export const takeLanes = (lanes: Lanes, { a, b }: Lanes): void => takeWords(lanes, a, b);

/** Returns the digest of the lanes: a whole number below 2^53. */
export function digestOf({ a, b }: Lanes): number {
  const low = mixed(a ^ (b >>> 16));
  const high = mixed(b ^ low);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}

function mixed(lane: number): number {
  let h = lane ^ (lane >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
