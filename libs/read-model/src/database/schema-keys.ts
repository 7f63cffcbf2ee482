import { createHash } from 'node:crypto';

/** An index entry holds about 2,700 bytes, and some entries have three texts. */
const KEY_BYTES_MAX = 400;
const BEGINNING_BYTES = 300;

/**
 * Returns a text as key columns store it: table, shoe, dealer, device, bet and references. A text
 * of at most 400 bytes is its own key. An event may carry ids of 16 KiB, which no index holds, so
 * the key of a longer text is its beginning and its SHA-256. The key of a key is the key itself.
 */
export function keyOf(text: string): string {
  if (text.length * 3 <= KEY_BYTES_MAX || Buffer.byteLength(text) <= KEY_BYTES_MAX) return text;
  const beginning = Buffer.from(text)
    .subarray(0, BEGINNING_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${beginning}…${createHash('sha256').update(text).digest('hex')}`;
}
