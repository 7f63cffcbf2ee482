import type { EventType } from '#audit';
import { HOUSE_EVENT, type HouseEventRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import type { RowQuery, Slices, Snapshot } from '../reading/snapshot-read.js';
import { Where, type Filter } from '../reading/where.js';

const SHOWN = ['ref', 'type', 'by', 'at', 'gamingDay', 'data'] as const;

/** An act in the house as lists show it. */
export type HouseEventLine = Pick<HouseEventRow, (typeof SHOWN)[number]>;

/** The filter of the record of the house, which belongs to no table. */
export interface HouseEventsFilter extends Pick<Filter, 'from' | 'to'> {
  readonly type?: readonly EventType[];
  readonly by?: string;
}

const LIST = 'house-events';

/** Returns a page of the record of the house, the latest act first. */
export async function houseEvents(
  read: Snapshot,
  filter: HouseEventsFilter,
  paging: Paging,
): Promise<Page<HouseEventLine>> {
  const rows = await read.rows<HouseEventLine>(...houseEventsQuery(filter, paging));
  return pageOf(LIST, rows, paging, ({ gamingDay, at, ref }) => [gamingDay, at, ref]);
}

/** Yields the whole record that `houseEvents` returns in pages. */
export const everyHouseEvent = (
  read: Snapshot,
  filter: HouseEventsFilter,
): Slices<HouseEventLine> => read.slices<HouseEventLine>(...houseEventsQuery(filter));

function houseEventsQuery({ type, by, from, to }: HouseEventsFilter, paging?: Paging): RowQuery {
  const where = new Where()
    .given('h.type = any(?)', type)
    .named('h."by" = ?', by)
    .given('h.gaming_day >= ?', from)
    .given('h.gaming_day <= ?', to);
  if (paging?.cursor !== undefined)
    where.and(
      '(h.gaming_day, h."at", h.ref) < (?, ?, ?)',
      ...cursorKey(paging.cursor, LIST, ['day', 'time', 'text']),
    );
  return [
    `select ${HOUSE_EVENT.select('h', SHOWN)} from house_event h ${where.sql}
     order by h.gaming_day desc, h."at" desc, h.ref desc ${limitOf(paging)}`,
    where.parameters,
  ];
}
