import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** A longer table has only the lines in sight in the page. */
const WHOLE_MAX = 500;
const OVERSCAN = 20;
const LINE_PX = 33;

/** A line that is in the page, and the room of those that are not, before it. */
interface LineInSight {
  readonly place: number;
  readonly gapPx: number;
}

/** The lines of a table that are in the page. */
export interface InSight {
  readonly lines: readonly LineInSight[];
  /** The room of the lines after the last one. */
  readonly afterPx: number;
  /** Takes the height of a rendered line, whose place is its `data-index`. */
  readonly measure: (line: HTMLElement | null) => void;
}

/**
 * Returns which lines of a table are in the page: all of a short one, and all on paper. The line
 * with the focus stays, or the focus would be lost.
 */
export function useInSight(table: RefObject<HTMLTableElement | null>, count: number): InSight {
  const isAll = usePrinting() || count <= WHOLE_MAX;
  const focused = useFocused(table);
  const top = useTop(table);
  // It renders the table alone, which is not memoized.
  const virtual = useWindowVirtualizer({
    count: isAll ? 0 : count,
    estimateSize: () => LINE_PX,
    scrollMargin: top,
    rangeExtractor: ({ startIndex, endIndex }) => {
      const first = Math.max(0, startIndex - OVERSCAN);
      const last = Math.min(count - 1, endIndex + OVERSCAN);
      const range = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      if (focused === undefined || focused >= count) return range;
      if (focused < first) return [focused, ...range];
      return focused > last ? [...range, focused] : range;
    },
  });
  useWidths(table, isAll);
  if (isAll) return { lines: allOf(count), afterPx: 0, measure: nothing };
  let end = top;
  const lines = virtual.getVirtualItems().map((item): LineInSight => {
    const gapPx = item.start - end;
    end = item.end;
    return { place: item.index, gapPx };
  });
  return { lines, afterPx: virtual.getTotalSize() + top - end, measure: virtual.measureElement };
}

const nothing = (): void => undefined;
const allOf = (count: number): LineInSight[] =>
  Array.from({ length: count }, (_, place) => ({ place, gapPx: 0 }));

/** Returns whether the page is being printed. The lines are there before the browser prints. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const before = (): void => flushSync(() => setPrinting(true));
    const after = (): void => setPrinting(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
  return isPrinting;
}

/** Returns the place of the line that has the focus. */
function useFocused(table: RefObject<HTMLTableElement | null>): number | undefined {
  const [focused, setFocused] = useState<number>();
  useEffect(() => {
    const element = table.current;
    const note = ({ target }: FocusEvent): void => {
      const line = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
      setFocused(line ? Number(line.dataset['index']) : undefined);
    };
    element?.addEventListener('focusin', note);
    return () => element?.removeEventListener('focusin', note);
  }, [table]);
  return focused;
}

/** Returns how far the lines are from the top of the page. What is above them may grow. */
function useTop(table: RefObject<HTMLTableElement | null>): number {
  const [top, setTop] = useState(0);
  useEffect(() => {
    const look = (): void => {
      const body = table.current?.tBodies[0];
      if (body) setTop(Math.round(body.getBoundingClientRect().top + scrollY));
    };
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    look();
    return () => observer.disconnect();
  }, [table]);
  return top;
}

/** Keeps columns as wide as they were: the lines that come into sight may be shorter. */
function useWidths(table: RefObject<HTMLTableElement | null>, isAll: boolean): void {
  useLayoutEffect(() => {
    const heads = table.current?.tHead?.rows[0]?.cells ?? [];
    for (const head of heads) {
      const kept = Number.parseFloat(head.style.minWidth) || 0;
      head.style.minWidth = isAll ? '' : `${Math.max(kept, head.offsetWidth)}px`;
    }
  });
  useEffect(() => {
    const forget = (): void => {
      for (const head of table.current?.tHead?.rows[0]?.cells ?? []) head.style.minWidth = '';
    };
    addEventListener('resize', forget);
    return () => removeEventListener('resize', forget);
  }, [table]);
}
