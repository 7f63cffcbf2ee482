import { randomBytes, scryptSync } from 'node:crypto';

const COST = { N: 2, r: 8, p: 1 };

/**
 * Returns the hash of a password, as an account holds it, that costs next to nothing to check: the
 * cost is written in it. For tests that are about something else.
 */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password.normalize('NFC'), salt, 32, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}
