import type { Finding, FindingCode, Severity } from '#audit';
import { FINDING, type FindingRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { REVIEW_FIELDS, reviewOf, type Review, type ReviewRead } from './review.js';
import { Where, type Filter } from '../reading/where.js';

/** The statuses that the list of findings can be filtered by. */
export const FINDING_STATUSES = ['standing', 'withdrawn', 'all'] as const;
/** One of `FINDING_STATUSES`. */
export type FindingStatus = (typeof FINDING_STATUSES)[number];
/**
 * The orders of the list: `newest` by time, the latest first; `worst` by severity, the gravest
 * first, then by time.
 */
export const FINDING_ORDERS = ['newest', 'worst'] as const;
/** One of `FINDING_ORDERS`. */
export type FindingOrder = (typeof FINDING_ORDERS)[number];

const SHOWN = [
  'withdrawnBecause',
  'shoeRef',
  'coupRef',
  'dealer',
  'at',
  'gamingDay',
  'raisedAt',
] as const;

/** A finding as it was raised (contract section 4), with its current status. */
export type FindingLine = Omit<Finding, 'shoeRef' | 'coupRef'> & {
  readonly status: 'standing' | 'withdrawn';
  readonly review: Review;
} & Pick<FindingRow, (typeof SHOWN)[number]>;

/** The filter of the list of findings. */
export interface FindingsFilter extends Filter {
  /** The default is `standing`. */
  readonly status?: FindingStatus;
  readonly severity?: readonly Severity[];
  readonly code?: readonly FindingCode[];
  readonly shoeRef?: string;
  readonly coupRef?: string;
}

/** A finding as `FINDING_COLUMNS` selects it. */
export type FindingRead = Pick<FindingRow, 'body' | (typeof SHOWN)[number]> & ReviewRead;

/** The select list of findings, for `from finding f`. */
export const FINDING_SELECT = FINDING.select('f', ['body', ...SHOWN, ...REVIEW_FIELDS]);

/** Returns a finding as lists show it. */
export function findingLine(row: FindingRead): FindingLine {
  const { body, withdrawnBecause, shoeRef, coupRef, dealer, at, gamingDay, raisedAt } = row;
  return {
    ...body,
    status: withdrawnBecause === null ? 'standing' : 'withdrawn',
    ...{ withdrawnBecause, shoeRef, coupRef, dealer, at, gamingDay, raisedAt },
    review: reviewOf(row),
  };
}

type FindingPaging = Paging & { readonly order?: FindingOrder };

/**
 * Returns a page of findings. Withdrawn findings appear only with the status `withdrawn` or `all`.
 * Findings that are remedied or of a void coup still stand, and have a flag for it.
 */
export async function findings(
  read: Snapshot,
  filter: FindingsFilter,
  { order = 'newest', ...paging }: FindingPaging,
): Promise<Page<FindingLine>> {
  const rows = await read.rows<FindingRead>(...findingsQuery(filter, order, paging));
  return pageOf(listOf(order), rows.map(findingLine), paging, (line) => [
    ...(order === 'worst' ? [-line.severity] : []),
    line.gamingDay,
    line.at,
    line.id,
  ]);
}

/** Yields all the findings that `findings` returns in pages. */
export async function* everyFinding(
  read: Snapshot,
  { order = 'newest', ...filter }: FindingsFilter & { readonly order?: FindingOrder },
): Slices<FindingLine> {
  for await (const rows of read.slices<FindingRead>(...findingsQuery(filter, order)))
    yield rows.map(findingLine);
}

const listOf = (order: FindingOrder): string => `findings/${order}`;

function findingsQuery(filter: FindingsFilter, order: FindingOrder, paging?: Paging): RowQuery {
  const where = conditions(filter);
  if (paging?.cursor !== undefined) {
    // A row comparison sorts all columns in one direction, but severities ascend while times
    // descend, so it compares the negated severity.
    const key = cursorKey(
      paging.cursor,
      listOf(order),
      order === 'worst' ? ['number', 'day', 'time', 'text'] : ['day', 'time', 'text'],
    );
    where.and(
      order === 'worst'
        ? '(-f.severity, f.gaming_day, f.at, f.id) < (?, ?, ?, ?)'
        : '(f.gaming_day, f.at, f.id) < (?, ?, ?)',
      ...key,
    );
  }
  return [
    `select ${FINDING_SELECT} from finding f ${where.sql}
     order by ${order === 'worst' ? '-f.severity desc, ' : ''}f.gaming_day desc, f.at desc, f.id desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

function conditions(filter: FindingsFilter): Where {
  const { status = 'standing', severity, code, shoeRef, coupRef } = filter;
  const where = new Where()
    .filter('f', filter, 'null')
    .given('f.severity = any(?)', severity)
    .given('f.code = any(?)', code)
    .named('f.shoe_ref = ?', shoeRef)
    .named('f.coup_ref = ?', coupRef);
  if (status === 'all') return where;
  return where.and(
    status === 'standing' ? 'f.withdrawn_because is null' : 'f.withdrawn_because is not null',
  );
}
