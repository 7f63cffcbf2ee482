import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { HASH_TURNS } from './hash-turns.js';

/**
 * 32 MB and about a tenth of a second for each guess: the cost that OWASP's password storage page
 * gives for scrypt with N = 2^15.
 */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const HASH_BYTES = 32;

/**
 * Returns a salted hash of a password, with its costs, as text: `scrypt$N$r$p$salt$hash`. Throws
 * `too-many-sign-ins` if too many hashes wait for their turn.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await HASH_TURNS.run('known', '', () => derive(password, salt, COST));
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join(
    '$',
  );
}

/**
 * Returns whether a password matches a hash, in the same time for a wrong one. Throws if the hash
 * is not ours. Call it within `Attempts.check`, which limits wrong ones and how many run at once.
 */
export async function passwordFits(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = stored.split('$');
  if (kind !== 'scrypt' || !salt || !hash)
    throw new Error('a stored password hash is not of the form scrypt$N$r$p$salt$hash');
  const expected = Buffer.from(hash, 'base64');
  const found = await derive(password, Buffer.from(salt, 'base64'), {
    ...COST,
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return found.length === expected.length && timingSafeEqual(found, expected);
}

/**
 * The hash that passwords for an unknown name are compared with, so that the answer takes as long.
 */
export const UNUSED_HASH = [
  'scrypt',
  COST.N,
  COST.r,
  COST.p,
  Buffer.alloc(16).toString('base64'),
  Buffer.alloc(HASH_BYTES).toString('base64'),
].join('$');

const derive = (password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
