import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Change, useBeginning, useChanges, useLiveness } from './live.js';

/** A busy table changes many times a second. It is read again at most this often. */
const PAUSE_MS = 300;

/**
 * Reads queries again while changes arrive that concern them: at once, and then one read at a time.
 * What changes during a read is read after it. Reads them also when the stream begins, for changes
 * before that do not come, and when it is back, for a read may have failed meanwhile. `sharedMs` is
 * how old an answer may be that the server shares among requests: so long after the last change, it
 * is read once more.
 */
export function useReread(
  keys: readonly QueryKey[],
  concerns: (change: Change) => boolean,
  sharedMs = 0,
): void {
  const queries = useQueryClient();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  const state = useRef({ isChanged: false, isReading: false });
  const hasChanged = (): boolean => state.current.isChanged;
  const readAll = () =>
    Promise.all(latest.current.map((queryKey) => readFromNow(queries, queryKey)));
  const read = async (): Promise<void> => {
    if (state.current.isReading) return;
    state.current.isReading = true;
    while (hasChanged()) {
      state.current.isChanged = false;
      await readAll();
      await pause(PAUSE_MS);
      if (sharedMs === 0 || hasChanged()) continue;
      await pause(sharedMs - PAUSE_MS);
      if (!hasChanged()) await readAll();
    }
    state.current.isReading = false;
  };
  const begin = (): void => {
    state.current.isChanged = true;
    void read();
  };
  useChanges((change) => {
    if (concerns(change)) begin();
  });
  useBeginning(begin);
  useBack(begin);
}

/** Reads a query again. A first read that is under way may have missed the change: it ends first. */
async function readFromNow(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const state = queries.getQueryState(queryKey);
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey, exact: true });
  if (state?.data === undefined && state?.fetchStatus === 'fetching') await again(); // joins it
  await again();
}

/** Calls back when changes arrive again after they did not. */
function useBack(back: () => void): void {
  const { is } = useLiveness();
  const latest = useRef(back);
  const wasLost = useRef(false);
  useEffect(() => {
    latest.current = back;
  });
  useEffect(() => {
    if (is === 'live' && wasLost.current) latest.current();
    wasLost.current = is === 'lost' || (wasLost.current && is !== 'live');
  }, [is]);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the table that a change belongs to. */
export function tableOf(change: Change): string {
  switch (change.is) {
    case 'finding':
      return change.finding.table;
    case 'coup':
      return change.coup.table;
    case 'shoe':
      return change.shoe.table;
    case 'table':
      return change.table.table;
  }
}
