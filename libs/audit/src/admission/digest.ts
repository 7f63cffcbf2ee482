/**
 * Content digests for admission.
 *
 * Admission asks one question of a digest: is this repeat the event that it has already admitted?
 * It compares the digest with one other at a time, of the same source, session and sequence (or
 * id). The digest must detect accidental differences, such as a card read again or a restarted
 * counter. It does not protect against forgery: the log keeps both events, byte for byte. See
 * docs/decisions/0002-admission-digest.md.
 *
 * The digest has two lanes of rotate, add and multiply over 32-bit words, mixed at the end as in
 * MurmurHash3.
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
  for (const end = to - 3; at < end; at += 4) {
    const word = view.getInt32(at, true);
    a = Math.imul(((a << 5) | (a >>> 27)) ^ word, 0x9e3779b1);
    b = Math.imul(((b << 13) | (b >>> 19)) + word, 0x85ebca6b);
  }
  let tail = to - from;
  for (; at < to; at += 1) tail = (tail << 8) ^ view.getUint8(at);
  lanes.a = Math.imul(((a << 5) | (a >>> 27)) ^ tail, 0x9e3779b1);
  lanes.b = Math.imul(((b << 13) | (b >>> 19)) + tail, 0x85ebca6b);
}

const encoder = new TextEncoder();
const scratch = new DataView(new ArrayBuffer(512));

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
export function takeNumber(lanes: Lanes, number: number): void {
  const low = number | 0;
  const high = (number / 0x1_0000_0000) | 0;
  lanes.a = Math.imul(((lanes.a << 5) | (lanes.a >>> 27)) ^ low, 0x9e3779b1) ^ high;
  lanes.b = Math.imul(((lanes.b << 13) | (lanes.b >>> 19)) + low, 0x85ebca6b) ^ high;
}

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
