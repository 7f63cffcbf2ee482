import type { CoupKind, Severity } from '#audit';
import { fetchedFor, cursorKey, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { CoupDetail } from '../writing/rows.js';
import type { Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** A coup in a list. */
export interface CoupLine {
  readonly ref: string;
  readonly shoeRef: string;
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  readonly kind: CoupKind;
  readonly state: 'open' | 'over' | 'void';
  /** Who won by the cards as they lie; null where they do not tell. */
  readonly outcome: string | null;
  readonly dealer: string | null;
  readonly openedAt: string;
  readonly endedAt: string | null;
  readonly gamingDay: string;
  /** The cards on each hand, in the order drawn; null one that was not read. */
  readonly player: readonly (string | null)[];
  readonly banker: readonly (string | null)[];
  /** Findings that stand, and the gravest severity among them. */
  readonly findings: number;
  readonly worst: Severity | null;
}

export interface CoupsFilter extends Filter {
  /** The shoe, by the reference of its opening. */
  readonly shoeRef?: string;
  /** The shoe, by its id, which is unique at its table. */
  readonly shoe?: string;
  /** Only coups with a finding that stands; only those without one. */
  readonly flagged?: boolean;
}

export interface CoupRead {
  readonly ref: string;
  readonly shoe_ref: string;
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  readonly kind: CoupKind;
  readonly state: 'open' | 'over' | 'void';
  readonly outcome: string | null;
  readonly dealer: string | null;
  readonly opened_at: Date;
  readonly ended_at: Date | null;
  readonly gaming_day: string;
  readonly detail: CoupDetail;
  readonly findings: number;
  readonly worst: Severity | null;
}

const STANDING = 'f.coup_ref = c.ref and f."table" = c."table" and f.withdrawn_because is null';
/** A coup and what stands against it, for `from coup c`. */
export const COUP_COLUMNS = `c.ref, c.shoe_ref, c."table", c.shoe, c.coup, c.kind, c.state, c.outcome, c.dealer, c.opened_at, c.ended_at, c.gaming_day, c.detail,
  (select count(*) from finding f where ${STANDING}) as findings, (select min(f.severity) from finding f where ${STANDING}) as worst`;

export const coupLine = (row: CoupRead): CoupLine => ({
  ref: row.ref,
  shoeRef: row.shoe_ref,
  table: row.table,
  shoe: row.shoe,
  coup: row.coup,
  kind: row.kind,
  state: row.state,
  outcome: row.outcome,
  dealer: row.dealer,
  openedAt: row.opened_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
  gamingDay: row.gaming_day,
  player: cardsOn(row.detail, 'player'),
  banker: cardsOn(row.detail, 'banker'),
  findings: row.findings,
  worst: row.worst,
});

const cardsOn = ({ cards }: CoupDetail, hand: string): (string | null)[] =>
  cards.filter(({ to }) => to === hand).map(({ card }) => card);

const LIST = 'coups';

/** Coups, the latest first, the open ones and the void ones too. */
export async function coups(
  read: Snapshot,
  filter: CoupsFilter,
  paging: Paging,
): Promise<Page<CoupLine>> {
  const where = new Where()
    .filter('c', filter, 'null')
    .named('c.shoe_ref = ?', filter.shoeRef)
    .named('c.shoe = ?', filter.shoe);
  if (filter.flagged !== undefined)
    where.and(`${filter.flagged ? '' : 'not '}exists (select from finding f where ${STANDING})`);
  if (paging.cursor !== undefined)
    where.and(
      '(c.gaming_day, c.opened_at, c.ref, c."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  const rows = await read.rows<CoupRead>(
    `select ${COUP_COLUMNS} from coup c ${where.sql} order by c.gaming_day desc, c.opened_at desc, c.ref desc, c."table" desc limit ${fetchedFor(paging)}`,
    where.parameters,
  );
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [
    row.gaming_day,
    row.opened_at.toISOString(),
    row.ref,
    row.table,
  ]);
  return { lines: lines.map(coupLine), next };
}
