/**
 * A digest of `bytes[from, to)`: a whole number below 2^53, equal for equal bytes.
 *
 * Admission asks one question of it: is this repeat the event that we already have? So it is compared with one other
 * digest at a time, of the same source, session and sequence (or id), and must tell apart what differs by accident: a
 * re-read card, a restarted counter. It is no seal: forgery is answered by the sealed log, which keeps both events,
 * byte for byte. See docs/decisions/0002-admission-digest.md.
 *
 * Two lanes of multiply and rotate over 32-bit words (the mixing steps are those of MurmurHash3), about 0.1 ns a byte.
 */
export function digestOf(view: DataView, from: number, to: number): number {
  let a = 0x9747b28c ^ (to - from);
  let b = 0x3c6ef372 ^ (to - from);
  let at = from;
  for (const end = to - 3; at < end; at += 4) {
    const word = view.getInt32(at, true);
    a = Math.imul(a ^ Math.imul(word, 0xcc9e2d51), 0x1b873593);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(((b << 15) | (b >>> 17)) ^ word, 0x85ebca6b) + 0x561ccd1b;
  }
  let tail = 0;
  for (; at < to; at += 1) tail = (tail << 8) | view.getUint8(at);
  a = mixed(Math.imul(a ^ tail, 0xcc9e2d51));
  b = mixed(Math.imul(b ^ tail, 0xc2b2ae35) ^ a);
  return (b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0);
}

function mixed(lane: number): number {
  let h = lane ^ (lane >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}

/** 26 hexadecimal digits for a list of strings: the id of a finding, from what the finding is about. */
export function idOf(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let i = 0; i < text.length; i += 1) view.setUint16(i * 2, text.charCodeAt(i));
  const first = digestOf(view, 0, view.byteLength);
  const again = new DataView(new ArrayBuffer(view.byteLength + 8));
  again.setFloat64(0, first);
  for (let i = 0; i < text.length; i += 1) again.setUint16(8 + i * 2, text.charCodeAt(text.length - 1 - i));
  return (first.toString(16).padStart(14, '0') + digestOf(again, 0, again.byteLength).toString(16).padStart(14, '0')).slice(2);
}
