import type { Finding } from '../findings/finding.js';
import type { ShoeSums } from '../rows/shoe-sums.js';
import type { LedgerLine } from '../state.js';
import { cellText, type ListedCell } from './listed-cell.js';
import type { RangeShoe, JudgedTaker } from './range-judge.js';

/** The files that list what was judged of a range. */
export const LISTED_FILES = [
  'findings.ndjson',
  'unjudgeable.ndjson',
  'commission.csv',
  'shoes.csv',
  'days.csv',
] as const;
/** A file that lists what was judged. */
export type ListedFile = (typeof LISTED_FILES)[number];
/** Lines by file, without line endings. */
export type ListedLines = Record<ListedFile, string[]>;

/** The columns of a file, in order, with their content. */
type Columns<T> = Readonly<Record<string, (of: T) => ListedCell>>;

/** The columns of commission.csv: a line for each seat of a shoe. Amounts are in minor units. */
const COMMISSION: Columns<LedgerLine & { readonly currency: string }> = {
  table: ({ table }) => table,
  shoe: ({ shoe }) => shoe,
  seat: ({ seat }) => seat,
  currency: ({ currency }) => currency,
  due: ({ due }) => due,
  taken: ({ taken }) => taken,
  marked: ({ marked }) => marked,
  collected: ({ collected }) => collected,
  waived: ({ waived }) => waived,
  outstanding: ({ outstanding }) => outstanding,
};

/** The columns of shoes.csv. */
const SHOES: Columns<RangeShoe> = {
  table: ({ shoe }) => shoe.table,
  shoe: ({ shoe }) => shoe.shoe,
  opening: ({ shoe }) => shoe.ref,
  rules: ({ shoe }) => shoe.rules,
  decks: ({ shoe }) => shoe.decks,
  kind: ({ shoe }) => shoe.kind,
  currency: ({ shoe }) => shoe.currency,
  openedAt: ({ shoe }) => shoe.openedAt,
  closedAt: ({ shoe }) => shoe.closedAt,
  state: ({ shoe: { closed }, leftReach }) => (leftReach ? 'final' : closed ? 'closed' : 'open'),
  closeReason: ({ shoe }) => shoe.closeReason,
  coups: ({ shoe }) => shoe.coups,
  cards: ({ shoe }) => shoe.cards,
  unread: ({ shoe }) => shoe.unread,
  remaining: ({ shoe }) => shoe.remaining,
  findings: ({ findings }) => findings.length,
  unjudgeable: ({ unjudgeable }) => unjudgeable.length,
};

/** The sums of a table's gaming day, of the listed shoes. */
interface DayLine {
  readonly table: string;
  readonly gamingDay: string;
  readonly currency: string;
  coups: number;
  cards: number;
  bets: number;
  staked: number;
  paid: number;
  stakesTaken: number;
  due: number;
  taken: number;
  marked: number;
  collected: number;
  waived: number;
}

/** The columns of days.csv: what the listed shoes add up to on a gaming day. */
const DAYS: Columns<DayLine> = {
  table: ({ table }) => table,
  gamingDay: ({ gamingDay }) => gamingDay,
  currency: ({ currency }) => currency,
  coups: ({ coups }) => coups,
  cards: ({ cards }) => cards,
  bets: ({ bets }) => bets,
  staked: ({ staked }) => staked,
  paid: ({ paid }) => paid,
  stakesTaken: ({ stakesTaken }) => stakesTaken,
  due: ({ due }) => due,
  taken: ({ taken }) => taken,
  marked: ({ marked }) => marked,
  collected: ({ collected }) => collected,
  waived: ({ waived }) => waived,
};

/**
 * Lists what was judged of ranges, as the lines of the files of a package. Exporter and verifier
 * make the files with it, so that they are the same byte for byte. Lines come in the order in which
 * shoes are passed on; days come at the end of their table. Each CSV file begins with the names of
 * its columns.
 */
export class RangeListing implements JudgedTaker {
  private lines = newLines();
  private days = new Map<string, DayLine>();

  constructor() {
    this.lines['commission.csv'].push(headingOf(COMMISSION));
    this.lines['shoes.csv'].push(headingOf(SHOES));
    this.lines['days.csv'].push(headingOf(DAYS));
  }

  shoe(judged: RangeShoe): void {
    const { lines } = this;
    const { shoe, findings, unjudgeable, ledger, sums } = judged;
    const { currency } = shoe;
    lines['findings.ndjson'].push(...findings.map((finding) => JSON.stringify(finding)));
    lines['unjudgeable.ndjson'].push(...unjudgeable.map((entry) => JSON.stringify(entry)));
    for (const line of ledger)
      lines['commission.csv'].push(lineOf(COMMISSION, { ...line, currency }));
    lines['shoes.csv'].push(lineOf(SHOES, judged));
    if (sums) this.addDays(shoe, sums);
  }

  outside(finding: Finding): void {
    this.lines['findings.ndjson'].push(JSON.stringify(finding));
  }

  unlisted(): void {
    // what is not listed is in no file
  }

  /** Lists the days of a table, by day and currency. Called after the last event of each table. */
  endTable(): void {
    const days = [...this.days].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, day] of days) this.lines['days.csv'].push(lineOf(DAYS, day));
    this.days = new Map();
  }

  /** Takes the lines that were listed since the last call. */
  take(): ListedLines {
    const { lines } = this;
    this.lines = newLines();
    return lines;
  }

  private addDays(of: DayOf, { dealt, bets, commission }: ShoeSums): void {
    for (const { gamingDay, coups, cards } of dealt) add(this.day(of, gamingDay), { coups, cards });
    for (const { gamingDay, taken: stakesTaken, bets: count, staked, paid } of bets)
      add(this.day(of, gamingDay), { bets: count, staked, paid, stakesTaken });
    for (const { gamingDay, due, taken, marked, collected, waived } of commission)
      add(this.day(of, gamingDay), { due, taken, marked, collected, waived });
  }

  private day({ table, currency }: DayOf, gamingDay: string): DayLine {
    const key = `${gamingDay} ${currency}`;
    const known = this.days.get(key);
    if (known) return known;
    const fresh = { table, gamingDay, currency, ...NOTHING };
    this.days.set(key, fresh);
    return fresh;
  }
}

type DayOf = Pick<DayLine, 'table' | 'currency'>;

const NOTHING = {
  coups: 0,
  cards: 0,
  bets: 0,
  staked: 0,
  paid: 0,
  stakesTaken: 0,
  due: 0,
  taken: 0,
  marked: 0,
  collected: 0,
  waived: 0,
};

type Sums = typeof NOTHING;
const SUMS = Object.keys(NOTHING) as (keyof Sums)[];

function add(day: DayLine, sums: Partial<Sums>): void {
  for (const name of SUMS) day[name] += sums[name] ?? 0;
}

const newLines = (): ListedLines => ({
  'findings.ndjson': [],
  'unjudgeable.ndjson': [],
  'commission.csv': [],
  'shoes.csv': [],
  'days.csv': [],
});

const headingOf = (columns: Columns<never>): string => Object.keys(columns).join(',');

const lineOf = <T>(columns: Columns<T>, of: T): string =>
  Object.values(columns)
    .map((cell) => cellText(cell(of)))
    .join(',');
