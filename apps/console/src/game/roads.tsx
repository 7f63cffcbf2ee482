import {
  type BigRoadMark,
  type DerivedMark,
  type Outcome,
  type Roads,
  roads,
  type Shown,
} from '#baccarat';
import type { LinkProps } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { usePreferences } from '../settings/preferences.js';
import { useWords, type Words } from '../words/words.js';
import { Board, type Mark } from './board.js';
import { gravestOf, type RoadCoup, roadResultOf, type Severity } from './road-coups.js';
import './roads.css';

interface Props {
  /** The coups of one shoe, in the order dealt. */
  readonly coups: readonly RoadCoup[];
  /** The reference of the coup that is shown elsewhere on the screen. */
  readonly marked?: string | undefined;
  /** Where the cell of a coup leads. */
  readonly linkOf: (coup: RoadCoup) => LinkProps;
}

/**
 * The big road: a column for each streak. Ties are a stroke with their number on the mark that they
 * follow. A cell with flagged coups leads to the gravest of them.
 */
export function BigRoad({ coups, marked, linkOf }: Props): ReactNode {
  const words = useWords();
  const { bigRoad, waitingTies } = useRoads(coups);
  const waiting = waitingMark(words, coups, waitingTies);
  const marks = waiting ? [waiting] : bigRoad.map((mark) => bigRoadMark(words, coups, mark));
  return <Board name={words('road.bigRoad')} {...{ marks, marked, linkOf }} />;
}

/** The bead plate: each coup in turn, six to a column. */
export function BeadPlate({ coups, marked, linkOf }: Props): ReactNode {
  const words = useWords();
  const { beadPlate } = useRoads(coups);
  const marks = beadPlate.map(({ column, row, outcome, ...shown }): Mark => {
    const coup = coups[shown.coup] as RoadCoup;
    return {
      column,
      row,
      coups: [coup],
      name: nameOf(words, coup, outcome, shown),
      picture: (
        <g data-side={outcome}>
          <circle className="road-bead" cx="12" cy="12" r="10" />
          <Glyph outcome={outcome} size={13} filled />
          <Dots {...shown} />
          <Flag severity={coup.worst} />
        </g>
      ),
    };
  });
  return <Board name={words('road.beadPlate')} {...{ marks, marked, linkOf }} />;
}

/** The three roads that compare columns of the big road. */
export const DERIVED_ROADS = ['bigEyeBoy', 'smallRoad', 'cockroachPig'] as const;
/** One of the roads that compare columns of the big road. */
export type DerivedRoadName = (typeof DERIVED_ROADS)[number];

/**
 * A derived road. Its colors say whether the shoe repeats itself. With the preference `shapes` the
 * marks differ in their shape too.
 */
export function DerivedRoad({ road, ...props }: Props & { readonly road: DerivedRoadName }) {
  const { coups, marked, linkOf } = props;
  const words = useWords();
  const { shapes } = usePreferences();
  const marks = useRoads(coups)[road].map((mark): Mark => {
    const coup = coups[mark.coup] as RoadCoup;
    return {
      column: mark.column,
      row: mark.row,
      coups: [coup],
      name: words('road.cell', { coup: coup.coup, what: words(`road.${mark.colour}`) }),
      picture: <Derived road={road} colour={mark.colour} shapes={shapes} />,
    };
  });
  return <Board name={words(`road.${road}`)} {...{ marks, marked, linkOf }} />;
}

const useRoads = (coups: readonly RoadCoup[]): Roads =>
  useMemo(() => roads(coups.map(roadResultOf)), [coups]);

function bigRoadMark(words: Words, coups: readonly RoadCoup[], mark: BigRoadMark): Mark {
  const { column, row, side, ties } = mark;
  const own = coups[mark.coup] as RoadCoup;
  const tied = ties.map((tie) => coups[tie.coup] as RoadCoup);
  const names = ties.map((tie, i) => nameOf(words, tied[i] as RoadCoup, 'tie', tie));
  return {
    column,
    row,
    coups: [own, ...tied],
    name: [nameOf(words, own, side, mark), ...names].join('; '),
    picture: (
      <g data-side={side}>
        <circle className="road-ring" cx="12" cy="12" r="9" />
        <Ties count={ties.length} />
        <Glyph outcome={side} size={11} />
        <Dots {...mark} />
        <Flag severity={gravestOf([own, ...tied]).worst} />
      </g>
    ),
  };
}

/** Returns the mark of ties that no won coup follows yet. */
function waitingMark(
  words: Words,
  coups: readonly RoadCoup[],
  ties: readonly Shown[],
): Mark | undefined {
  const [first, ...rest] = ties.map((tie) => coups[tie.coup] as RoadCoup);
  if (!first) return undefined;
  return {
    column: 0,
    row: 0,
    coups: [first, ...rest],
    name: ties.map((tie) => nameOf(words, coups[tie.coup] as RoadCoup, 'tie', tie)).join('; '),
    picture: (
      <g data-side="tie">
        <Ties count={ties.length} />
        <Glyph outcome="tie" size={11} />
        <Flag severity={gravestOf([first, ...rest]).worst} />
      </g>
    ),
  };
}

function nameOf(words: Words, coup: RoadCoup, outcome: Outcome, shown: Shown): string {
  const what = [
    words(`side.${outcome}`),
    shown.natural && words('road.natural'),
    shown.playerPair && words('road.playerPair'),
    shown.bankerPair && words('road.bankerPair'),
    coup.worst && words('road.flag', { severity: coup.worst }),
  ];
  return words('road.cell', { coup: coup.coup, what: what.filter(Boolean).join(', ') });
}

interface GlyphProps {
  readonly outcome: Outcome;
  readonly size: number;
  readonly filled?: boolean;
}

function Glyph({ outcome, size, filled = false }: GlyphProps): ReactNode {
  const words = useWords();
  return (
    <text
      className={filled ? 'road-glyph-on' : 'road-glyph'}
      x="12"
      y="12.5"
      fontSize={size}
      textAnchor="middle"
      dominantBaseline="central"
    >
      {words(`road.glyph.${outcome}`)}
    </text>
  );
}

function Ties({ count }: { readonly count: number }): ReactNode {
  if (count === 0) return null;
  return (
    <>
      <path className="road-tie" d="M4 20 20 4" />
      {count > 1 && (
        <text className="road-ties" x="5" y="21" fontSize="9" textAnchor="middle">
          {count}
        </text>
      )}
    </>
  );
}

/** Boards show a pair of the banker at the upper left, and one of the player at the lower right. */
function Dots({ playerPair, bankerPair }: Shown): ReactNode {
  return (
    <>
      {bankerPair && <circle className="road-pair" data-of="banker" cx="4" cy="4" r="3.2" />}
      {playerPair && <circle className="road-pair" data-of="player" cx="20" cy="20" r="3.2" />}
    </>
  );
}

const FLAGS: Readonly<Record<Severity, ReactNode>> = {
  1: <rect x="15.5" y="1" width="7.5" height="7.5" />,
  2: <path d="M19.2.8 23.6 8.6H14.8Z" />,
  3: <circle cx="19.2" cy="4.8" r="4" />,
  4: <circle cx="19.2" cy="4.8" r="3.2" />,
};

/** The shapes of the severities: square, triangle, disk, ring. */
function Flag({ severity }: { readonly severity: Severity | null | undefined }): ReactNode {
  if (!severity) return null;
  return (
    <g className="road-flag" data-severity={severity}>
      {FLAGS[severity]}
    </g>
  );
}

interface DerivedProps {
  readonly road: DerivedRoadName;
  readonly colour: DerivedMark['colour'];
  readonly shapes: boolean;
}

function Derived({ road, colour, shapes }: DerivedProps): ReactNode {
  const isOther = shapes && colour === 'blue';
  const dashed = isOther && { 'data-dashed': true };
  switch (road) {
    case 'bigEyeBoy':
      return <circle className="road-derived" data-colour={colour} {...dashed} {...DISK} />;
    case 'smallRoad':
      return (
        <circle className={isOther ? 'road-derived' : 'road-disk'} data-colour={colour} {...DISK} />
      );
    case 'cockroachPig':
      return <path className="road-derived" data-colour={colour} {...dashed} d="M5 19 19 5" />;
  }
}

const DISK = { cx: 12, cy: 12, r: 7 };
