import { type LinePosition, REVIEW_EVENT, type ReviewEventRow } from '../entities/index.js';
import { cursorKey, limitOf, pageOf, type Page, type Paging } from '../reading/cursor.js';
import { whole, type Snapshot } from '../reading/snapshot-read.js';
import { Where, type ReadBy } from '../reading/where.js';
import { findingAt, type FindingLocation } from './finding-location.js';
import { ACCUSATION } from './review.js';

/** The orders of a history. */
export const HISTORY_ORDERS = ['oldest', 'newest'] as const;
/** One of `HISTORY_ORDERS`. */
export type HistoryOrder = (typeof HISTORY_ORDERS)[number];

const SHOWN = ['ref', 'type', 'by', 'as', 'at', 'outcome'] as const;
const VIEWED = 'finding-viewed';

/** An act of a person on a finding, and what became of it. */
export interface HistoryAct extends Pick<ReviewEventRow, (typeof SHOWN)[number]> {
  /** What the act says. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether its texts, video and disposition are left out, because the viewer was involved. */
  readonly concealed: boolean;
}

/** How often people looked at a finding. One look is counted for a person and quarter hour. */
export interface Looks {
  readonly people: number;
  readonly looks: number;
  /** Who looked, the last first, at most 256; null for viewers who may not see it. */
  readonly by: readonly Looker[] | null;
}

/** A person who looked at a finding. */
export interface Looker {
  readonly person: string;
  readonly looks: number;
  readonly last: string;
}

/** A page of what people did about a finding, with what the game did, and who looked. */
export interface FindingHistory extends Page<HistoryAct> {
  readonly raised: { readonly at: string; readonly received: string | null };
  /** The reference of the event that withdrew it; null while it stands. */
  readonly withdrawnBecause: string | null;
  readonly looks: Looks;
}

/** Who reads a history. */
export interface HistoryReader extends ReadBy {
  /** Whether who looked is shown by name. */
  readonly seesLooks?: boolean;
}

type HistoryPaging = Paging & { readonly order?: HistoryOrder };
/** Which acts are wanted; all but looks if it is not set. */
interface ActsWanted {
  readonly types?: readonly ReviewEventRow['type'][];
}

/**
 * Returns a page of the acts on a finding, the oldest first, or undefined if it does not exist or
 * its table is not in the scope. Looks are counted and not listed.
 */
export async function findingHistory(
  read: Snapshot,
  id: string,
  reader: HistoryReader,
  { order = 'oldest', ...paging }: HistoryPaging,
): Promise<FindingHistory | undefined> {
  const location = await findingAt(read, id, reader);
  if (!location) return undefined;
  const { at, raisedAt, withdrawnBecause } = location;
  return {
    ...(await actsOn(read, location, reader, { order, ...paging })),
    raised: { at, received: raisedAt },
    withdrawnBecause,
    looks: await looksAt(read, location, reader.seesLooks === true),
  };
}

/** Returns a page of the acts on a finding, without looks. */
export async function actsOn(
  read: Snapshot,
  location: FindingLocation,
  { viewer }: ReadBy,
  { order = 'oldest', types, ...paging }: HistoryPaging & ActsWanted,
): Promise<Page<HistoryAct>> {
  const list = `history/${order}`;
  const where = actsAt(location).and(`r.type <> '${VIEWED}'`).given('r.type = any(?)', types);
  if (paging.cursor !== undefined)
    where.and(
      `(r."offset", r.line) ${order === 'oldest' ? '>' : '<'} (?, ?)`,
      ...cursorKey(paging.cursor, list, ['number', 'number']),
    );
  const way = order === 'oldest' ? 'asc' : 'desc';
  const rows = await read.rows<ReviewEventRow>(
    `select ${REVIEW_EVENT.select('r', [...SHOWN, 'data', 'offset', 'line'])}
     from review_event r ${where.sql}
     order by r."offset" ${way}, r.line ${way} ${limitOf(paging)}`,
    where.parameters,
  );
  const page = pageOf(list, rows, paging, ({ offset, line }) => [whole(offset), line]);
  const isAccused = await isConcealed(read, location, viewer);
  return {
    lines: page.lines.map((row) => historyAct(row, isAccused && row.by !== viewer)),
    next: page.next,
  };
}

/** What an act says apart from texts, video and disposition. */
const PLAIN = ['finding', 'as', 'lease', 'policy', 'evidence', 'proposal', 'ruling', 'confirmed'];

function historyAct(
  { data, offset: _, line: _line, ...row }: ReviewEventRow,
  concealed: boolean,
): HistoryAct {
  const shown = Object.entries(data).filter(([name]) => !concealed || PLAIN.includes(name));
  return { ...row, data: Object.fromEntries(shown), concealed };
}

/** Returns whether somebody proposed an accusation, and the viewer was involved. */
async function isConcealed(
  read: Snapshot,
  location: FindingLocation,
  viewer: string | undefined,
): Promise<boolean> {
  if (viewer === undefined || !location.people.includes(viewer)) return false;
  const where = actsAt(location).and("r.data ->> 'disposition' = ?", ACCUSATION);
  const found = await read.rows(
    `select from review_event r ${where.sql} limit 1`,
    where.parameters,
  );
  return found.length > 0;
}

/** Returns where in the log an act on a finding is, or undefined if the finding has no such act. */
export async function actAt(
  read: Snapshot,
  location: FindingLocation,
  ref: string,
): Promise<LinePosition | undefined> {
  const where = actsAt(location).named('r.ref = ?', ref);
  const [row] = await read.rows<Pick<ReviewEventRow, 'offset' | 'line'>>(
    `select ${REVIEW_EVENT.select('r', ['offset', 'line'])} from review_event r ${where.sql}`,
    where.parameters,
  );
  return row && [whole(row.offset), row.line];
}

const actsAt = ({ id, table }: FindingLocation): Where =>
  new Where().and('r.finding = ?', id).named('r."table" = ?', table);

/** The most people who are named as having looked. */
const LOOKERS_MAX = 256;

/** Returns how often people looked at a finding. */
export async function looksAt(
  read: Snapshot,
  location: FindingLocation,
  areNamed: boolean,
): Promise<Looks> {
  const where = actsAt(location).and(`r.type = '${VIEWED}'`);
  const rows = await read.rows<Looker & { readonly people: string; readonly all: string }>(
    `select r."by" as person, count(*) as looks, max(r."at") as last,
       count(*) over () as people, sum(count(*)) over () as "all"
     from review_event r ${where.sql} group by r."by" order by last desc, person limit ${LOOKERS_MAX}`,
    where.parameters,
  );
  const [first] = rows;
  return {
    people: whole(first?.people ?? 0),
    looks: whole(first?.all ?? 0),
    by: areNamed
      ? rows.map(({ person, looks, last }) => ({ person, looks: whole(looks), last }))
      : null,
  };
}
