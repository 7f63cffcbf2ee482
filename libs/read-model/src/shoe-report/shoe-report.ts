import { codesOfReport, type FindingCode } from '#audit';
import { SHOE, type ShoeRow } from '../entities/index.js';
import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

const SHOWN = [
  'table',
  'shoe',
  'rules',
  'currency',
  'gamingDay',
  'openedAt',
  'closedAt',
  'closed',
  'closeReason',
  'decks',
] as const;

/** A shoe's cards, reconciled. */
export interface ShoeReportLine extends Pick<ShoeRow, (typeof SHOWN)[number]> {
  readonly shoeRef: string;
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

const LIST = 'shoe-report';
/** A shoe is nobody's: of the dealer's shoes are those in which that dealer dealt a coup. */
const DEALT_BY =
  'exists (select from dealt d where d.shoe_ref = s.ref and d."table" = s."table" and d.dealer = ?)';
/** The codes about a shoe's cards. */
const SHOE_CODES = codesOfReport('shoes');
/** The findings of a shoe that count here, as a condition whose codes become a parameter of `where`. */
const ofShoe = (where: Where): string =>
  `f.shoe_ref = s.ref and f."table" = s."table" and f.withdrawn_because is null and f.code = any(${where.parameter(SHOE_CODES)})`;

type ShoeRead = Pick<
  ShoeRow,
  (typeof SHOWN)[number] | 'ref' | 'cards' | 'unread' | 'remaining' | 'coups'
> &
  Pick<ShoeReportLine, 'findings'>;

const COLUMNS = SHOE.select('s', [...SHOWN, 'ref', 'cards', 'unread', 'remaining', 'coups']);

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
    `select ${COLUMNS},
            array(select f.code from finding f where ${ofShoe(where)} order by f.code) as findings
     from shoe s ${where.sql} order by s.gaming_day desc, s.opened_at desc, s.ref desc, s."table" desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gamingDay,
    row.openedAt,
    row.ref,
    row.table,
  ]);
  return { lines: lines.map(lineOf), next, total: await totalOf(read, filter) };
}

const conditions = ({ dealer, ...filter }: Filter): Where =>
  new Where().filter('s', filter, 'empty').named(DEALT_BY, dealer);

const HOUR_MS = 3_600_000;

function lineOf({
  ref,
  cards,
  unread,
  remaining,
  coups,
  findings,
  ...shoe
}: ShoeRead): ShoeReportLine {
  const expected = 52 * shoe.decks;
  const computedRemaining = expected - cards;
  const hours = hoursOf(shoe);
  return {
    shoeRef: ref,
    ...shoe,
    expected,
    drawn: cards,
    unread,
    computedRemaining,
    saidRemaining: remaining,
    difference: remaining === null ? null : remaining - computedRemaining,
    coups,
    hours,
    coupsPerHour: hours === null ? null : coups / hours,
    findings,
  };
}

function hoursOf({ openedAt, closedAt }: Pick<ShoeRow, 'openedAt' | 'closedAt'>): number | null {
  if (closedAt === null || closedAt <= openedAt) return null;
  return (Date.parse(closedAt) - Date.parse(openedAt)) / HOUR_MS;
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
