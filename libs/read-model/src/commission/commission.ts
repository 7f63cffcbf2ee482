import type { Page, Paging } from '../reading/cursor.js';
import { fetchedFor, cursorKey, pageOf } from '../reading/cursor.js';
import type { CommissionAmounts } from '../writing/rows.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** What the lines of the report stand for. */
export const COMMISSION_BY = ['seat', 'shoe', 'table', 'dealer', 'day'] as const;
export type CommissionBy = (typeof COMMISSION_BY)[number];

/** Commission in minor units of `currency`: outstanding = marked - collected - waived. */
export interface CommissionOwed extends CommissionAmounts {
  readonly currency: string;
  readonly outstanding: number;
}

/** A line of the report. What its `by` does not tell is null: a line by table has no seat. */
export interface CommissionLine extends CommissionOwed {
  readonly table: string | null;
  readonly shoe: string | null;
  readonly shoeRef: string | null;
  readonly seat: number | null;
  /** Who dealt; null by dealer where nobody had signed on, and null wherever lines are not by dealer. */
  readonly dealer: string | null;
  readonly gamingDay: string | null;
}

export interface CommissionFilter extends Filter {
  readonly shoeRef?: string;
  readonly seat?: number;
  readonly currency?: string;
}

/** A page of the report, with the totals of all of it, a currency each. */
export interface CommissionReport extends Page<CommissionLine> {
  readonly totals: readonly CommissionOwed[];
}

/** By what each kind of line is told apart, as the lines are sorted. Every kind has its currency: two are never added. */
const KEYS: Readonly<Record<CommissionBy, readonly string[]>> = {
  seat: ['table', 'shoe', 'shoe_ref', 'seat', 'currency'],
  shoe: ['table', 'shoe', 'shoe_ref', 'currency'],
  table: ['table', 'currency'],
  dealer: ['dealer', 'currency'],
  day: ['gaming_day', 'currency'],
};

const SUMS =
  'sum(due) as due, sum(taken) as taken, sum(marked) as marked, sum(collected) as collected, sum(waived) as waived';

type Sums = Readonly<Record<'due' | 'taken' | 'marked' | 'collected' | 'waived', string>> & {
  readonly currency: string;
};
type LineRow = Sums &
  Partial<Readonly<Record<'table' | 'shoe' | 'shoe_ref' | 'dealer' | 'gaming_day', string>>> & {
    readonly seat?: number;
  };

/**
 * Commission by seat (of each shoe, as `shoeprint audit` prints it), shoe, table, dealer or gaming day. It adds up the
 * ledger as the fold keeps it: of a coup that was voided nothing is due and nothing that was marked counts, what was taken
 * was taken; findings change nothing here. What was collected or waived stands with the dealer and the day of that event.
 * On every page the totals are those of all lines, and each is the sum of its lines.
 */
export async function commissionOwed(
  read: Snapshot,
  by: CommissionBy,
  filter: CommissionFilter,
  paging: Paging,
): Promise<CommissionReport> {
  const keys = KEYS[by];
  const list = `commission/${by}`;
  const named = keys.map((key) => `"${key}"`).join(', ');
  const where = conditions(filter);
  if (paging.cursor !== undefined) {
    const key = cursorKey(
      paging.cursor,
      list,
      keys.map((name) => (name === 'seat' ? 'number' : name === 'gaming_day' ? 'day' : 'text')),
    );
    where.and(`(${named}) > (${key.map(() => '?').join(', ')})`, ...key);
  }
  const selected = keys
    .map((key) => (key === 'gaming_day' ? 'gaming_day::text as gaming_day' : `"${key}"`))
    .join(', ');
  const rows = await read.rows<LineRow>(
    `select ${selected}, ${SUMS} from commission c ${where.sql} group by ${named} order by ${named} limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(list, rows, paging, (row) =>
    keys.map((key) => row[key as keyof LineRow] as string | number),
  );
  return { lines: lines.map(lineOf), next, totals: await totalsOf(read, filter) };
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
  shoeRef: row.shoe_ref ?? null,
  seat: row.seat ?? null,
  dealer: row.dealer || null,
  gamingDay: row.gaming_day ?? null,
  ...owed(row),
});
