import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  coup,
  RulesNotInstalled,
  shoe,
  type CoupWhole,
  type Positions,
  type ReadAt,
  type ReadBy,
  type ShoeWhole,
} from '#read-model';
import { Problem } from '../problems/problems.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { InstalledRules } from '../settings/tokens.js';

/** Asks for a shoe or a coup by the reference of its opening. */
class AskOne<Whole> extends Query<ReadAt<Whole>> {
  readonly at: ReadBy;
  readonly least: Positions | undefined;

  constructor(
    readonly ref: string,
    by: Reading,
  ) {
    super();
    this.at = by.sender;
    this.least = by.least;
  }
}

/** Asks for a shoe with its coups, ledger and findings. */
export class ShowShoe extends AskOne<ShoeWhole> {}
/** Asks for a coup card by card. */
export class ShowCoup extends AskOne<CoupWhole> {}

/** Reads a shoe. Throws `not-found` if it does not exist or the sender may not see it. */
@QueryHandler(ShowShoe)
export class ShowShoeHandler implements IQueryHandler<ShowShoe> {
  constructor(private readonly rows: RowsReader) {}

  execute({ ref, at, least }: ShowShoe): Promise<ReadAt<ShoeWhole>> {
    return this.rows.read(least, async (read) => (await shoe(read, plain(ref), at)) ?? nothing());
  }
}

/**
 * Reads a coup. Throws `not-found` if it does not exist or the sender may not see it, and
 * `conflict` if the rules of its shoe are not installed.
 */
@QueryHandler(ShowCoup)
export class ShowCoupHandler implements IQueryHandler<ShowCoup> {
  constructor(
    private readonly rows: RowsReader,
    private readonly rules: InstalledRules,
  ) {}

  execute({ ref, at, least }: ShowCoup): Promise<ReadAt<CoupWhole>> {
    return this.rows.read(least, async (read) => {
      try {
        return (await coup(read, plain(ref), this.rules.book, at)) ?? nothing();
      } catch (error) {
        if (error instanceof RulesNotInstalled)
          throw new Problem('conflict', error.message, { cause: error });
        throw error;
      }
    });
  }
}

/** Returns the reference if PostgreSQL accepts it as text, or else `''`, which matches nothing. */
const plain = (ref: string): string => (/^[^\0\p{Cs}]*$/u.test(ref) ? ref : '');

function nothing(): never {
  throw new Problem('not-found', 'no opening has this reference, or this identity may not see it');
}
