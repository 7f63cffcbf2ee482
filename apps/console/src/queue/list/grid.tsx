import { useIsFetching } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { sentenceOf } from '../../app/failures.js';
import { Button } from '../../controls/button.js';
import { findingQuery } from '../../finding/finding-query.js';
import { usePolicy } from '../../review/policy.js';
import { useWords } from '../../words/words.js';
import type { Current } from './current.js';
import { QueueRow } from './row.js';
import { PAGE_ROWS, type QueueRows, type Row } from './rows.js';
import { useRows } from './use-queue.js';

interface Props {
  readonly rows: QueueRows;
  /** How many findings the filter has, once they are counted. */
  readonly total: number | undefined;
  readonly current: Current;
  readonly selected: ReadonlyMap<string, Row>;
  /** The finding that is shown beside the list. */
  readonly open: string | undefined;
  readonly onOpen: (row: Row) => void;
  readonly onSelect: (row: Row) => void;
}

/** The heights of a row in rem, by the width of the list in rem. The style sheet has the same. */
const SHAPES = [
  { is: 'narrow', below: 34, height: 8.5 },
  { is: 'middle', below: 62, height: 5 },
  { is: 'wide', below: Infinity, height: 3.5 },
] as const;
/** How a row looks until the list has been measured. */
const GUESSED = { is: 'wide', heightPx: 56 };
const OVERSCAN = 6;
const REST_MS = 150;
const NOW_MS = 30_000;

/** The findings of the queue, as a grid of which only the rows in sight are in the page. */
export function QueueGrid(props: Props): ReactNode {
  const { rows, total, current, open } = props;
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  useRows(rows);
  const measured = useShape(box);
  const shape = measured ?? GUESSED;
  const virtual = useRowsInSight(rows, box, shape.heightPx, current.place);
  useFocus(box, current, measured?.heightPx);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useReadOn(rows, last);
  // a list that waits for its next rows will move on, and needs none of the cards in between
  const isWaiting = last === rows.length - 1 && rows.isReadingOn;
  const isAtRest = useRest(rows, current.place, open) && !virtual.isScrolling && !isWaiting;
  return (
    <div
      ref={box}
      role="grid"
      aria-label={words('shell.queue')}
      aria-rowcount={total === undefined ? -1 : Math.max(total, rows.length)}
      aria-multiselectable
      className="queue-grid"
      data-shape={shape.is}
      onScroll={({ currentTarget }) => rows.remember({ top: currentTarget.scrollTop })}
      onKeyDown={(event) => {
        moveBy(event, current, box);
        actOnRow(event, props);
      }}
      onFocus={({ target }) => current.focused(target)}
    >
      <div
        role="rowgroup"
        className="queue-space"
        style={{ height: `${virtual.getTotalSize()}px` }}
      >
        <RowsInSight {...props} {...{ items, isAtRest }} />
      </div>
    </div>
  );
}

interface InSight extends Props {
  readonly items: readonly { readonly index: number; readonly start: number }[];
  readonly isAtRest: boolean;
}

function RowsInSight(props: InSight): ReactNode {
  const { rows, items, current, selected, open, isAtRest } = props;
  const { onOpen, onSelect } = useSame(props);
  const now = useNow();
  const policy = usePolicy(); // here, for a query of its own would make each row slower
  return items.map(({ index, start }) => {
    const row = rows.at(index);
    return row ? (
      <QueueRow
        key={row.id}
        {...{ row, now, policy, isAtRest, onOpen, onSelect }}
        place={index}
        top={start}
        isCurrent={index === Math.max(0, current.place)}
        isSelected={selected.has(row.id)}
        isOpen={row.id === open}
      />
    ) : null;
  });
}

type Calls = Pick<Props, 'onOpen' | 'onSelect'>;

/** Returns functions that stay the same and call the latest, so that no row is rendered for them. */
function useSame(props: Calls): Calls {
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const [same] = useState<Calls>(() => ({
    onOpen: (row) => latest.current.onOpen(row),
    onSelect: (row) => latest.current.onSelect(row),
  }));
  return same;
}

function useRowsInSight(
  rows: QueueRows,
  box: RefObject<HTMLDivElement | null>,
  heightPx: number,
  current: number,
) {
  // the same function for the same rows, or each frame would measure all of them again
  const keyOf = useCallback((index: number) => rows.at(index)?.id ?? index, [rows]);
  // It renders this component alone, which is not memoized.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => heightPx,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    initialOffset: rows.place.top,
    isScrollingResetDelay: REST_MS,
    // the row with the focus stays in the page, or the focus would be lost
    rangeExtractor: ({ startIndex, endIndex, count }) => {
      const first = Math.max(0, startIndex - OVERSCAN);
      const last = Math.min(count - 1, endIndex + OVERSCAN);
      const range = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      if (current < 0 || current >= count || (current >= first && current <= last)) return range;
      return current < first ? [current, ...range] : [...range, current];
    },
  });
  useLayoutEffect(() => virtual.measure(), [virtual, heightPx]);
  return virtual;
}

/**
 * Returns whether nothing has happened for a moment: nobody moves on by keys, the finding beside
 * the list is there, and no rows came that a scrolling list may have waited for.
 */
function useRest({ length }: QueueRows, place: number, open: string | undefined): boolean {
  const isOpening = useIsFetching({ queryKey: findingQuery(open ?? '').queryKey }) > 0;
  const now = `${length} ${place} ${open} ${isOpening}`;
  const [restedAt, setRestedAt] = useState('');
  useEffect(() => {
    if (isOpening) return undefined;
    const timer = setTimeout(() => setRestedAt(now), REST_MS);
    return () => clearTimeout(timer);
  }, [now, isOpening]);
  return restedAt === now;
}

/** Reads the next page before the last rows come into sight. */
function useReadOn(rows: QueueRows, last: number): void {
  const isNear = last >= rows.length - PAGE_ROWS / 2;
  const { length, error } = rows;
  useEffect(() => {
    if (isNear && error === undefined) void rows.more();
  }, [rows, isNear, length, error]);
}

/** Moves the focus to the current row, where the person asked for that, once rows have a height. */
function useFocus(
  box: RefObject<HTMLDivElement | null>,
  current: Current,
  heightPx: number | undefined,
): void {
  useEffect(() => {
    const list = box.current;
    if (!list || heightPx === undefined || !current.wantsFocus() || current.place < 0) return;
    const row = list.querySelector<HTMLElement>(`[aria-rowindex="${current.place + 1}"]`);
    if (row) current.giveFocus(row);
    bringIntoSight(list, current.place * heightPx, heightPx);
  });
}

/** Scrolls a list no further than it must. The virtualizer would measure the list again for it. */
function bringIntoSight(list: HTMLElement, topPx: number, heightPx: number): void {
  const { scrollTop, clientHeight } = list;
  const leastPx = topPx + heightPx - clientHeight;
  if (topPx < scrollTop) list.scrollTop = topPx;
  else if (leastPx > scrollTop) list.scrollTop = leastPx;
}

function moveBy(
  event: KeyboardEvent,
  current: Current,
  box: RefObject<HTMLDivElement | null>,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const seen = box.current;
  const row = seen?.querySelector<HTMLElement>('[role=row]');
  const page = seen && row ? Math.max(1, Math.floor(seen.clientHeight / row.offsetHeight)) : 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -Infinity,
    End: Infinity,
  };
  const by = steps[event.key];
  if (by === undefined) return;
  event.preventDefault();
  current.move(by);
}

/** Enter opens the row that has the focus, and Space selects it, whatever is beside the list. */
function actOnRow(event: KeyboardEvent, { current: { row }, onOpen, onSelect }: Props): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !row) return;
  if (!(event.target as Element).matches('[role=row]')) return;
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  if (event.key === 'Enter') onOpen(row);
  else onSelect(row);
}

/** What stands under the list if rows are missing: why, and how to go on. */
export function End({ rows }: { readonly rows: QueueRows }): ReactNode {
  const words = useWords();
  if (rows.error !== undefined)
    return (
      <p className="queue-end" role="alert">
        {sentenceOf(rows.error, words)}{' '}
        <Button onPress={() => void rows.tryAgain()}>{words('shell.again')}</Button>
      </p>
    );
  if (rows.isFull) return <p className="queue-end">{words('queue.full', { rows: rows.length })}</p>;
  return null;
}

/** Returns the present time, to half a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), NOW_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Returns how a row looks at the width of the list, and how high it is, once that is measured. */
function useShape(box: RefObject<HTMLDivElement | null>) {
  const [shape, setShape] = useState<{ is: string; heightPx: number }>();
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const found = SHAPES.find(({ below }) => element.clientWidth < below * rem) ?? SHAPES[2];
      const heightPx = found.height * rem;
      setShape((old) =>
        old?.is === found.is && old.heightPx === heightPx ? old : { is: found.is, heightPx },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return shape;
}
