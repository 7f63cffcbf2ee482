import type { Outcome } from '../tableau/due.js';

/** The number of rows on every board. Six for all houses that publish their rules. */
export const ROAD_ROWS = 6;

/**
 * What a road needs to know about one coup. `kind` and `void` are required so that callers cannot
 * forget them: a coup that is not normal, was voided, or has no outcome enters no road.
 */
export interface RoadResult {
  readonly outcome: Outcome | undefined;
  readonly kind: 'normal' | 'dummy' | 'demonstration' | 'free';
  readonly void: boolean;
  readonly playerPair: boolean;
  readonly bankerPair: boolean;
  /** Whether either hand has 8 or 9 on two cards. */
  readonly natural?: boolean;
}

/** A mark's cell on the board: column from 0 at the left without limit, row 0 to 5 from the top. */
export interface BoardCell {
  readonly column: number;
  readonly row: number;
}

/** What a mark shows of its coup. `coup` is the index in the list of results. */
export interface Shown {
  readonly coup: number;
  readonly playerPair: boolean;
  readonly bankerPair: boolean;
  readonly natural: boolean;
}

/** A mark of the bead plate. */
export interface Bead extends Shown, BoardCell {
  readonly outcome: Outcome;
}

/**
 * A mark's position in the road's logical columns, whatever its cell on the board: `streak` counts
 * the columns from 0, `depth` the marks in its column from 0.
 */
export interface InStreak {
  readonly streak: number;
  readonly depth: number;
}

/**
 * A won coup with the ties that followed it. The first mark of a shoe also has the ties before it.
 */
export interface BigRoadMark extends Shown, InStreak, BoardCell {
  readonly side: 'player' | 'banker';
  readonly ties: readonly Shown[];
}

/**
 * Red means that the shoe repeats itself, blue that it does not. The colors do not mean banker and
 * player. `coup` as in `Shown`.
 */
export interface DerivedMark extends InStreak, BoardCell {
  readonly coup: number;
  readonly colour: 'red' | 'blue';
}

/** The five scorecards of a shoe, each in the order of the coups. */
export interface Roads {
  readonly beadPlate: readonly Bead[];
  readonly bigRoad: readonly BigRoadMark[];
  /** Ties that wait for the shoe's first mark. Empty once there is one. */
  readonly waitingTies: readonly Shown[];
  readonly bigEyeBoy: readonly DerivedMark[];
  readonly smallRoad: readonly DerivedMark[];
  readonly cockroachPig: readonly DerivedMark[];
}

/**
 * Returns the roads of a shoe from its coups, in the order dealt. Takes time linear in the number
 * of coups. A further result changes no existing mark, except that a tie is added to the last mark
 * of the big road. After a correction or a void, build the roads again.
 *
 * Source: no regulator defines roads. Bead plate and big road with ties and dragon tail follow the
 * roadmap rules that OG Plus and baccaratboard.com publish. Derived roads follow the rule stated in
 * roadmapGenerator.js of the public package baccarat-engine 1.1.5, from the logical columns,
 * including the first.
 */
export function roads(results: readonly RoadResult[]): Roads {
  const entered = results.flatMap((result, coup) => enter(result, coup) ?? []);
  const { marks, waiting } = bigRoadOf(entered);
  return {
    beadPlate: entered.map((bead, i) => ({
      ...bead,
      column: Math.floor(i / ROAD_ROWS),
      row: i % ROAD_ROWS,
    })),
    bigRoad: marks,
    waitingTies: waiting,
    bigEyeBoy: derivedRoad(marks, 1),
    smallRoad: derivedRoad(marks, 2),
    cockroachPig: derivedRoad(marks, 3),
  };
}

interface Entered extends Shown {
  readonly outcome: Outcome;
}

function enter(
  { outcome, kind, void: voided, playerPair, bankerPair, natural = false }: RoadResult,
  coup: number,
): Entered | undefined {
  if (outcome === undefined || kind !== 'normal' || voided) return undefined;
  return { coup, outcome, playerPair, bankerPair, natural };
}

function bigRoadOf(entered: readonly Entered[]): { marks: BigRoadMark[]; waiting: Shown[] } {
  const marks: BigRoadMark[] = [];
  const pen = newPen();
  let side: Outcome | undefined;
  let ties: Shown[] = [];
  for (const { outcome, ...shown } of entered) {
    if (outcome === 'tie') {
      ties.push(shown);
      continue;
    }
    // Leading ties stay in the list that becomes the first mark's own.
    if (side !== undefined) ties = [];
    marks.push({ ...shown, side: outcome, ties, ...plot(pen, outcome !== side) });
    side = outcome;
  }
  return { marks, waiting: side === undefined ? ties : [] };
}

/**
 * Returns the derived road that looks `back` columns to the left in the big road's logical columns:
 * 1 big eye boy, 2 small road, 3 cockroach pig. Its own marks are plotted like a big road's: the
 * same color goes down, a change starts a column.
 */
function derivedRoad(bigRoad: readonly BigRoadMark[], back: number): DerivedMark[] {
  const marks: DerivedMark[] = [];
  const lengths: number[] = [];
  const pen = newPen();
  let last: DerivedMark['colour'] | undefined;
  for (const { coup, streak, depth } of bigRoad) {
    lengths[streak] = depth + 1;
    const colour = colourOf(lengths, back);
    if (colour === undefined) continue;
    marks.push({ coup, colour, ...plot(pen, colour !== last) });
    last = colour;
  }
  return marks;
}

/**
 * Returns the color of the newest mark of columns of these lengths, or `undefined` if there is no
 * column to compare with. A mark that starts a column is red if the column that it ended is as long
 * as the one `back` before that. A lower mark is blue if it is the first to go deeper than the
 * column `back` before its own.
 */
function colourOf(lengths: readonly number[], back: number): DerivedMark['colour'] | undefined {
  const newest = lengths.length - 1;
  const depth = lengths[newest];
  if (depth === 1) {
    const compared = lengths[newest - 1 - back];
    return compared === undefined ? undefined : compared === lengths[newest - 1] ? 'red' : 'blue';
  }
  const compared = lengths[newest - back];
  return compared === undefined ? undefined : depth === compared + 1 ? 'blue' : 'red';
}

/** Plots streaks on a board of six rows. */
interface Pen {
  /** By row: the rightmost column with a mark, -1 for none. */
  readonly reach: number[];
  streak: number;
  depth: number;
  /** The column in which the streak began. */
  start: number;
  column: number;
  row: number;
}

const newPen = (): Pen => ({
  reach: new Array<number>(ROAD_ROWS).fill(-1),
  streak: -1,
  depth: 0,
  start: -1,
  column: -1,
  row: 0,
});

/**
 * Plots the next mark. A new streak begins at the top of the next free column. A streak goes down
 * until the bottom row or a mark in its way turns it to the right (the dragon tail), where it
 * stays.
 *
 * It is enough to remember each row's rightmost mark. An earlier streak that reaches this column or
 * a later one came along its row without a break, so a cell is taken exactly if its row has a mark
 * in its column or a later one, and nothing can block a tail.
 */
function plot(pen: Pen, newStreak: boolean): InStreak & BoardCell {
  if (newStreak) {
    pen.streak += 1;
    pen.depth = 0;
    pen.start = pen.column = reachOf(pen, 0) + 1;
    pen.row = 0;
  } else {
    const below = pen.row + 1;
    const goesDown =
      pen.column === pen.start && below < ROAD_ROWS && reachOf(pen, below) < pen.column;
    if (goesDown) pen.row = below;
    else pen.column += 1;
    pen.depth += 1;
  }
  pen.reach[pen.row] = pen.column;
  return { streak: pen.streak, depth: pen.depth, column: pen.column, row: pen.row };
}

const reachOf = (pen: Pen, row: number): number => pen.reach[row] as number;
