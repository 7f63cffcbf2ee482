import {
  AMOUNTS,
  COMMISSION,
  type CommissionAmounts,
  type CommissionRow,
} from '../entities/index.js';
import type { Page, Paging } from '../reading/cursor.js';
import { cursorKey, limitOf, pageOf } from '../reading/cursor.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** The ways to group the lines of the report. */
export const COMMISSION_BY = ['seat', 'shoe', 'table', 'dealer', 'day'] as const;
/** One of `COMMISSION_BY`. */
export type CommissionBy = (typeof COMMISSION_BY)[number];

/** Commission in minor units of `currency`. Outstanding is marked - collected - waived. */
export interface CommissionOwed extends CommissionAmounts {
  readonly currency: string;
  readonly outstanding: number;
}

type Key = 'table' | 'shoe' | 'shoeRef' | 'seat' | 'dealer' | 'gamingDay';

/**
 * A line of the report. A field that the line is not grouped by is null. A line by dealer has null
 * for coups without a dealer signed on.
 */
export type CommissionLine = CommissionOwed & { readonly [key in Key]: CommissionRow[key] | null };

/** The filter of the commission report. */
export interface CommissionFilter extends Filter {
  readonly shoeRef?: string;
  readonly seat?: number;
  readonly currency?: string;
}

/** A page of the report, with the totals of the whole report, one per currency. */
export interface CommissionReport extends Page<CommissionLine> {
  readonly totals: readonly CommissionOwed[];
}

/**
 * The fields that each kind of line is grouped and sorted by, before its currency. Different
 * currencies are never added together.
 */
const KEYS: Readonly<Record<CommissionBy, readonly Key[]>> = {
  seat: ['table', 'shoe', 'shoeRef', 'seat'],
  shoe: ['table', 'shoe', 'shoeRef'],
  table: ['table'],
  dealer: ['dealer'],
  day: ['gamingDay'],
};

const SUMS = AMOUNTS.map((amount) => `sum(${amount}) as ${amount}`).join(', ');

type Sums = Readonly<Record<keyof CommissionAmounts, string>> & Pick<CommissionRow, 'currency'>;
type LineRow = Sums & Partial<Pick<CommissionRow, Key>>;

/**
 * Returns commission by seat (per shoe, as `shoeprint audit` prints it), shoe, table, dealer or
 * gaming day. The report adds up the ledger as the fold keeps it:
 *
 * - A voided coup contributes no due or marked commission. Commission already taken stays.
 * - Findings change nothing.
 * - Collected and waived commission belongs to the dealer and the day of that event.
 *
 * Every page has the totals of all pages, which are the sums of all lines.
 */
export async function commissionOwed(
  read: Snapshot,
  by: CommissionBy,
  filter: CommissionFilter,
  paging: Paging,
): Promise<CommissionReport> {
  const keys = keysOf(by);
  const rows = await read.rows<LineRow>(...commissionQuery(by, filter, paging));
  const { lines, next } = pageOf(listOf(by), rows, paging, (row) =>
    keys.map((key) => row[key] as string | number),
  );
  return { lines: lines.map(lineOf), next, totals: await totalsOf(read, filter) };
}

/** Yields all the lines that `commissionOwed` returns in pages. */
export async function* everyCommission(
  read: Snapshot,
  by: CommissionBy,
  filter: CommissionFilter,
): Slices<CommissionLine> {
  for await (const rows of read.slices<LineRow>(...commissionQuery(by, filter)))
    yield rows.map(lineOf);
}

const keysOf = (by: CommissionBy) => [...KEYS[by], 'currency'] as const;
const listOf = (by: CommissionBy): string => `commission/${by}`;

function commissionQuery(by: CommissionBy, filter: CommissionFilter, paging?: Paging): RowQuery {
  const keys = keysOf(by);
  const named = keys.map((key) => `c.${COMMISSION.column(key).name}`).join(', ');
  const where = conditions(filter);
  if (paging?.cursor !== undefined) {
    const key = cursorKey(
      paging.cursor,
      listOf(by),
      keys.map((name) => (name === 'seat' ? 'number' : name === 'gamingDay' ? 'day' : 'text')),
    );
    where.and(`(${named}) > (${key.map(() => '?').join(', ')})`, ...key);
  }
  return [
    `select ${COMMISSION.select('c', keys)}, ${SUMS} from commission c ${where.sql}
     group by ${named} order by ${named} ${limitOf(paging)}`,
    where.parameters,
  ];
}

const conditions = (filter: CommissionFilter): Where =>
  new Where()
    .filter('c', filter, 'empty')
    .named('c.shoe_ref = ?', filter.shoeRef)
    .given('c.seat = ?', filter.seat)
    .given('c.currency = ?', filter.currency);

async function totalsOf(read: Snapshot, filter: CommissionFilter): Promise<CommissionOwed[]> {
  const where = conditions(filter);
  const rows = await read.rows<Sums>(
    `select currency, ${SUMS} from commission c ${where.sql} group by currency order by currency`,
    where.parameters,
  );
  return rows.map(owed);
}

function owed(sums: Sums): CommissionOwed {
  const [due, taken, marked, collected, waived] = [
    whole(sums.due),
    whole(sums.taken),
    whole(sums.marked),
    whole(sums.collected),
    whole(sums.waived),
  ];
  return {
    currency: sums.currency,
    due,
    taken,
    marked,
    collected,
    waived,
    outstanding: marked - collected - waived,
  };
}

const lineOf = (row: LineRow): CommissionLine => ({
  table: row.table ?? null,
  shoe: row.shoe ?? null,
  shoeRef: row.shoeRef ?? null,
  seat: row.seat ?? null,
  dealer: row.dealer || null,
  gamingDay: row.gamingDay ?? null,
  ...owed(row),
});
