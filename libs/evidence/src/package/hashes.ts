import { hashOf } from '../text-lines.js';
import { FileFault } from './reading.js';

/** Returns the bytes of hashes in base64. Throws `FileFault` for one that is not exactly written. */
export const hashesOf = (texts: readonly string[]): Uint8Array[] => texts.map(bytesOfHash);

/** Returns the bytes of a hash in base64. Throws `FileFault` if it is not exactly written. */
export function bytesOfHash(text: string): Uint8Array {
  const bytes = hashOf(text);
  if (!bytes) throw new FileFault(`${JSON.stringify(text)} is not a hash of 32 bytes in base64`);
  return bytes;
}
