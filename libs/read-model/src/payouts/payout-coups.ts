import { COUP, SHOE, type CoupRow, type ShoeRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';
import type { PayoutFilter, PayoutLine } from './payouts.js';

const OF_COUP = ['shoeRef', 'table', 'shoe', 'coup', 'dealer', 'openedAt', 'gamingDay'] as const;

/** The settlements of a bet in one coup, in minor units of `currency`. */
export interface PayoutCoup
  extends PayoutLine, Pick<CoupRow, (typeof OF_COUP)[number]>, Pick<ShoeRow, 'currency'> {
  readonly coupRef: string;
}

type Sum = 'bets' | 'staked' | 'paid' | 'taken';
type Read = Omit<PayoutCoup, Sum | 'won'> & Readonly<Record<Sum, string>>;

const LIST = 'payout-coups';
const KEY = ['day', 'time', 'text', 'text', 'text'] as const;

/**
 * Returns the coups behind a line of `payoutVariance`, the latest first, with one line for each bet
 * of a coup. `filter` selects the line by its bet and currency, and by where it was dealt. The
 * lines add up to that line.
 */
export async function payoutCoups(
  read: Snapshot,
  filter: PayoutFilter,
  paging: Paging,
): Promise<Page<PayoutCoup>> {
  const rows = await read.rows<Read>(...coupsQuery(filter, paging));
  return pageOf(LIST, rows.map(lineOf), paging, (line) => [
    line.gamingDay,
    line.openedAt,
    line.coupRef,
    line.table,
    line.bet,
  ]);
}

/** Yields all the coups that `payoutCoups` returns in pages. */
export async function* everyPayoutCoup(read: Snapshot, filter: PayoutFilter): Slices<PayoutCoup> {
  for await (const rows of read.slices<Read>(...coupsQuery(filter))) yield rows.map(lineOf);
}

function coupsQuery(filter: PayoutFilter, paging?: Paging): RowQuery {
  const where = new Where()
    .and("c.state = 'over'")
    .filter('c', filter, 'null')
    .named('b.bet = ?', filter.bet)
    .given('s.currency = ?', filter.currency);
  if (paging?.cursor !== undefined) after(where, cursorKey(paging.cursor, LIST, KEY));
  // Adding up within each coup keeps the order of the index, so that a page reads its own coups.
  return [
    `select c.ref as "coupRef", ${COUP.select('c', OF_COUP)}, ${SHOE.select('s', ['currency'])}, b.*
     from coup c join shoe s on s.ref = c.shoe_ref and s."table" = c."table"
     cross join lateral (
       select bet, count(*) as bets, sum(stands) as staked,
              sum((settled->>'paid')::numeric) as paid,
              coalesce(sum(stands) filter (where settled->>'stake' = 'taken'), 0) as taken
       from json_to_recordset((c.detail->'bets')::json)
         as each(bet text, stands numeric, settled json)
       where settled is not null group by bet) b
     ${where.sql}
     order by c.gaming_day desc, c.opened_at desc, c.ref desc, c."table" desc, b.bet collate "C" desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

/**
 * Adds that a line follows a key. The coup is compared first and by itself, for the index. The rest
 * is spelled out: PostgreSQL estimates a comparison of several columns by the first one, so as no
 * line at all where all are of one day, and then it would read and sort everything.
 */
function after(where: Where, [day, time, ref, table, bet]: readonly unknown[]): void {
  const coup = '(c.gaming_day, c.opened_at, c.ref)';
  const key = [day, time, ref];
  where
    .and(`${coup} <= (?, ?, ?)`, ...key)
    .and(
      `(${coup} < (?, ?, ?) or c."table" < ? or c."table" = ? and b.bet collate "C" < ?)`,
      ...[...key, table, table, bet],
    );
}

function lineOf({ bets, staked, paid, taken, ...row }: Read): PayoutCoup {
  const sums = { bets: whole(bets), staked: whole(staked), paid: whole(paid), taken: whole(taken) };
  return { ...row, ...sums, won: sums.taken - sums.paid };
}
