import { codesOfReport, type FindingCode, type Slip } from '#audit';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** The filter of the report on payouts. */
export interface PayoutFilter extends Filter {
  readonly bet?: string;
  readonly currency?: string;
}

/** The settlements of a bet, in minor units of `currency`. */
export interface PayoutLine {
  readonly bet: string;
  readonly currency: string;
  /** Settled bets of coups that are over and not void. */
  readonly bets: number;
  readonly staked: number;
  /** Gross winnings paid, as recorded. */
  readonly paid: number;
  /** Stakes taken. */
  readonly taken: number;
  /** What the house won: taken - paid. */
  readonly won: number;
}

/** Wrong settlements of one bet for one cause, with the amount at stake. */
export interface VarianceLine {
  /** Null if the finding names no bet. */
  readonly bet: string | null;
  readonly code: FindingCode;
  /** The slip that explains the finding; null if no known slip does. */
  readonly explainedBy: Slip | null;
  /** The side that the error favored; null if it moved no money. */
  readonly favours: 'house' | 'patron' | null;
  readonly currency: string;
  readonly findings: number;
  readonly amount: number;
}

/**
 * The totals of one currency. `houseGained` and `patronsGained` come from wrong settlements. `net`
 * is houseGained - patronsGained.
 */
export interface PayoutTotal {
  readonly currency: string;
  readonly bets: number;
  readonly staked: number;
  readonly paid: number;
  readonly taken: number;
  readonly won: number;
  readonly findings: number;
  readonly houseGained: number;
  readonly patronsGained: number;
  readonly net: number;
}

/** The report on payouts and their variance. */
export interface PayoutsReport {
  readonly lines: readonly PayoutLine[];
  readonly variance: readonly VarianceLine[];
  readonly totals: readonly PayoutTotal[];
}

/**
 * Returns the settlements and the wrong ones among them (the PY findings), by bet and cause.
 * Withdrawn findings do not count, and neither do those of a void coup, whose stakes are returned.
 * A remedied finding counts, because the record of the payment stays. A missing settlement counts
 * in the variance but not as a settled bet.
 */
export async function payoutVariance(read: Snapshot, filter: PayoutFilter): Promise<PayoutsReport> {
  const lines = await settled(read, filter);
  const variance = await variances(read, filter);
  const currencies = [...new Set([...lines, ...variance].map(({ currency }) => currency))].sort();
  return {
    lines,
    variance,
    totals: currencies.map((currency) => totalOf(currency, lines, variance)),
  };
}

async function settled(read: Snapshot, filter: PayoutFilter): Promise<PayoutLine[]> {
  const where = new Where()
    .filter('b', filter, 'empty')
    .named('b.bet = ?', filter.bet)
    .given('b.currency = ?', filter.currency);
  const rows = await read.rows<
    Readonly<Record<'bet' | 'currency' | 'bets' | 'staked' | 'paid' | 'taken', string>>
  >(
    `select b.bet, b.currency, sum(b.bets) as bets, sum(b.staked) as staked, sum(b.paid) as paid,
            sum(b.taken) as taken
     from bet_total b ${where.sql} group by b.bet, b.currency order by b.bet, b.currency`,
    where.parameters,
  );
  return rows.map(({ bet, currency, bets, staked, paid, taken }) => ({
    bet,
    currency,
    bets: whole(bets),
    staked: whole(staked),
    paid: whole(paid),
    taken: whole(taken),
    won: whole(taken) - whole(paid),
  }));
}

/** The codes of a wrong settlement. */
const PAYOUT_CODES = codesOfReport('payouts');

async function variances(read: Snapshot, filter: PayoutFilter): Promise<VarianceLine[]> {
  const where = new Where()
    .and('f.code = any(?)', PAYOUT_CODES)
    .and('f.withdrawn_because is null')
    .and('not f.void')
    .filter('f', filter, 'null')
    .named('f.bet = ?', filter.bet)
    .given('s.currency = ?', filter.currency);
  const rows = await read.rows<
    Omit<VarianceLine, 'findings' | 'amount'> & Readonly<Record<'findings' | 'amount', string>>
  >(
    `select f.bet, f.code, f.explained_by as "explainedBy", f.impact_favours as favours, s.currency,
            count(*) as findings, coalesce(sum(f.impact_amount), 0) as amount
     from finding f join shoe s on s.ref = f.shoe_ref and s."table" = f."table" ${where.sql}
     group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
    where.parameters,
  );
  return rows.map((row) => ({ ...row, findings: whole(row.findings), amount: whole(row.amount) }));
}

function totalOf(
  currency: string,
  lines: readonly PayoutLine[],
  variance: readonly VarianceLine[],
): PayoutTotal {
  const of = lines.filter((line) => line.currency === currency);
  const wrong = variance.filter((line) => line.currency === currency);
  const gained = (by: 'house' | 'patron'): number =>
    add(
      wrong.filter(({ favours }) => favours === by),
      ({ amount }) => amount,
    );
  const [houseGained, patronsGained] = [gained('house'), gained('patron')];
  return {
    currency,
    bets: add(of, ({ bets }) => bets),
    staked: add(of, ({ staked }) => staked),
    paid: add(of, ({ paid }) => paid),
    taken: add(of, ({ taken }) => taken),
    won: add(of, ({ won }) => won),
    findings: add(wrong, ({ findings }) => findings),
    houseGained,
    patronsGained,
    net: houseGained - patronsGained,
  };
}

const add = <Line>(lines: readonly Line[], amount: (line: Line) => number): number =>
  lines.reduce((sum, line) => sum + amount(line), 0);
