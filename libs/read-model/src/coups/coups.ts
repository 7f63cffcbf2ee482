import { COUP, type CoupDetail, type CoupRow } from '../entities/index.js';
import { against, standing, type Standing } from '../findings/standing.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

/** The columns of a coup that lists show. */
export const COUP_FIELDS = [
  'ref',
  'shoeRef',
  'table',
  'shoe',
  'coup',
  'kind',
  'state',
  'outcome',
  'dealer',
  'openedAt',
  'endedAt',
  'gamingDay',
] as const;

/** A coup in a list, with its findings counted. */
export interface CoupLine extends Pick<CoupRow, (typeof COUP_FIELDS)[number]>, Standing {
  /** The cards of the hand, in the order drawn; null for an unread card. */
  readonly player: readonly (string | null)[];
  readonly banker: readonly (string | null)[];
}

/** The filter of the list of coups. */
export interface CoupsFilter extends Filter {
  /** The shoe, by the reference of its opening. */
  readonly shoeRef?: string;
  /** The shoe, by its id, which is unique at its table. */
  readonly shoe?: string;
  /** `true` selects coups with a standing finding, `false` coups without one. */
  readonly flagged?: boolean;
}

/** A coup as `COUP_SELECT` selects it. */
export type CoupRead = Pick<CoupRow, 'detail' | (typeof COUP_FIELDS)[number]> & Standing;

/** The select list of coups with their findings counted, for `from coup c`. */
export const COUP_SELECT = `${COUP.select('c', [...COUP_FIELDS, 'detail'])}, ${standing('c', 'coup_ref')}`;

/** Returns a coup as lists show it. */
export const coupLine = ({ detail, findings, worst, ...row }: CoupRead): CoupLine => ({
  ...row,
  player: cardsOn(detail, 'player'),
  banker: cardsOn(detail, 'banker'),
  findings,
  worst,
});

const cardsOn = ({ cards }: CoupDetail, hand: string): (string | null)[] =>
  cards.filter(({ to }) => to === hand).map(({ card }) => card);

const LIST = 'coups';

/** Returns coups, the latest first, including open and void ones. */
export async function coups(
  read: Snapshot,
  filter: CoupsFilter,
  paging: Paging,
): Promise<Page<CoupLine>> {
  const rows = await read.rows<CoupRead>(...coupsQuery(filter, paging));
  return pageOf(LIST, rows.map(coupLine), paging, ({ gamingDay, openedAt, ref, table }) => [
    gamingDay,
    openedAt,
    ref,
    table,
  ]);
}

/** Yields all the coups that `coups` returns in pages. */
export async function* everyCoup(read: Snapshot, filter: CoupsFilter): Slices<CoupLine> {
  for await (const rows of read.slices<CoupRead>(...coupsQuery(filter))) yield rows.map(coupLine);
}

function coupsQuery(filter: CoupsFilter, paging?: Paging): RowQuery {
  const where = new Where()
    .filter('c', filter, 'null')
    .named('c.shoe_ref = ?', filter.shoeRef)
    .named('c.shoe = ?', filter.shoe);
  if (filter.flagged !== undefined)
    where.and(
      `${filter.flagged ? '' : 'not '}exists (select from finding f where ${against('c', 'coup_ref')})`,
    );
  if (paging?.cursor !== undefined)
    where.and(
      '(c.gaming_day, c.opened_at, c.ref, c."table") < (?, ?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text', 'text']),
    );
  return [
    `select ${COUP_SELECT} from coup c ${where.sql} order by c.gaming_day desc, c.opened_at desc, c.ref desc, c."table" desc ${limitOf(paging)}`,
    where.parameters,
  ];
}
