import type { BoardCell } from '#baccarat';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { gravestOf, type RoadCoup } from './road-coups.js';

/** A mark on a board: where it lies, the coups that it stands for, and what it shows. */
export interface Mark extends BoardCell {
  readonly coups: readonly [RoadCoup, ...RoadCoup[]];
  /** What a reader of the screen reads. */
  readonly name: string;
  /** In a box of 24 × 24. */
  readonly picture: ReactNode;
}

interface Props {
  readonly name: string;
  /** In the order of the coups. */
  readonly marks: readonly Mark[];
  /** The reference of the coup that is shown elsewhere on the screen. */
  readonly marked?: string | undefined;
  readonly linkOf: (coup: RoadCoup) => LinkProps;
}

/**
 * A board of six rows. Each mark is a link to its coup. The board is one stop of the tab order, and
 * the arrow keys, Home and End go from mark to mark. It shows the marked coup, or the latest.
 */
export function Board({ name, marks, marked, linkOf }: Props): ReactNode {
  const [chosen, choose] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  // One empty column to see that the road ends, and one to scroll to the edge of a cell.
  const columns = Math.max(0, ...marks.map(({ column }) => column + 3));
  const at = marks.findIndex(({ coups }) => coups.some(({ ref }) => ref === marked));
  const stop = stopOf(marks, chosen, at);
  useShown(list, marks[at >= 0 ? at : marks.length - 1]?.column);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextOf(marks, stop, event.key);
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll('a').item(next).focus();
  };
  return (
    <div className="board-frame scroll">
      <ol
        className="board"
        role="list"
        aria-label={name}
        ref={list}
        style={{ inlineSize: `calc(${columns} * var(--cell))` }}
        onKeyDown={onKeyDown}
      >
        {marks.map((mark, i) => (
          <Cell
            key={mark.coups[0].ref}
            mark={mark}
            link={linkOf(gravestOf(mark.coups))}
            isMarked={i === at}
            isStop={i === stop}
            onFocus={choose}
          />
        ))}
      </ol>
    </div>
  );
}

interface CellProps {
  readonly mark: Mark;
  readonly link: LinkProps;
  readonly isMarked: boolean;
  /** Whether the tab key reaches it. */
  readonly isStop: boolean;
  readonly onFocus: (ref: string) => void;
}

function Cell({ mark, link, isMarked, isStop, onFocus }: CellProps): ReactNode {
  const { coups, column, row, name, picture } = mark;
  return (
    <li style={{ gridColumn: column + 1, gridRow: row + 1 }}>
      <Link
        {...link}
        className="board-cell"
        title={name}
        aria-current={isMarked ? 'true' : undefined}
        tabIndex={isStop ? 0 : -1}
        onFocus={() => onFocus(coups[0].ref)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          {picture}
        </svg>
      </Link>
    </li>
  );
}

/** Returns the mark that the tab key reaches: the one last used, the marked one, or the latest. */
function stopOf(marks: readonly Mark[], chosen: string | undefined, at: number): number {
  const used = marks.findIndex(({ coups }) => coups[0].ref === chosen);
  if (used >= 0) return used;
  return at >= 0 ? at : marks.length - 1;
}

/** Returns the mark that a key goes to from another, or undefined if the key is not for boards. */
function nextOf(marks: readonly Mark[], from: number, key: string): number | undefined {
  const here = marks[from];
  if (!here) return undefined;
  switch (key) {
    case 'Home':
      return 0;
    case 'End':
      return marks.length - 1;
    case 'ArrowUp':
    case 'ArrowDown': {
      const row = here.row + (key === 'ArrowUp' ? -1 : 1);
      const next = marks.findIndex((each) => each.column === here.column && each.row === row);
      return next < 0 ? from : next;
    }
    case 'ArrowLeft':
    case 'ArrowRight':
      return beside(marks, from, key === 'ArrowLeft' ? -1 : 1);
    default:
      return undefined;
  }
}

/** Returns the mark in the next column, in the same row or the nearest to it. */
function beside(marks: readonly Mark[], from: number, step: -1 | 1): number {
  const { column, row } = marks[from] as Mark;
  const distance = (mark: Mark): number => {
    const columns = (mark.column - column) * step;
    return columns <= 0 ? Infinity : columns * 100 + Math.abs(mark.row - row);
  };
  return marks.reduce(
    (best, mark, i) => (distance(mark) < distance(marks[best] as Mark) ? i : best),
    from,
  );
}

/** Scrolls the board, and nothing around it, to a column. */
function useShown(list: { readonly current: HTMLElement | null }, column: number | undefined) {
  useEffect(() => {
    const frame = list.current?.parentElement;
    if (!frame || column === undefined) return;
    const cell = list.current.querySelector('li')?.offsetWidth ?? 0;
    const isShown =
      column * cell >= frame.scrollLeft &&
      (column + 1) * cell <= frame.scrollLeft + frame.clientWidth;
    // To the edge of a cell, so that none is cut.
    if (!isShown && cell > 0)
      frame.scrollTo({ left: Math.ceil(((column + 2) * cell - frame.clientWidth) / cell) * cell });
  }, [list, column]);
}
