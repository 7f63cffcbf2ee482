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
  /**
   * Moves the focus to the current row once that is rendered. `from` is what has the focus now: if
   * the person moves it from there, or from nowhere, before that, it stays where they want.
   */
  readonly takeFocus: (from?: Element | null) => void;
  readonly wantsFocus: () => boolean;
  /** Moves the focus to the element of the current row. */
  readonly giveFocus: (row: HTMLElement) => void;
}

/**
 * Returns the current row of a list. It is remembered with the rows. When they come back it gets
 * the focus, unless something else has it, such as the filter that was pressed. Where it leaves the
 * list with the focus, the row that takes its place gets that.
 */
export function useCurrent(rows: QueueRows): Current {
  const [, render] = useState(0);
  const lastPlace = useRef(-1);
  const focus = useFocusWanted(rows.place.id !== undefined);
  const choose = useCallback(
    (id: string | undefined) => {
      rows.remember({ id });
      render((count) => count + 1);
    },
    [rows],
  );
  if (hasLeft(rows) && isFocusAt(rows.place.id)) focus.want(document.activeElement);
  const place = placeNow(rows, lastPlace.current);
  lastPlace.current = place;
  return {
    place,
    row: rows.at(place),
    choose,
    move: (by) => {
      const next = Math.min(Math.max(place + by, 0), rows.length - 1);
      focus.want();
      choose(rows.at(next)?.id);
    },
    focused: (target) => {
      const id = target.closest<HTMLElement>('[data-id]')?.dataset['id'];
      if (id !== undefined && id !== rows.place.id) choose(id);
    },
    takeFocus: (from) => {
      focus.want(from);
      render((count) => count + 1);
    },
    wantsFocus: focus.isWanted,
    giveFocus: (row) => {
      focus.end();
      row.focus({ preventScroll: true });
    },
  };
}

interface FocusWanted {
  /** Wants it, if given, only until the person moves it from an element. */
  readonly want: (from?: Element | null) => void;
  readonly isWanted: () => boolean;
  readonly end: () => void;
}

/** Returns whether the focus is wanted: at first, only if nothing else has it. */
function useFocusWanted(isFirst: boolean): FocusWanted {
  const wanted = useRef<'always' | 'if unmoved' | 'no'>(isFirst ? 'if unmoved' : 'no');
  const movedFrom = useRef<Element | null>(null);
  const isMoved = (): boolean => !isFocusFree() && document.activeElement !== movedFrom.current;
  return {
    want: (from) => {
      movedFrom.current = from ?? null;
      wanted.current = from === undefined ? 'always' : 'if unmoved';
    },
    isWanted: () => {
      if (wanted.current === 'if unmoved' && isMoved()) wanted.current = 'no';
      return wanted.current !== 'no';
    },
    end: () => void (wanted.current = 'no'),
  };
}

/** Returns whether nothing has the focus, so that nobody is using anything else. */
const isFocusFree = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** Returns whether the current row is no longer among the rows. */
const hasLeft = (rows: QueueRows): boolean =>
  rows.place.id !== undefined && rows.placeOf(rows.place.id) < 0;

/** Returns whether a row has the focus, or had it until it was taken out of the page. */
const isFocusAt = (id: string | undefined): boolean =>
  isFocusFree() || document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset['id'] === id;

/** A finding that left the list leaves its place to the next one. */
function placeNow(rows: QueueRows, before: number): number {
  const found = rows.placeOf(rows.place.id);
  if (found >= 0 || rows.place.id === undefined) return found;
  const next = before < 0 ? rows.placeAfterFocus() : before;
  const place = Math.min(next, rows.length - 1);
  rows.remember({ id: rows.at(place)?.id });
  return place;
}
