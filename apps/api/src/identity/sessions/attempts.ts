import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThan, MoreThan } from 'typeorm';
import { Problem } from '../../problems/problems.js';
import { SignInAttempt } from '../database/access.entities.js';
import { NAME } from '../scope-fields.js';

/** How long a failed attempt counts. */
const WINDOW_S = 60;
/**
 * The most failed attempts for one name from one address, for one name from all addresses, and for
 * all names from one address.
 */
const FAILED_MAX = { nameAndAddress: 5, name: 30, address: 30 };
/** The most characters of an address that are kept. Any IPv6 address with a zone fits. */
const ADDRESS_LENGTH_MAX = 64;
/** The key of the advisory lock that attempts take in turn, in all processes of a database. */
const ATTEMPT_LOCK = 7_203_114_002;

/** Who tries: a name, which may be any text, and the address of the request. */
export interface Tried {
  readonly name: string;
  readonly address: string;
}

type Pair = Pick<SignInAttempt, 'name' | 'address'>;

/** Limits wrong passwords and codes. */
@Injectable()
export class Attempts {
  constructor(private readonly source: DataSource) {}

  /**
   * Runs `check` and returns its result, undefined if the password or code was wrong. Counts the
   * attempt as failed before it runs, so the limits hold for a thousand at once. A result takes
   * that back. Throws `too-many-attempts` beyond a limit, which does not count, so that an attacker
   * who keeps trying does not lock the owner out for longer.
   */
  async check<T>(tried: Tried, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const pair = pairOf(tried);
    await this.begin(pair);
    const result = await check();
    if (result !== undefined) await this.source.getRepository(SignInAttempt).delete(pair);
    return result;
  }

  private async begin(pair: Pair): Promise<void> {
    const isAllowed = await this.source.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [ATTEMPT_LOCK]);
      const at = MoreThan(new Date(Date.now() - WINDOW_S * 1000));
      const failed = await manager.findBy(SignInAttempt, [
        { at, name: pair.name },
        { at, address: pair.address },
      ]);
      if (isTooMany(failed, pair)) return false;
      await manager.delete(SignInAttempt, {
        at: LessThan(new Date(Date.now() - 2 * WINDOW_S * 1000)),
      });
      await manager.insert(SignInAttempt, { id: randomUUID(), ...pair });
      return true;
    });
    if (!isAllowed)
      throw new Problem('too-many-attempts', undefined, {
        headers: { 'Retry-After': String(WINDOW_S) },
      });
  }
}

/** Returns the pair that an attempt counts for. Names that no account can have count as one. */
export const pairOf = ({ name, address }: Tried): Pair => ({
  name: NAME.test(name) ? name : '(no name)',
  address: address.slice(0, ADDRESS_LENGTH_MAX),
});

/** Returns whether one more attempt after these would pass a limit. */
function isTooMany(failed: readonly Pair[], { name, address }: Pair): boolean {
  const ofName = failed.filter((other) => other.name === name);
  const ofAddress = failed.filter((other) => other.address === address);
  return (
    ofName.filter((other) => other.address === address).length >= FAILED_MAX.nameAndAddress ||
    ofName.length >= FAILED_MAX.name ||
    ofAddress.length >= FAILED_MAX.address
  );
}
