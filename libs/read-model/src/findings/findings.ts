import type { Finding } from '#audit';
import { FINDING, type FindingRow } from '../entities/index.js';
import {
  BadCursor,
  cursorKey,
  isTime,
  limitOf,
  pageOf,
  type KeyPart,
  type Page,
  type Paging,
} from '../reading/cursor.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { findingsWhere, HELD_UNTIL, queueOf, type FindingsFilter } from './findings-filter.js';
import { REVIEW_FIELDS, reviewOf, type Review, type ReviewRead } from './review.js';

/**
 * The orders of the list: `newest` by time, the latest first; `worst` by severity, the gravest
 * first, then by time; `queue` by severity, then what was raised first. The queue has what waits
 * for a ruling, unless the filter asks otherwise. What was raised by an event without a stamp comes
 * last in its severity.
 */
export const FINDING_ORDERS = ['newest', 'worst', 'queue'] as const;
/** One of `FINDING_ORDERS`. */
export type FindingOrder = (typeof FINDING_ORDERS)[number];

/** The columns of a finding that lists show, beside the finding as it was raised. */
export const FINDING_FIELDS = [
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
  /** Until when its video was held at the latest; null if nobody held it. */
  readonly videoHeldUntil: string | null;
} & Pick<FindingRow, (typeof FINDING_FIELDS)[number]>;

/** A finding as `FINDING_SELECT` selects it. */
export type FindingRead = Pick<FindingRow, 'body' | (typeof FINDING_FIELDS)[number]> &
  Pick<FindingLine, 'videoHeldUntil'> &
  ReviewRead;

/** The select list of findings, for `from finding f`. */
export const FINDING_SELECT = `
  ${FINDING.select('f', ['body', ...FINDING_FIELDS, ...REVIEW_FIELDS])},
  ${HELD_UNTIL} as "videoHeldUntil"`;

/** Returns a finding as lists show it to a person, or to nobody in particular. */
export function findingLine(row: FindingRead, viewer?: string): FindingLine {
  const { body, withdrawnBecause, videoHeldUntil } = row;
  return {
    ...body,
    status: withdrawnBecause === null ? 'standing' : 'withdrawn',
    ...fieldsOf(row),
    videoHeldUntil,
    review: reviewOf(row, viewer),
  };
}

const fieldsOf = (row: FindingRead) =>
  Object.fromEntries(FINDING_FIELDS.map((field) => [field, row[field]])) as Pick<
    FindingRow,
    (typeof FINDING_FIELDS)[number]
  >;

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
  const lines = rows.map((row) => findingLine(row, filter.viewer));
  return pageOf(listOf(order), lines, paging, ORDERS[order].keyOf);
}

/** Yields all the findings that `findings` returns in pages. */
export async function* everyFinding(
  read: Snapshot,
  { order = 'newest', ...filter }: FindingsFilter & { readonly order?: FindingOrder },
): Slices<FindingLine> {
  for await (const rows of read.slices<FindingRead>(...findingsQuery(filter, order)))
    yield rows.map((row) => findingLine(row, filter.viewer));
}

const listOf = (order: FindingOrder): string => `findings/${order}`;

/** How lines are sorted: by which columns, and by which key of a line a page goes on. */
interface Order {
  readonly by: string;
  readonly key: readonly KeyPart[];
  readonly keyOf: (line: FindingLine) => (string | number)[];
  /** The condition of what comes after a key. */
  readonly after: string;
}

/**
 * A row comparison sorts all columns in one direction, but severities ascend while times descend,
 * so `worst` compares the negated severity.
 */
const ORDERS: Readonly<Record<FindingOrder, Order>> = {
  newest: {
    by: 'f.gaming_day desc, f.at desc, f.id desc',
    key: ['day', 'time', 'text'],
    keyOf: ({ gamingDay, at, id }) => [gamingDay, at, id],
    after: '(f.gaming_day, f.at, f.id) < (?, ?, ?)',
  },
  worst: {
    by: '-f.severity desc, f.gaming_day desc, f.at desc, f.id desc',
    key: ['number', 'day', 'time', 'text'],
    keyOf: ({ severity, gamingDay, at, id }) => [-severity, gamingDay, at, id],
    after: '(-f.severity, f.gaming_day, f.at, f.id) < (?, ?, ?, ?)',
  },
  queue: {
    by: 'f.severity, f.raised_at, f.id',
    key: ['number', 'text', 'text'],
    keyOf: ({ severity, raisedAt, id }) => [severity, raisedAt ?? '', id],
    after: '(f.severity, f.raised_at, f.id) > (?, ?, ?)',
  },
};

function findingsQuery(filter: FindingsFilter, order: FindingOrder, paging?: Paging): RowQuery {
  const { by, key: shape, after } = ORDERS[order];
  const asked = order === 'queue' ? queueOf(filter) : filter;
  const select = `select ${FINDING_SELECT} from finding f`;
  const rest = `order by ${by} ${limitOf(paging)}`;
  const where = findingsWhere(asked);
  if (paging?.cursor === undefined) return [`${select} ${where.sql} ${rest}`, where.parameters];
  const key = cursorKey(paging.cursor, listOf(order), shape);
  if (order !== 'queue') {
    where.and(after, ...key);
    return [`${select} ${where.sql} ${rest}`, where.parameters];
  }
  const [severity, raisedAt, id] = key as [number, string, string];
  if (raisedAt === '') {
    where.and(UNSTAMPED_AFTER, severity, severity, id);
    return [`${select} ${where.sql} ${rest}`, where.parameters];
  }
  if (!isTime(raisedAt)) throw new BadCursor(paging.cursor);
  where.and(after, severity, raisedAt, id);
  // What was raised by an event without a stamp is the last of its severity. A row comparison
  // leaves it out, and a condition with `or` could not use the index.
  const last = findingsWhere(asked, where.parameters).and(
    'f.severity = ? and f.raised_at is null',
    severity,
  );
  return [
    `select * from ((${select} ${where.sql} ${rest}) union all (${select} ${last.sql} ${rest})) f
     order by (f.body ->> 'severity')::integer, f."raisedAt", f.body ->> 'id' collate "C" ${limitOf(paging)}`,
    where.parameters,
  ];
}

const UNSTAMPED_AFTER = '(f.severity > ? or (f.severity = ? and f.raised_at is null and f.id > ?))';
