import type { Severity, Unjudgeable } from '#audit';
import { COUP_COLUMNS, coupLine, type CoupLine, type CoupRead } from '../coups/coups.js';
import {
  fetchedFor,
  cursorKey,
  PAGE_MAX,
  pageOf,
  type Page,
  type Paging,
} from '../reading/cursor.js';
import {
  FINDING_COLUMNS,
  findingLine,
  type FindingLine,
  type FindingRowRead,
} from '../findings/findings.js';
import type { CommissionAmounts } from '../writing/rows.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** A shoe in a list. */
export interface ShoeLine {
  readonly ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: string;
  readonly currency: string;
  readonly coups: number;
  readonly cards: number;
  readonly unread: number;
  readonly closed: boolean;
  readonly closeReason: string | null;
  readonly remaining: number | null;
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly gamingDay: string;
  /** Findings that stand, and the gravest severity among them. */
  readonly findings: number;
  readonly worst: Severity | null;
}

/** A seat's line of a shoe's ledger, in minor units of the shoe's currency. */
export interface LedgerLine extends CommissionAmounts {
  readonly seat: number;
  readonly outstanding: number;
}

/** A shoe with its coups in order, what was found and what is owed. Of each list the first 1,000: the lists of coups and findings have the rest. */
export interface ShoeWhole extends ShoeLine {
  readonly ledger: readonly LedgerLine[];
  readonly coupLines: readonly CoupLine[];
  /** Those that stand, the gravest first, and after them those that were withdrawn. */
  readonly raised: readonly FindingLine[];
  readonly unjudgeable: readonly Unjudgeable[];
}

export interface ShoeRead {
  readonly ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly kind: string;
  readonly currency: string;
  readonly coups: number;
  readonly cards: number;
  readonly unread: number;
  readonly closed: boolean;
  readonly close_reason: string | null;
  readonly remaining: number | null;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly gaming_day: string;
  readonly findings: number;
  readonly worst: Severity | null;
}

const STANDING = 'f.shoe_ref = s.ref and f."table" = s."table" and f.withdrawn_because is null';
/** A shoe and what stands against it, for `from shoe s`. */
export const SHOE_COLUMNS = `s.ref, s."table", s.shoe, s.rules, s.decks, s.kind, s.currency, s.coups, s.cards, s.unread, s.closed, s.close_reason, s.remaining, s.opened_at, s.closed_at, s.gaming_day,
  (select count(*) from finding f where ${STANDING}) as findings, (select min(f.severity) from finding f where ${STANDING}) as worst`;
const LIST = 'shoes';

/** Shoes, the latest first. A shoe is of the gaming day on which it was opened. */
export async function shoes(
  read: Snapshot,
  filter: Omit<Filter, 'dealer'>,
  paging: Paging,
): Promise<Page<ShoeLine>> {
  const { scope, table, from, to } = filter;
  const where = new Where().filter('s', { scope, table, from, to }, 'null');
  if (paging.cursor !== undefined)
    where.and(
      '(s.gaming_day, s.opened_at, s.ref, s."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  const rows = await read.rows<ShoeRead>(
    `select ${SHOE_COLUMNS} from shoe s ${where.sql} order by s.gaming_day desc, s.opened_at desc, s.ref desc, s."table" desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gaming_day,
    row.opened_at.toISOString(),
    row.ref,
    row.table,
  ]);
  return { lines: lines.map(shoeLine), next };
}

export const shoeLine = (row: ShoeRead): ShoeLine => ({
  ref: row.ref,
  table: row.table,
  shoe: row.shoe,
  rules: row.rules,
  decks: row.decks,
  kind: row.kind,
  currency: row.currency,
  coups: row.coups,
  cards: row.cards,
  unread: row.unread,
  closed: row.closed,
  closeReason: row.close_reason,
  remaining: row.remaining,
  openedAt: row.opened_at.toISOString(),
  closedAt: row.closed_at?.toISOString() ?? null,
  gamingDay: row.gaming_day,
  findings: row.findings,
  worst: row.worst,
});

/** A shoe by the reference of its opening; undefined where there is none, or it is at none of the tables in `scope`. */
export async function shoe(
  read: Snapshot,
  ref: string,
  scope?: readonly string[],
): Promise<ShoeWhole | undefined> {
  const where = new Where().named('s.ref = ?', ref).filter('s', { scope }, 'null');
  const [row] = await read.rows<ShoeRead>(
    `select ${SHOE_COLUMNS} from shoe s ${where.sql} order by s."table" limit 1`,
    where.parameters,
  );
  if (!row) return undefined;
  const ledger = await read.rows<CommissionAmounts & { readonly seat: number }>(
    'select l.seat, l.due, l.taken, l.marked, l.collected, l.waived from ledger l where l.shoe_ref = $1 and l."table" = $2 order by l.seat',
    [row.ref, row.table],
  );
  const coupRows = await read.rows<CoupRead>(
    `select ${COUP_COLUMNS} from coup c where c.shoe_ref = $1 and c."table" = $2 order by c.coup, c.ref limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  const raised = await read.rows<FindingRowRead>(
    `select ${FINDING_COLUMNS} from finding f where f.shoe_ref = $1 and f."table" = $2 order by f.withdrawn_because is not null, f.severity, f.at, f.code, f.id limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  const doubts = await read.rows<{ readonly body: Unjudgeable }>(
    `select u.body from unjudgeable u where u.shoe_ref = $1 and u."table" = $2 order by u.coup nulls first, u.key limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  return {
    ...shoeLine(row),
    ledger: ledger.map((line) => ({
      ...line,
      outstanding: line.marked - line.collected - line.waived,
    })),
    coupLines: coupRows.map(coupLine),
    raised: raised.map(findingLine),
    unjudgeable: doubts.map(({ body }) => body),
  };
}
