import { useCallback, useRef, useState } from 'react';
import type { QueueRows, Row } from './rows.js';

/** The row that keys act on. It is a finding, not a place: it stays the same wherever it moves. */
export interface Current {
  /** Its place, or -1 before the first key. */
  readonly place: number;
  readonly row: Row | undefined;
  /** Moves by rows, to the first or last at most, and takes the focus along. */
  readonly move: (by: number) => void;
  /** Makes a row the current one. */
  readonly choose: (id: string | undefined) => void;
  /** Makes the row of an element that got the focus the current one. */
  readonly focused: (target: Element) => void;
  /** Moves the focus to the current row once it is drawn. */
  readonly takeFocus: () => void;
  readonly wantsFocus: () => boolean;
  /** Moves the focus to the element of the current row. */
  readonly giveFocus: (row: HTMLElement) => void;
}

/** Returns the current row of a list. It is remembered with the rows, for when they come back. */
export function useCurrent(rows: QueueRows): Current {
  const [, draw] = useState(0);
  const lastPlace = useRef(-1);
  const wants = useRef(rows.place.id !== undefined);
  const choose = useCallback(
    (id: string | undefined) => {
      rows.remember({ id });
      draw((count) => count + 1);
    },
    [rows],
  );
  const place = placeNow(rows, lastPlace.current);
  lastPlace.current = place;
  return {
    place,
    row: rows.at(place),
    choose,
    move: (by) => {
      const next = Math.min(Math.max(place + by, 0), rows.length - 1);
      wants.current = true;
      choose(rows.at(next)?.id);
    },
    focused: (target) => {
      const id = target.closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (id !== undefined && id !== rows.place.id) choose(id);
    },
    takeFocus: () => {
      wants.current = true;
      draw((count) => count + 1);
    },
    wantsFocus: () => wants.current,
    giveFocus: (row) => {
      wants.current = false;
      row.focus({ preventScroll: true });
    },
  };
}

/** A finding that left the list leaves its place to the next one. */
function placeNow(rows: QueueRows, before: number): number {
  const found = rows.placeOf(rows.place.id);
  if (found >= 0 || rows.place.id === undefined) return found;
  const next = before < 0 ? rows.placeAfterFocus() : before;
  const place = Math.min(next, rows.length - 1);
  rows.remember({ id: rows.at(place)?.id });
  return place;
}
