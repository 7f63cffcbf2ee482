import { createHash } from 'node:crypto';

/** An index takes about 2,700 bytes an entry, and some have three texts. */
const KEY_BYTES_MAX = 400;
const BEGINNING_BYTES = 300;

/**
 * A text as it stands in a column that is looked up by: table, shoe, dealer, device, bet, references. It is the text itself
 * unless that is longer than 400 bytes: an event may carry ids of 16 KiB, and no index takes them. Then it is its beginning and
 * its SHA-256. Give it whatever you look for: the key of a key is the key.
 */
export function keyOf(text: string): string {
  if (text.length * 3 <= KEY_BYTES_MAX || Buffer.byteLength(text) <= KEY_BYTES_MAX) return text;
  const beginning = Buffer.from(text)
    .subarray(0, BEGINNING_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${beginning}…${createHash('sha256').update(text).digest('hex')}`;
}
