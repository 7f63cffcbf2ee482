import { codesOfReport, type FindingCode } from '#audit';
import { SHOE, type ShoeRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type RowQuery, type Slices, type Snapshot } from '../reading/snapshot-read.js';
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

/** The filter of the report on shoes. */
export interface ShoesFilter extends Filter {
  /** The rule document that shoes were dealt by, `id@version`. */
  readonly rules?: string;
}

/** The reconciliation of a shoe's cards. */
export interface ShoeReportLine extends Pick<ShoeRow, (typeof SHOWN)[number]> {
  readonly shoeRef: string;
  /** Cards that the shoe held: 52 × decks. */
  readonly expected: number;
  /** Cards drawn, including burned and unread ones. */
  readonly drawn: number;
  readonly unread: number;
  /** The cards that must remain: expected - drawn. */
  readonly computedRemaining: number;
  /** The cards declared to remain at the closing; null if the closing does not say. */
  readonly saidRemaining: number | null;
  /**
   * saidRemaining - computedRemaining: negative if cards are missing, null if `saidRemaining` is
   * null.
   */
  readonly difference: number | null;
  readonly coups: number;
  /**
   * Hours from the opening to the closing; null if the shoe is open or its clocks say that it
   * closed no later than it opened.
   */
  readonly hours: number | null;
  readonly coupsPerHour: number | null;
  /** The codes of the standing SH findings, in order, one for each finding. */
  readonly findings: readonly FindingCode[];
}

/** The totals of all shoes of the report. */
export interface ShoeReportTotal {
  readonly shoes: number;
  readonly closed: number;
  readonly expected: number;
  readonly drawn: number;
  readonly unread: number;
  readonly coups: number;
  /** Shoes whose declared number of remaining cards differs from the computed one. */
  readonly unreconciled: number;
  /** Standing SH findings. */
  readonly findings: number;
}

/** A page of the shoe report, with the totals of all pages. */
export interface ShoeReport extends Page<ShoeReportLine> {
  readonly total: ShoeReportTotal;
}

const LIST = 'shoe-report';
/**
 * A shoe has no dealer of its own: a filter on a dealer selects the shoes in which that dealer
 * dealt a coup.
 */
const DEALT_BY =
  'exists (select from dealt d where d.shoe_ref = s.ref and d."table" = s."table" and d.dealer = ?)';
/** The codes about a shoe's cards. */
const SHOE_CODES = codesOfReport('shoes');
/**
 * Returns the condition on the findings of a shoe that the report counts. Adds the codes as a
 * parameter of `where`.
 */
const ofShoe = (where: Where): string =>
  `f.shoe_ref = s.ref and f."table" = s."table" and f.withdrawn_because is null and f.code = any(${where.parameter(SHOE_CODES)})`;

type ShoeRead = Pick<
  ShoeRow,
  (typeof SHOWN)[number] | 'ref' | 'cards' | 'unread' | 'remaining' | 'coups'
> &
  Pick<ShoeReportLine, 'findings'>;

const COLUMNS = SHOE.select('s', [...SHOWN, 'ref', 'cards', 'unread', 'remaining', 'coups']);

/**
 * Returns shoes by gaming day, the latest first: composition, reconciliation and pace. Withdrawn
 * findings do not count. Void coups count as coups, because their cards left the shoe. The total is
 * the sum of the lines of all pages.
 */
export async function shoeReport(
  read: Snapshot,
  filter: ShoesFilter,
  paging: Paging,
): Promise<ShoeReport> {
  const rows = await read.rows<ShoeRead>(...shoesQuery(filter, paging));
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gamingDay,
    row.openedAt,
    row.ref,
    row.table,
  ]);
  return { lines: lines.map(lineOf), next, total: await totalOf(read, filter) };
}

/** Yields all the lines that `shoeReport` returns in pages. */
export async function* everyShoeReport(
  read: Snapshot,
  filter: ShoesFilter,
): Slices<ShoeReportLine> {
  for await (const rows of read.slices<ShoeRead>(...shoesQuery(filter))) yield rows.map(lineOf);
}

function shoesQuery(filter: ShoesFilter, paging?: Paging): RowQuery {
  const where = conditions(filter);
  if (paging?.cursor !== undefined)
    where.and(
      '(s.gaming_day, s.opened_at, s.ref, s."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  return [
    `select ${COLUMNS},
            array(select f.code from finding f where ${ofShoe(where)} order by f.code) as findings
     from shoe s ${where.sql} order by s.gaming_day desc, s.opened_at desc, s.ref desc, s."table" desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

const conditions = ({ dealer, rules, ...filter }: ShoesFilter): Where =>
  new Where().filter('s', filter, 'empty').named(DEALT_BY, dealer).given('s.rules = ?', rules);

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

async function totalOf(read: Snapshot, filter: ShoesFilter): Promise<ShoeReportTotal> {
  const where = conditions(filter);
  const [row] = await read.rows<Readonly<Record<keyof ShoeReportTotal, string>>>(
    `select count(*) as shoes, count(*) filter (where s.closed) as closed,
            coalesce(sum(52 * s.decks), 0) as expected, coalesce(sum(s.cards), 0) as drawn,
            coalesce(sum(s.unread), 0) as unread, coalesce(sum(s.coups), 0) as coups,
            count(*) filter (where s.remaining <> 52 * s.decks - s.cards) as unreconciled,
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
