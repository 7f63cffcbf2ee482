import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long an address stays known after the last sign-in from it. */
const KNOWN_DAYS = 90;
/** The most addresses of one name. A further one replaces the one that was not used for longest. */
const ADDRESSES_MAX = 16;
/** The most pairs in memory: the latest. */
const PAIRS_MAX = 100_000;
/** How old the pairs in memory may be. Other processes add pairs too. */
const FRESH_MS = 30_000;
/** A known address is written again when its last sign-in is older. */
const WRITTEN_AGAIN_MS = 24 * 3_600_000;

/** A name and an address, as attempts are counted. */
export interface NameAndAddress {
  readonly name: string;
  readonly address: string;
}

/**
 * Remembers from which addresses people have signed in, over restarts and in all processes of a
 * database. Reads all of them now and then, so that a flood of names asks the database nothing.
 */
@Injectable()
export class KnownAddresses {
  private pairs = new Map<string, number>();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(private readonly source: DataSource) {}

  /**
   * Returns whether this name has signed in from this address. Rejects if the database does not
   * answer the first look; later ones keep what is known.
   */
  async has(pair: NameAndAddress): Promise<boolean> {
    if (performance.now() - this.readAt > FRESH_MS) {
      const read = (this.reading ??= this.read().finally(() => (this.reading = undefined)));
      if (this.readAt === -Infinity) await read;
      else read.catch(() => undefined);
    }
    return this.pairs.has(keyOf(pair));
  }

  /** Remembers that an account has signed in from an address. */
  async add(pair: NameAndAddress): Promise<void> {
    const last = this.pairs.get(keyOf(pair)) ?? 0;
    if (Date.now() - last < WRITTEN_AGAIN_MS) return;
    await this.source.query(
      `insert into access.known_address (account_name, address) values ($1, $2)
       on conflict (account_name, address) do update set last_at = now()`,
      [pair.name, pair.address],
    );
    await this.source.query(
      `delete from access.known_address where account_name = $1 and address not in
       (select address from access.known_address where account_name = $1 order by last_at desc limit $2)`,
      [pair.name, ADDRESSES_MAX],
    );
    this.pairs.set(keyOf(pair), Date.now());
  }

  private async read(): Promise<void> {
    const rows = await this.source.query<{ name: string; address: string; at: Date }[]>(
      `select account_name as name, address, last_at as at from access.known_address
       where last_at > now() - make_interval(days => $1) order by last_at desc limit $2`,
      [KNOWN_DAYS, PAIRS_MAX],
    );
    this.pairs = new Map(rows.map((row) => [keyOf(row), row.at.getTime()]));
    this.readAt = performance.now();
  }
}

const keyOf = ({ name, address }: NameAndAddress): string => `${name} ${address}`;
