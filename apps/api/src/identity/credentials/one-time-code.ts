import { randomInt } from 'node:crypto';
import { tokenHash } from './bearer-token.js';

/** Without 0, 1, I and O, which people mistake for each other. */
const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** With fewer than 128 bits, a plain SHA-256 of a code would be too weak (ASVS 6.5.2, 11.5.1). */
const GROUPS = 7;
const GROUP_LENGTH = 4;

/** The most characters of a code as a person may type it. */
export const CODE_LENGTH_MAX = 64;

/**
 * Returns a new code of 140 random bits, such as `K7QF-9M2X-...`, and its hash. Nobody can guess
 * it, so a plain SHA-256 of it is safe to keep.
 */
export function newCode(): { readonly text: string; readonly hash: Buffer } {
  const group = (): string =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const text = Array.from({ length: GROUPS }, group).join('-');
  return { text, hash: codeHash(text) };
}

/** Returns the hash of a code in any case, with or without its hyphens and blanks. */
export const codeHash = (text: string): Buffer =>
  tokenHash(text.replace(/[\s-]/g, '').toUpperCase());
