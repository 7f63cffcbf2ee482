import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  coup,
  RulesNotInstalled,
  SeveralTables,
  shoe,
  type AtTable,
  type CoupWhole,
  type Positions,
  type ReadAt,
  type ShoeWhole,
} from '#read-model';
import { plainText } from '../http/parameters.js';
import { Problem } from '../problems/problems.js';
import type { Reading } from '../reading/reading.js';
import { RowsReader } from '../reading/rows-reader.js';
import { InstalledRules } from '../settings/tokens.js';

/** Asks for a shoe or a coup by the reference of its opening, and its table if several have it. */
class AskOne<Whole> extends Query<ReadAt<Whole>> {
  readonly at: AtTable;
  readonly least: Positions | undefined;

  constructor(
    readonly ref: string,
    by: Reading,
    at: Pick<AtTable, 'table'>,
  ) {
    super();
    this.at = { ...at, ...by.readBy };
    this.least = by.least;
  }
}

/** Asks for a shoe with its coups, ledger and findings. */
export class ShowShoe extends AskOne<ShoeWhole> {}
/** Asks for a coup card by card. */
export class ShowCoup extends AskOne<CoupWhole> {}

/**
 * Reads a shoe. Throws `not-found` if it does not exist or the sender may not see it, and
 * `invalid-request` if it must name its table.
 */
@QueryHandler(ShowShoe)
export class ShowShoeHandler implements IQueryHandler<ShowShoe> {
  constructor(private readonly rows: RowsReader) {}

  execute({ ref, at, least }: ShowShoe): Promise<ReadAt<ShoeWhole>> {
    return this.rows.read(least, async (read) => {
      try {
        return (await shoe(read, plainText(ref), at)) ?? nothing();
      } catch (error) {
        throw refusalOf(error);
      }
    });
  }
}

/**
 * Reads a coup. Throws `not-found` if it does not exist or the sender may not see it,
 * `invalid-request` if it must name its table, and `conflict` if the rules of its shoe are not
 * installed.
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
        return (await coup(read, plainText(ref), this.rules.book, at)) ?? nothing();
      } catch (error) {
        throw refusalOf(error);
      }
    });
  }
}

/** Returns the problem that an error of the rows means to a sender, or else the error itself. */
function refusalOf(error: unknown): unknown {
  if (error instanceof RulesNotInstalled)
    return new Problem('conflict', error.message, { cause: error });
  if (error instanceof SeveralTables)
    return new Problem('invalid-request', undefined, {
      errors: [{ pointer: '/table', reason: `must be given, because ${error.message}` }],
      cause: error,
    });
  return error;
}

function nothing(): never {
  throw new Problem('not-found', 'no opening has this reference, or this identity may not see it');
}
