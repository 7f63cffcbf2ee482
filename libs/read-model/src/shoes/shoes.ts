import type { Unjudgeable } from '#audit';
import {
  AMOUNTS,
  LEDGER,
  SHOE,
  type CommissionAmounts,
  type LedgerRow,
  type ShoeRow,
} from '../entities/index.js';
import { COUP_SELECT, coupLine, type CoupLine, type CoupRead } from '../coups/coups.js';
import { cursorKey, limitOf, PAGE_MAX, pageOf, type Page, type Paging } from '../reading/cursor.js';
import {
  FINDING_SELECT,
  findingLine,
  type FindingLine,
  type FindingRead,
} from '../findings/findings.js';
import { standing, type Standing } from '../findings/standing.js';
import { type AtTable, onlyOne } from '../reading/one-opening.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** What is shown of a shoe everywhere, beside its place in the log and its day. */
export const SHOE_FACTS = [
  'shoe',
  'rules',
  'decks',
  'kind',
  'currency',
  'coups',
  'cards',
  'unread',
  'closed',
  'closeReason',
  'remaining',
  'openedAt',
  'closedAt',
] as const;

/** The columns of a shoe that lists show. */
export const SHOE_FIELDS = ['ref', 'table', ...SHOE_FACTS, 'gamingDay'] as const;

const OF_WHOLE = ['leftByRank', 'burn', 'cutCard'] as const;

/** A shoe in a list, with its findings counted. */
export type ShoeLine = Pick<ShoeRow, (typeof SHOE_FIELDS)[number]> & Standing;

/** The select list of shoes, for `from shoe s`. Its rows are `ShoeLine`s. */
export const SHOE_SELECT = `${SHOE.select('s', SHOE_FIELDS)}, ${standing('s', 'shoe_ref')}`;

/** A seat's line of a shoe's ledger, in minor units of the shoe's currency. */
export interface ShoeLedgerLine extends CommissionAmounts, Pick<LedgerRow, 'seat'> {
  readonly outstanding: number;
}

/**
 * A shoe with its ledger, coups in order, findings and unjudgeable entries. Each list except the
 * ledger has at most 1,000 items. The lists of coups and findings return the rest.
 */
export interface ShoeWhole extends ShoeLine, Pick<ShoeRow, (typeof OF_WHOLE)[number]> {
  readonly ledger: readonly ShoeLedgerLine[];
  readonly coupLines: readonly CoupLine[];
  /** First the standing findings, the gravest first, then the withdrawn ones. */
  readonly raised: readonly FindingLine[];
  readonly unjudgeable: readonly Unjudgeable[];
}

const LIST = 'shoes';

/** Returns shoes, the latest first. A shoe belongs to the gaming day of its opening. */
export async function shoes(
  read: Snapshot,
  filter: Omit<Filter, 'dealer'>,
  paging: Paging,
): Promise<Page<ShoeLine>> {
  const rows = await read.rows<ShoeLine>(...shoesQuery(filter, paging));
  return pageOf(LIST, rows, paging, ({ gamingDay, openedAt, ref, table }) => [
    gamingDay,
    openedAt,
    ref,
    table,
  ]);
}

/** Yields all the shoes that `shoes` returns in pages. */
export const everyShoe = (read: Snapshot, filter: Omit<Filter, 'dealer'>): Slices<ShoeLine> =>
  read.slices<ShoeLine>(...shoesQuery(filter));

function shoesQuery(filter: Omit<Filter, 'dealer'>, paging?: Paging): RowQuery {
  const where = new Where().filter('s', filter, 'null');
  if (paging?.cursor !== undefined)
    where.and(
      '(s.gaming_day, s.opened_at, s.ref, s."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  return [
    `select ${SHOE_SELECT} from shoe s ${where.sql} order by s.gaming_day desc, s.opened_at desc, s.ref desc, s."table" desc ${limitOf(paging)}`,
    where.parameters,
  ];
}

/**
 * Returns a shoe by the reference of its opening, or undefined if it does not exist or its table is
 * not in the scope. Throws `SeveralTables` if `at` leaves more than one.
 */
export async function shoe(
  read: Snapshot,
  ref: string,
  at: AtTable = {},
): Promise<ShoeWhole | undefined> {
  const where = new Where().named('s.ref = ?', ref).filter('s', at, 'null');
  const found = await read.rows<ShoeLine & Pick<ShoeRow, (typeof OF_WHOLE)[number]>>(
    `select ${SHOE_SELECT}, ${SHOE.select('s', OF_WHOLE)} from shoe s ${where.sql} limit 2`,
    where.parameters,
  );
  const row = onlyOne(found);
  if (!row) return undefined;
  const ledger = await read.rows<Omit<ShoeLedgerLine, 'outstanding'>>(
    `select ${LEDGER.select('l', ['seat', ...AMOUNTS])} from ledger l where l.shoe_ref = $1 and l."table" = $2 order by l.seat`,
    [row.ref, row.table],
  );
  const coupRows = await read.rows<CoupRead>(
    `select ${COUP_SELECT} from coup c where c.shoe_ref = $1 and c."table" = $2 order by c.coup, c.ref limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  const raised = await read.rows<FindingRead>(
    `select ${FINDING_SELECT} from finding f where f.shoe_ref = $1 and f."table" = $2 order by f.withdrawn_because is not null, f.severity, f.at, f.code, f.id limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  const doubts = await read.rows<{ readonly body: Unjudgeable }>(
    `select u.body from unjudgeable u where u.shoe_ref = $1 and u."table" = $2 order by u.coup nulls first, u.key limit ${PAGE_MAX}`,
    [row.ref, row.table],
  );
  return {
    ...row,
    ledger: ledger.map((line) => ({
      ...line,
      outstanding: line.marked - line.collected - line.waived,
    })),
    coupLines: coupRows.map(coupLine),
    raised: raised.map((finding) => findingLine(finding, at.viewer)),
    unjudgeable: doubts.map(({ body }) => body),
  };
}
