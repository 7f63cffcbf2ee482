import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  coup,
  coups,
  findings,
  RulesNotInstalled,
  shoe,
  shoes,
  tables,
  type CoupLine,
  type CoupsFilter,
  type CoupWhole,
  type Filter,
  type FindingLine,
  type FindingOrder,
  type FindingsFilter,
  type Page,
  type Paging,
  type Positions,
  type ReadAt,
  type ShoeLine,
  type ShoeWhole,
  type TableLine,
} from '#read-model';
import { Problem } from '../problems/problems.js';
import { pagesOf } from '../reading/all-pages.js';
import { RowsReader } from '../reading/rows-reader.js';
import { InstalledRules } from '../settings/tokens.js';

/** A list of rows as they stand at `least` or later: a page of it, or (`'all'`) every line. */
class AskList<Filtered, Line> extends Query<ReadAt<Page<Line>>> {
  constructor(
    readonly filter: Filtered,
    readonly pages: Paging | 'all',
    readonly least: Positions | undefined,
  ) {
    super();
  }
}

export class ListTables extends AskList<
  { readonly scope?: readonly string[]; readonly table?: string },
  TableLine
> {}
export class ListShoes extends AskList<Omit<Filter, 'dealer'>, ShoeLine> {}
export class ListCoups extends AskList<CoupsFilter, CoupLine> {}
export class ListFindings extends AskList<
  FindingsFilter & { readonly order?: FindingOrder },
  FindingLine
> {}

/** One thing by the reference of its opening. */
class AskOne<Whole> extends Query<ReadAt<Whole>> {
  constructor(
    readonly ref: string,
    readonly scope: readonly string[] | undefined,
    readonly least: Positions | undefined,
  ) {
    super();
  }
}

export class ShowShoe extends AskOne<ShoeWhole> {}
export class ShowCoup extends AskOne<CoupWhole> {}

@QueryHandler(ListTables)
export class ListTablesHandler implements IQueryHandler<ListTables> {
  constructor(private readonly rows: RowsReader) {}

  execute({ filter, pages, least }: ListTables): Promise<ReadAt<Page<TableLine>>> {
    return this.rows.read(least, (read) =>
      pagesOf(pages, (paging) => tables(read, filter, paging)),
    );
  }
}

@QueryHandler(ListShoes)
export class ListShoesHandler implements IQueryHandler<ListShoes> {
  constructor(private readonly rows: RowsReader) {}

  execute({ filter, pages, least }: ListShoes): Promise<ReadAt<Page<ShoeLine>>> {
    return this.rows.read(least, (read) => pagesOf(pages, (paging) => shoes(read, filter, paging)));
  }
}

@QueryHandler(ListCoups)
export class ListCoupsHandler implements IQueryHandler<ListCoups> {
  constructor(private readonly rows: RowsReader) {}

  execute({ filter, pages, least }: ListCoups): Promise<ReadAt<Page<CoupLine>>> {
    return this.rows.read(least, (read) => pagesOf(pages, (paging) => coups(read, filter, paging)));
  }
}

@QueryHandler(ListFindings)
export class ListFindingsHandler implements IQueryHandler<ListFindings> {
  constructor(private readonly rows: RowsReader) {}

  execute({
    filter: { order, ...filter },
    pages,
    least,
  }: ListFindings): Promise<ReadAt<Page<FindingLine>>> {
    return this.rows.read(least, (read) =>
      pagesOf(pages, (paging) => findings(read, filter, { ...paging, order })),
    );
  }
}

@QueryHandler(ShowShoe)
export class ShowShoeHandler implements IQueryHandler<ShowShoe> {
  constructor(private readonly rows: RowsReader) {}

  execute({ ref, scope, least }: ShowShoe): Promise<ReadAt<ShoeWhole>> {
    return this.rows.read(least, async (read) => (await shoe(read, ref, scope)) ?? nothing());
  }
}

@QueryHandler(ShowCoup)
export class ShowCoupHandler implements IQueryHandler<ShowCoup> {
  constructor(
    private readonly rows: RowsReader,
    private readonly rules: InstalledRules,
  ) {}

  execute({ ref, scope, least }: ShowCoup): Promise<ReadAt<CoupWhole>> {
    return this.rows.read(least, async (read) => {
      try {
        return (await coup(read, ref, this.rules.book, scope)) ?? nothing();
      } catch (error) {
        if (error instanceof RulesNotInstalled)
          throw new Problem('conflict', error.message, { cause: error });
        throw error;
      }
    });
  }
}

function nothing(): never {
  throw new Problem(
    'not-found',
    'nothing was opened by that reference, or it is not to be seen by this identity',
  );
}
