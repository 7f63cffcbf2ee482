import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { type Answers, answered, api, dataOf } from '../api/client.js';
import { queries } from '../api/queries.js';
import { useMe } from '../app/me.js';
import { useChanges } from '../live/live.js';
import { usePolicy } from '../review/policy.js';
import { belongs, countQuery, listQuery, type QueueFilter } from './filter.js';
import { type Page, QueueRows } from './rows.js';

/** Rows that nobody looks at are let go soon, for there may be many. */
const KEPT_MS = 60_000;
/** Rows that were read longer ago are those of an earlier visit. */
const FRESH_MS = 1_000;

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
  return { lines, next: after, at: Number.isNaN(at) ? Date.now() : at };
}

/** The rows of a queue. They are read when it is shown, and again only when somebody asks. */
const rowsQuery = (filter: QueueFilter) => {
  const query = listQuery(filter);
  return queryOptions({
    queryKey: ['queue', 'rows', query],
    queryFn: () =>
      QueueRows.open((cursor, limit) => readPage(query, cursor, limit), query['order'] === 'queue'),
    staleTime: Infinity,
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

/** Reads the counts again, because what they count was read again. */
export const readFacetsAgain = (): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['queue', 'facets'] });

/** Returns the counts of a filter. While another is read, those of the last one stay. */
export const useFacets = (filter: QueueFilter, enabled = true) =>
  useQuery({ ...facetsQuery(filter), enabled, placeholderData: keepPreviousData });

/**
 * Returns the rows of a filter, and keeps them up to date in place. Rows that were read when the
 * screen was shown before are read again behind the scenes.
 */
export function useQueue(filter: QueueFilter) {
  const query = useQuery(rowsQuery(filter));
  const { data: rows, dataUpdatedAt } = query;
  const { person } = useMe();
  const policy = usePolicy();
  useChanges((change) => {
    if (change.is === 'finding')
      rows?.change(change.finding, belongs(change.finding, filter, { person, policy }));
  });
  useEffect(() => {
    if (!rows || Date.now() - dataUpdatedAt < FRESH_MS) return;
    void rows.show(rows.place.id);
    void readFacetsAgain();
  }, [rows, dataUpdatedAt]);
  return query;
}

/** Follows the rows. Many changes in one frame are drawn once. */
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
