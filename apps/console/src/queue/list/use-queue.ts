import { hashKey, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Answers, answered, api, dataOf } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { useMe } from '../../app/session/me.js';
import { streamHasBegun, useBeginning, useChanges } from '../../live/live.js';
import { usePolicy } from '../../review/policy.js';
import { belongs, countQuery, listQuery, type QueueFilter } from '../filter/filter.js';
import {
  type Page,
  placeAtTop,
  type PlaceKept,
  QueueRows,
  type ReadPage,
  type RowOrder,
} from './rows.js';

type Finding = Answers['FindingAnswer'];

/** Rows that nobody looks at are let go soon, for there may be many. */
const KEPT_MS = 60_000;

async function readPage(
  query: Readonly<Record<string, string>>,
  cursor: string | null,
  limit: number,
): Promise<Page> {
  const asked = { ...query, limit, ...(cursor !== null && { cursor }) };
  const { data, response } = await answered(
    // the texts of an address, which the server checks
    api.GET('/v1/findings', { params: { query: asked as never } }),
  );
  const { lines, next: after } = data as Answers['FindingsAnswer'];
  const at = Date.parse(response.headers.get('date') ?? '');
  const positions = response.headers.get('log-position') ?? '';
  return { lines, next: after, at: Number.isNaN(at) ? Date.now() : at, positions };
}

/**
 * Reads one finding as the list has it, for opening it would count as a look. Returns undefined if
 * this person may not see it.
 */
async function readOne(id: string): Promise<Finding | undefined> {
  const { lines } = await readPage({ q: id, status: 'all' }, null, 1);
  return lines.find((finding) => finding.id === id);
}

/** Where the person was in a queue is kept until they sign out. */
const PLACES = ['queue', 'place'] as const;
queries.setQueryDefaults(PLACES, { gcTime: Infinity });

const placeIn = (query: Readonly<Record<string, string>>): PlaceKept => {
  const key = [...PLACES, query];
  const kept = queries.getQueryData<PlaceKept>(key);
  if (kept) return kept;
  const place = placeAtTop();
  queries.setQueryData(key, place);
  return place;
};

/** The rows of a queue. They are read when it is shown, and again only when somebody asks. */
const rowsQuery = (filter: QueueFilter) => {
  const query = listQuery(filter);
  const read: ReadPage = (cursor, limit) => readPage(query, cursor, limit);
  return queryOptions({
    queryKey: ['queue', 'rows', query],
    // the server refuses an order that it does not know
    queryFn: () => QueueRows.open(read, query['order'] as RowOrder, placeIn(query)),
    staleTime: ({ state }) => (state.data === undefined ? Infinity : 'static'),
    gcTime: KEPT_MS,
    structuralSharing: false,
  });
};

/** The counts beside the filters, as of when the rows were read. */
const facetsQuery = (filter: QueueFilter) => {
  const query = countQuery(filter);
  return queryOptions({
    queryKey: ['queue', 'facets', query],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/findings/facets', { params: { query: query as never }, signal })),
    staleTime: Infinity,
    gcTime: KEPT_MS,
  });
};

/** Reads the rows and their counts again. Resolves once the rows are there. */
export function readAgain(rows: QueueRows): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['queue', 'facets'] });
  return rows.show();
}

/** Returns the counts of a filter. While another is read, those of the last one stay. */
export const useFacets = (filter: QueueFilter, enabled = true) =>
  useQuery({ ...facetsQuery(filter), enabled, placeholderData: keepPreviousData });

/** The rows that a screen has shown. What it shows again may have changed meanwhile. */
const shown = new WeakSet<QueueRows>();

/**
 * Begins to read the rows of a filter before their screen is there. What fails is read again, and
 * shown, by the screen.
 */
export const readAhead = (filter: QueueFilter): void =>
  void queries.query(rowsQuery(filter)).catch(() => undefined);

/**
 * Returns the rows of a filter, and keeps them up to date in place. Rows that were read before the
 * screen is shown are read again behind the scenes, unless they were read ahead of it and the
 * stream has yet to begin: then the beginning says whether they have missed something.
 */
export function useQueue(filter: QueueFilter) {
  const options = rowsQuery(filter);
  const hash = hashKey(options.queryKey);
  // what was there before the first rendering was read before this screen listened to changes
  const [known, setKnown] = useState({ hash, rows: queries.getQueryData(options.queryKey) });
  if (known.hash !== hash) setKnown({ hash, rows: queries.getQueryData(options.queryKey) });
  const query = useQuery(options);
  const { data: rows } = query;
  useArrivals(rows, filter);
  useEffect(() => {
    if (!rows) return;
    const mayHaveMissed = shown.has(rows) || streamHasBegun();
    shown.add(rows);
    if (rows === known.rows && mayHaveMissed) void readAgain(rows);
  }, [rows, known]);
  return query;
}

/** What the stream said while the rows were being read, and where it began. */
interface Heard {
  readonly findings: Map<string, Finding>;
  beganAt: string | undefined;
}

/**
 * Passes changes on to the rows, also those that came while the rows were being read. What happened
 * before the stream began does not come: if the rows do not include it they are read again. Where
 * the stream begins once more, after the machine slept for example, they stay in their places.
 */
function useArrivals(rows: QueueRows | undefined, filter: QueueFilter): void {
  const { person } = useMe();
  const policy = usePolicy();
  const heard = useRef<Heard>({ findings: new Map(), beganAt: undefined });
  const hadBegun = useRef(false);
  const take = (finding: Finding): void =>
    rows?.change(finding, belongs(finding, filter, { person, policy }));
  const begin = (at: string): void => {
    const isFirst = !hadBegun.current;
    hadBegun.current = true;
    if (!rows || rows.includes(at)) return;
    void (isFirst ? readAgain(rows) : rows.compare(readOne));
  };
  useChanges((change) => {
    if (change.is !== 'finding') return;
    if (rows) take(change.finding);
    else heard.current.findings.set(change.finding.id, change.finding);
  });
  useBeginning((at) => {
    if (rows) begin(at);
    else heard.current.beganAt = at;
  });
  const late = useEffectEvent(() => {
    const { findings, beganAt } = heard.current;
    heard.current = { findings: new Map(), beganAt: undefined };
    hadBegun.current = streamHasBegun() && beganAt === undefined;
    for (const finding of findings.values()) take(finding);
    if (beganAt !== undefined) begin(beganAt);
  });
  useEffect(() => {
    if (rows) late();
  }, [rows]);
}

/** Follows the rows. Many changes in one frame are rendered once. */
export function useRows(rows: QueueRows): number {
  const subscribe = useCallback(
    (changed: () => void) => {
      let frame: number | undefined;
      const stop = rows.subscribe(() => {
        frame ??= requestAnimationFrame(() => {
          frame = undefined;
          changed();
        });
      });
      return () => {
        stop();
        if (frame !== undefined) cancelAnimationFrame(frame);
      };
    },
    [rows],
  );
  return useSyncExternalStore(subscribe, rows.version);
}
