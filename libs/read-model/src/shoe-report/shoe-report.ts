import { codesOfReport, type FindingCode } from '#audit';
import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** A shoe's cards, reckoned up. */
export interface ShoeReportLine {
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly currency: string;
  readonly gamingDay: string;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly closed: boolean;
  readonly closeReason: string | null;
  readonly decks: number;
  /** 52 × decks: what it held. */
  readonly expected: number;
  /** Cards drawn, burned ones and unread ones among them. */
  readonly drawn: number;
  readonly unread: number;
  /** expected - drawn: what must be left. */
  readonly computedRemaining: number;
  /** What was said to be left when it was closed; null where nobody said. */
  readonly saidRemaining: number | null;
  /** saidRemaining - computedRemaining: 0 is right, less than 0 is short; null where nobody said. */
  readonly difference: number | null;
  readonly coups: number;
  /** From its opening to its closing; null while it is open and where its clocks make no sense of it. */
  readonly hours: number | null;
  readonly coupsPerHour: number | null;
  /** The findings SH that stand, by code, each as often as it was raised. */
  readonly findings: readonly FindingCode[];
}

export interface ShoeReportTotal {
  readonly shoes: number;
  readonly closed: number;
  readonly expected: number;
  readonly drawn: number;
  readonly unread: number;
  readonly coups: number;
  /** Shoes that were said to hold another number of cards than must be left. */
  readonly unreconciled: number;
  /** Findings SH that stand. */
  readonly findings: number;
}

export interface ShoeReport extends Page<ShoeReportLine> {
  readonly total: ShoeReportTotal;
}

interface ShoeRead {
  readonly ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly currency: string;
  readonly gaming_day: string;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly closed: boolean;
  readonly close_reason: string | null;
  readonly decks: number;
  readonly cards: number;
  readonly unread: number;
  readonly remaining: number | null;
  readonly coups: number;
  readonly findings: readonly FindingCode[];
}

const LIST = 'shoe-report';
/** A shoe is nobody's: of the dealer's shoes are those in which that dealer dealt a coup. */
const DEALT_BY =
  'exists (select from dealt d where d.shoe_ref = s.ref and d."table" = s."table" and d.dealer = ?)';
/** The codes about a shoe's cards. */
const SHOE_CODES = codesOfReport('shoes');
/** The findings of a shoe that count here, as a condition whose codes become a parameter of `where`. */
const ofShoe = (where: Where): string =>
  `f.shoe_ref = s.ref and f."table" = s."table" and f.withdrawn_because is null and f.code = any(${where.parameter(SHOE_CODES)})`;

/**
 * Shoes by their gaming day, the latest first: composition, reconciliation and pace. Findings that were withdrawn are
 * left out; void coups count as coups, for their cards are gone. The total is that of all pages, and the sum of their lines.
 */
export async function shoeReport(
  read: Snapshot,
  filter: Filter,
  paging: Paging,
): Promise<ShoeReport> {
  const where = conditions(filter);
  if (paging.cursor !== undefined)
    where.and(
      '(s.gaming_day, s.opened_at, s.ref, s."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  const rows = await read.rows<ShoeRead>(
    `select s.ref, s."table", s.shoe, s.rules, s.currency, s.gaming_day, s.opened_at, s.closed_at, s.closed, s.close_reason, s.decks, s.cards, s.unread, s.remaining, s.coups,
            array(select f.code from finding f where ${ofShoe(where)} order by f.code) as findings
     from shoe s ${where.sql} order by s.gaming_day desc, s.opened_at desc, s.ref desc, s."table" desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gaming_day,
    row.opened_at.toISOString(),
    row.ref,
    row.table,
  ]);
  return { lines: lines.map(lineOf), next, total: await totalOf(read, filter) };
}

const conditions = ({ dealer, ...filter }: Filter): Where =>
  new Where().filter('s', filter, 'empty').named(DEALT_BY, dealer);

const HOUR_MS = 3_600_000;

function lineOf(row: ShoeRead): ShoeReportLine {
  const expected = 52 * row.decks;
  const computedRemaining = expected - row.cards;
  const hours =
    row.closed_at === null || row.closed_at <= row.opened_at
      ? null
      : (row.closed_at.getTime() - row.opened_at.getTime()) / HOUR_MS;
  return {
    shoeRef: row.ref,
    table: row.table,
    shoe: row.shoe,
    rules: row.rules,
    currency: row.currency,
    gamingDay: row.gaming_day,
    openedAt: row.opened_at.toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
    closed: row.closed,
    closeReason: row.close_reason,
    decks: row.decks,
    expected,
    drawn: row.cards,
    unread: row.unread,
    computedRemaining,
    saidRemaining: row.remaining,
    difference: row.remaining === null ? null : row.remaining - computedRemaining,
    coups: row.coups,
    hours,
    coupsPerHour: hours === null ? null : row.coups / hours,
    findings: row.findings,
  };
}

async function totalOf(read: Snapshot, filter: Filter): Promise<ShoeReportTotal> {
  const where = conditions(filter);
  const [row] = await read.rows<Readonly<Record<keyof ShoeReportTotal, string>>>(
    `select count(*) as shoes, count(*) filter (where s.closed) as closed, coalesce(sum(52 * s.decks), 0) as expected, coalesce(sum(s.cards), 0) as drawn,
            coalesce(sum(s.unread), 0) as unread, coalesce(sum(s.coups), 0) as coups, count(*) filter (where s.remaining <> 52 * s.decks - s.cards) as unreconciled,
            coalesce(sum((select count(*) from finding f where ${ofShoe(where)})), 0) as findings
     from shoe s ${where.sql}`,
    where.parameters,
  );
  const { shoes, closed, expected, drawn, unread, coups, unreconciled, findings } = row as Readonly<
    Record<keyof ShoeReportTotal, string>
  >;
  return {
    shoes: whole(shoes),
    closed: whole(closed),
    expected: whole(expected),
    drawn: whole(drawn),
    unread: whole(unread),
    coups: whole(coups),
    unreconciled: whole(unreconciled),
    findings: whole(findings),
  };
}
