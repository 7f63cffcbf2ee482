import { HOUSE_TABLE } from '#audit';
import {
  COUP,
  PARKED,
  SHOE,
  TABLE_STATE,
  type CoupDetail,
  type CoupRow,
  type ParkedRow,
  type ShoeRow,
  type TableRow,
} from '../entities/index.js';
import { standing, type Standing } from '../findings/standing.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { keyOf } from '../database/schema-keys.js';
import { Where } from '../reading/where.js';

const OF_TABLE = ['dealer', 'lastEventTime', 'lastReceived'] as const;
/** The counts of a table that lists show. */
export const TABLE_EVENT_FIELDS = [
  'read',
  'admitted',
  'duplicates',
  'equivocal',
  'late',
  'stray',
] as const;
/** The columns of an open shoe that lists show with its table. */
export const TABLE_SHOE_FIELDS = [
  'ref',
  'shoe',
  'rules',
  'decks',
  'kind',
  'currency',
  'coups',
  'cards',
  'unread',
  'openedAt',
  'gamingDay',
] as const;
/** The columns of an open coup that lists show with its table. */
export const TABLE_COUP_FIELDS = ['ref', 'coup', 'kind', 'openedAt'] as const;
const OF_PARKED = ['partition', 'offset', 'line', 'reason'] as const;

/** The current state of a table. Its times are null if none of its events was judged. */
export interface TableLine extends Nullable<Pick<TableRow, (typeof OF_TABLE)[number]>> {
  readonly table: string;
  /** The open shoe. */
  readonly shoe: TableShoe | null;
  /** The open coup, with its cards so far. */
  readonly coup: TableCoup | null;
  /**
   * The counts by admission of all events of this table; null if it was parked at its first event.
   */
  readonly events: TableEvents | null;
  /** The event at which the table is parked and the reason; null if the table is not parked. */
  readonly parked: Pick<ParkedRow, (typeof OF_PARKED)[number]> | null;
}

type Nullable<Row> = { readonly [field in keyof Row]: Row[field] | null };

/** The open shoe of a table, with its findings counted. */
export type TableShoe = Pick<ShoeRow, (typeof TABLE_SHOE_FIELDS)[number]> & Standing;

/** The open coup of a table, with its cards and bets so far. */
export type TableCoup = Pick<CoupRow, (typeof TABLE_COUP_FIELDS)[number]> &
  Pick<CoupDetail, 'cards' | 'bets'>;

/** How many events of a table admission read, and what it made of them. */
export type TableEvents = Pick<TableRow, (typeof TABLE_EVENT_FIELDS)[number]>;

const LIST = 'tables';

interface TablesFilter {
  readonly scope?: readonly string[];
  readonly table?: string;
}

/**
 * A row of the query: the parts of a line, each field after the name of its part. All fields of a
 * missing part are null.
 */
type TableRead = Pick<TableLine, 'dealer' | 'lastEventTime' | 'lastReceived'> &
  Readonly<Record<string, unknown>> & { readonly key: string; readonly table: string };

const COLUMNS = `n."table" as key, n.name as "table", ${TABLE_STATE.select('t', OF_TABLE)},
            ${TABLE_STATE.select('t', TABLE_EVENT_FIELDS, 'events.')},
            ${SHOE.select('s', TABLE_SHOE_FIELDS, 'shoe.')}, ${standing('s', 'shoe_ref', 'shoe.')},
            ${COUP.select('c', [...TABLE_COUP_FIELDS, 'detail'], 'coup.')},
            ${PARKED.select('p', OF_PARKED, 'parked.')}`;

/** Every table that sent events, those included that are parked at their first one. */
const NAMES = '(select "table", name from table_state union select "table", name from parked)';

/**
 * Returns all tables that have sent events, by name, without the record of the house. A parked
 * table is shown as it was before the event that it is parked at.
 */
export async function tables(
  read: Snapshot,
  filter: TablesFilter,
  paging: Paging,
): Promise<Page<TableLine>> {
  const rows = await read.rows<TableRead>(...tablesQuery(filter, paging));
  const { lines, next } = pageOf(LIST, rows, paging, (row) => [row.key]);
  return { lines: lines.map(tableLine), next };
}

/** Yields all the tables that `tables` returns in pages. */
export async function* everyTable(read: Snapshot, filter: TablesFilter): Slices<TableLine> {
  for await (const rows of read.slices<TableRead>(...tablesQuery(filter)))
    yield rows.map(tableLine);
}

/**
 * Returns the whole id of a table that has sent events, or undefined if there is none in `scope`.
 * The record of the house is a table here.
 */
export async function tableSeen(
  read: Snapshot,
  { table, scope }: Required<Pick<TablesFilter, 'table'>> & TablesFilter,
): Promise<string | undefined> {
  const where = new Where()
    .named('n."table" = ?', table)
    .given('n."table" = any(?)', scope?.map(keyOf));
  const [row] = await read.rows<{ readonly name: string }>(
    `select n.name from ${NAMES} n ${where.sql} limit 1`,
    where.parameters,
  );
  return row?.name;
}

function tablesQuery({ scope, table }: TablesFilter, paging?: Paging): RowQuery {
  const where = new Where()
    .and('n."table" <> ?', HOUSE_TABLE)
    .given('n."table" = any(?)', scope?.map(keyOf))
    .named('n."table" = ?', table);
  if (paging?.cursor !== undefined)
    where.and('n."table" > ?', ...cursorKey(paging.cursor, LIST, ['text']));
  return [
    `select ${COLUMNS}
     from ${NAMES} n
     left join table_state t on t."table" = n."table"
     left join parked p on p."table" = n."table"
     left join shoe s on s.ref = t.shoe_ref and s."table" = t."table" and not s.closed
     left join lateral (
       select * from coup c where c.shoe_ref = s.ref and c."table" = s."table" and c.state = 'open'
       order by c.coup desc, c.ref desc limit 1) c on true
     ${where.sql} order by n."table" ${limitOf(paging)}`,
    where.parameters,
  ];
}

function tableLine(row: TableRead): TableLine {
  const { table, dealer, lastEventTime, lastReceived } = row;
  const shoe = part<TableShoe>(row, 'shoe', 'ref');
  const coup = part<TableCoup & Pick<CoupRow, 'detail'>>(row, 'coup', 'ref');
  return {
    table,
    dealer,
    lastEventTime,
    lastReceived,
    shoe,
    coup: coup && coupOf(coup),
    events: part<TableEvents>(row, 'events', 'read'),
    parked: part<NonNullable<TableLine['parked']>>(row, 'parked', 'reason'),
  };
}

function coupOf({ detail, ...coup }: TableCoup & Pick<CoupRow, 'detail'>): TableCoup {
  return { ...coup, cards: detail.cards, bets: detail.bets };
}

/**
 * Returns the fields of a part, or null if the part is missing. `sure` is a field that is null only
 * if the part is missing.
 */
function part<Part>(row: TableRead, name: string, sure: keyof Part & string): Part | null {
  if (row[`${name}.${sure}`] === null) return null;
  const prefix = `${name}.`;
  return Object.fromEntries(
    Object.entries(row)
      .filter(([field]) => field.startsWith(prefix))
      .map(([field, value]) => [field.slice(prefix.length), value]),
  ) as Part;
}
