const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(Array.from(LETTERS, (letter, value) => [letter, value]));
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns bytes as standard base64 with padding. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    const letters = [18, 12, 6, 0].map((shift) => LETTERS.charAt((bits >> shift) & 63)).join('');
    const left = bytes.length - at;
    text +=
      left === 1 ? `${letters.slice(0, 2)}==` : left === 2 ? `${letters.slice(0, 3)}=` : letters;
  }
  return text;
}

/**
 * Returns the bytes that standard base64 with padding stands for, or undefined if the text is not
 * that, or is not what `base64Of` would write for these bytes.
 */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let at = 0, to = 0; at < text.length; at += 4, to += 3) {
    let bits = 0;
    for (let i = 0; i < 4; i += 1) bits = (bits << 6) | (VALUES.get(text.charAt(at + i)) ?? 0);
    bytes.set([bits >> 16, (bits >> 8) & 255, bits & 255].slice(0, bytes.length - to), to);
    const unused = bits & (padding === 2 ? 0xffff : padding === 1 ? 0xff : 0);
    if (at + 4 === text.length && unused !== 0) return undefined;
  }
  return bytes;
}

/** Returns bytes as lower-case hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes that an even number of lower-case hexadecimal digits stands for, else undefined. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  );
}

/** Returns whether two byte strings are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** Returns which of two byte strings comes first: below 0 if `a` does, 0 if they are the same. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Returns byte strings as one. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Returns a text as UTF-8. */
export function utf8Of(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns the text that UTF-8 stands for, or undefined if the bytes are not UTF-8. Keeps a byte-order mark. */
export function textOfUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns whether the bytes from `at` on begin with `part`. */
export function startsWith(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i += 1) if (bytes[at + i] !== part[i]) return false;
  return true;
}
