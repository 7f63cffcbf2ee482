import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Change, useChanges } from '../live/live.js';

/** A busy table changes many times a second. It is read again at most this often. */
const PAUSE_MS = 300;

/**
 * Reads queries again while changes arrive that concern them: at once, and then one read at a time.
 * What changes during a read is read after it. `sharedMs` is how old an answer may be that the
 * server shares among requests: so long after the last change, it is read once more.
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
    Promise.all(
      latest.current.map((queryKey) => queries.invalidateQueries({ queryKey, exact: true })),
    );
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
  useChanges((change) => {
    if (!concerns(change)) return;
    state.current.isChanged = true;
    void read();
  });
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
