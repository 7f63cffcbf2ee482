import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SERVER } from '../../house/acts.js';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { Account } from '../database/access.entities.js';
import { HASH_TURNS } from '../credentials/hash-turns.js';
import { NAME } from '../scope-fields.js';
import { addressShown, countedAddress } from './client-address.js';
import { KnownAddresses, type NameAndAddress } from './known-addresses.js';
import { RecentFailures } from './recent-failures.js';

/** How long a failed attempt counts. */
const WINDOW_S = 60;
/**
 * The most failed attempts within that time: for one name from one address, for one name from all
 * addresses, for all names from one address, and for a name from an address that it is known at.
 */
const FAILED_MAX = { pair: 5, name: 30, address: 30, known: 60 };

/** Who tries: a name, which may be any text, and the address of the request. */
export interface Tried {
  readonly name: string;
  readonly address: string;
}

/**
 * Limits wrong passwords and codes, and how many are checked at once. Each process counts for
 * itself. A name that has signed in from an address has a limit of its own there, so others who
 * share the address, or try the name from elsewhere, cannot keep its owner out.
 */
@Injectable()
export class Attempts {
  private readonly failures = new RecentFailures(WINDOW_S * 1000);

  constructor(
    private readonly known: KnownAddresses,
    private readonly source: DataSource,
    private readonly record: HouseRecord,
  ) {}

  /**
   * Runs `check` in its turn and returns its result, undefined if the password or code was wrong.
   * Counts the attempt as failed before it runs, so the limits hold for a thousand at once. A
   * result takes that back, and makes the address known. Throws `too-many-attempts` beyond a limit,
   * and `too-many-sign-ins` if too many wait. What throws does not count, so that an attacker who
   * keeps trying does not lock the owner out for longer.
   */
  async check<T>(tried: Tried, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const pair = pairOf(tried);
    const isKnown = await this.known.has(pair);
    const takeBack = this.begin(pair, isKnown);
    try {
      const result = await HASH_TURNS.run(isKnown ? 'known' : 'stranger', pair.address, check);
      if (result === undefined) {
        await this.recordFailure(tried);
        return undefined;
      }
      takeBack();
      await this.known.add(pair);
      return result;
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /**
   * Runs `check` of the code that a person gives beside the right password. A code whose check
   * throws counts as failed, at a known address too: six digits can be guessed. Throws
   * `too-many-attempts` beyond a limit.
   */
  async checkCode(
    tried: Tried,
    code: string | undefined,
    check: () => Promise<void>,
  ): Promise<void> {
    if (code === undefined) return check();
    const { name, address } = pairOf(tried);
    const takeBack = this.count(name, [
      [`code ${name} ${address}`, FAILED_MAX.pair],
      [`code ${name}`, FAILED_MAX.name],
    ]);
    await check();
    takeBack();
  }

  private begin({ name, address }: NameAndAddress, isKnown: boolean): () => void {
    const pair = `${name} ${address}`;
    return this.count(
      name,
      isKnown
        ? [[`known ${pair}`, FAILED_MAX.known]]
        : [
            [`pair ${pair}`, FAILED_MAX.pair],
            [`name ${name}`, FAILED_MAX.name],
            [`address ${address}`, FAILED_MAX.address],
          ],
    );
  }

  /** Records a failure, and names the account if it exists: other texts may be passwords. */
  private async recordFailure({ name, address }: Tried): Promise<void> {
    const exists = NAME.test(name) && (await this.source.getRepository(Account).existsBy({ name }));
    await this.record.count({
      type: 'person-sign-in-failed',
      by: SERVER,
      data: { ...(exists && { account: name }), address: addressShown(address) },
    });
  }

  /** Counts an attempt as failed, and returns what takes that back. Throws beyond a limit. */
  private count(
    name: string,
    limits: readonly (readonly [key: string, most: number])[],
  ): () => void {
    if (limits.some(([key, most]) => this.failures.count(key) >= most))
      throw new Problem('too-many-attempts', undefined, {
        headers: { 'Retry-After': String(WINDOW_S) },
        who: `person/${name}`,
      });
    return this.failures.add(limits.map(([key]) => key));
  }
}

/** Returns who claims a name. A text that no account can have may be a password: it is left out. */
export const whoTries = (name: string): string => `person/${countedName(name)}`;

const countedName = (name: string): string => (NAME.test(name) ? name : '(no name)');

/** Returns the pair that an attempt counts for. Names that no account can have count as one. */
const pairOf = ({ name, address }: Tried): NameAndAddress => ({
  name: countedName(name),
  address: countedAddress(address),
});
