import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Page, Paging, ReadAt, Snapshot } from '#read-model';
import { Problem } from '../problems/problems.js';
import type { Asked } from './reading.js';
import { RowsReader } from './rows-reader.js';

/**
 * The most lines of a file. A larger one does not fit in a spreadsheet, so the reader must narrow
 * the filter.
 */
const LINES_MAX = 500_000;
const PAGE_OF_ALL = 1_000;

interface Lines {
  readonly lines: readonly unknown[];
}

/** Selects one page of a list or report from a snapshot of the rows. */
type SelectPage<Filter, Answer> = (
  read: Snapshot,
  filter: Filter,
  paging: Paging,
) => Promise<Answer>;

/** Asks for the lines of any list or report, from rows at `least` or later. */
export class AskLines<Filter, Answer extends Lines> extends Query<ReadAt<Answer>> {
  constructor(
    readonly select: SelectPage<Filter, Answer>,
    readonly asked: Asked<Filter>,
  ) {
    super();
  }
}

/** Reads a page of a list or report, or all of its lines, from one snapshot. */
@QueryHandler(AskLines)
export class AskLinesHandler implements IQueryHandler<AskLines<object, Lines>> {
  constructor(private readonly rows: RowsReader) {}

  execute({
    select,
    asked: { filter, pages, least },
  }: AskLines<object, Lines>): Promise<ReadAt<Lines>> {
    return this.rows.read(least, (read) =>
      pages === 'all'
        ? everyLine((paging) => select(read, filter, paging))
        : select(read, filter, pages),
    );
  }
}

/** Returns all pages as if they were one. Throws `too-large` beyond half a million lines. */
async function everyLine(page: (paging: Paging) => Promise<Lines>): Promise<Lines> {
  const first = await page({ limit: PAGE_OF_ALL });
  const lines: unknown[] = [...first.lines];
  for (let next = nextOf(first); next !== null;) {
    if (lines.length >= LINES_MAX)
      throw new Problem(
        'too-large',
        `the file would have over ${LINES_MAX} lines; narrow it by from, to or table`,
      );
    const more = await page({ limit: PAGE_OF_ALL, cursor: next });
    lines.push(...more.lines);
    next = nextOf(more);
  }
  return { ...first, lines, ...(nextOf(first) !== null && { next: null }) };
}

/** Returns where a list continues; a report without pages ends at once. */
const nextOf = (page: object): string | null => (page as Partial<Page<unknown>>).next ?? null;
