import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { CoupCommission } from '../writing/rows.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';
import type { CommissionFilter } from './commission.js';

/** A seat's commission of one coup, in minor units of `currency`. */
export interface CommissionCoup extends CoupCommission {
  readonly coupRef: string;
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  readonly state: 'open' | 'over' | 'void';
  readonly dealer: string | null;
  readonly openedAt: string;
  readonly gamingDay: string;
  readonly currency: string;
}

type Read = Readonly<
  Record<
    | 'coup_ref'
    | 'shoe_ref'
    | 'table'
    | 'shoe'
    | 'gaming_day'
    | 'currency'
    | 'due'
    | 'taken'
    | 'marked',
    string
  >
> & {
  readonly coup: number;
  readonly state: CommissionCoup['state'];
  readonly dealer: string | null;
  readonly opened_at: Date;
  readonly seat: number;
};

const LIST = 'commission-coups';

/**
 * The coups behind a line of `commissionOwed`, for the filter that says that line (its shoe and seat, its dealer, its day…), the latest
 * first, a line a seat. They add up to what is due, taken and marked there, but for what entered the ledger through no
 * coup. What was collected and waived is not of a coup either.
 */
export async function commissionCoups(
  read: Snapshot,
  filter: CommissionFilter,
  paging: Paging,
): Promise<Page<CommissionCoup>> {
  const where = new Where()
    .filter('c', filter, 'null')
    .named('c.shoe_ref = ?', filter.shoeRef)
    .given('k.seat = ?', filter.seat)
    .given('s.currency = ?', filter.currency);
  if (paging.cursor !== undefined)
    where.and(
      '(c.gaming_day, c.opened_at, c.ref, c."table", -k.seat) < (?, ?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text', 'number']),
    );
  const rows = await read.rows<Read>(
    `select c.ref as coup_ref, c.shoe_ref, c."table", c.shoe, c.coup, c.state, c.dealer, c.opened_at, c.gaming_day, s.currency, k.seat, k.due, k.taken, k.marked
     from coup c join shoe s on s.ref = c.shoe_ref and s."table" = c."table"
     cross join lateral json_to_recordset((c.detail->'commission')::json) as k(seat bigint, due numeric, taken numeric, marked numeric)
     ${where.sql} order by c.gaming_day desc, c.opened_at desc, c.ref desc, c."table" desc, -k.seat desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gaming_day,
    row.opened_at.toISOString(),
    row.coup_ref,
    row.table,
    -row.seat,
  ]);
  return { lines: lines.map(lineOf), next };
}

const lineOf = (row: Read): CommissionCoup => ({
  coupRef: row.coup_ref,
  shoeRef: row.shoe_ref,
  table: row.table,
  shoe: row.shoe,
  coup: row.coup,
  state: row.state,
  dealer: row.dealer,
  openedAt: row.opened_at.toISOString(),
  gamingDay: row.gaming_day,
  currency: row.currency,
  seat: row.seat,
  due: whole(row.due),
  taken: whole(row.taken),
  marked: whole(row.marked),
});
