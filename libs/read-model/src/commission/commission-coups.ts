import { COUP, SHOE, type CoupCommission, type CoupRow, type ShoeRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';
import type { CommissionFilter } from './commission.js';

const OF_COUP = [
  'shoeRef',
  'table',
  'shoe',
  'coup',
  'state',
  'dealer',
  'openedAt',
  'gamingDay',
] as const;

/** A seat's commission of one coup, in minor units of `currency`. */
export interface CommissionCoup
  extends CoupCommission, Pick<CoupRow, (typeof OF_COUP)[number]>, Pick<ShoeRow, 'currency'> {
  readonly coupRef: string;
}

/** PostgreSQL returns amounts out of JSON as text. */
type Read = Omit<CommissionCoup, Amount> & Readonly<Record<Amount, string>>;
type Amount = 'due' | 'taken' | 'marked';

const LIST = 'commission-coups';

/**
 * Returns the coups behind a line of `commissionOwed`, the latest first, with one line per seat.
 * `filter` selects the line by its shoe, seat, dealer, day and so on. The lines add up to what that
 * line has as due, taken and marked, except for commission that belongs to no coup. Collected and
 * waived commission belongs to no coup.
 */
export async function commissionCoups(
  read: Snapshot,
  filter: CommissionFilter,
  paging: Paging,
): Promise<Page<CommissionCoup>> {
  const rows = await read.rows<Read>(...coupsQuery(filter, paging));
  return pageOf(LIST, rows.map(lineOf), paging, (line) => [
    line.gamingDay,
    line.openedAt,
    line.coupRef,
    line.table,
    -line.seat,
  ]);
}

/** Yields all the coups that `commissionCoups` returns in pages. */
export async function* everyCommissionCoup(
  read: Snapshot,
  filter: CommissionFilter,
): Slices<CommissionCoup> {
  for await (const rows of read.slices<Read>(...coupsQuery(filter))) yield rows.map(lineOf);
}

function coupsQuery(filter: CommissionFilter, paging?: Paging): RowQuery {
  const where = new Where()
    .filter('c', filter, 'null')
    .named('c.shoe_ref = ?', filter.shoeRef)
    .given('k.seat = ?', filter.seat)
    .given('s.currency = ?', filter.currency);
  if (paging?.cursor !== undefined)
    where.and(
      '(c.gaming_day, c.opened_at, c.ref, c."table", -k.seat) < (?, ?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text', 'number']),
    );
  return [
    `select c.ref as "coupRef", ${COUP.select('c', OF_COUP)}, ${SHOE.select('s', ['currency'])},
            k.seat, k.due, k.taken, k.marked
     from coup c join shoe s on s.ref = c.shoe_ref and s."table" = c."table"
     cross join lateral json_to_recordset((c.detail->'commission')::json)
       as k(seat bigint, due numeric, taken numeric, marked numeric)
     ${where.sql} order by c.gaming_day desc, c.opened_at desc, c.ref desc, c."table" desc, -k.seat desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

const lineOf = (row: Read): CommissionCoup => ({
  ...row,
  due: whole(row.due),
  taken: whole(row.taken),
  marked: whole(row.marked),
});
