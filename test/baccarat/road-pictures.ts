import type { Bead, BigRoadMark, DerivedMark, BoardCell, RoadResult } from '#baccarat';

/**
 * Parses results from a row of tokens: `B`, `P` or `T`, followed by `p` and `b` for a pair of the
 * player or banker hand.
 */
export function shoeOf(tokens: string): RoadResult[] {
  return tokens
    .split(' ')
    .filter(Boolean)
    .map((token) => {
      const outcome = ({ B: 'banker', P: 'player', T: 'tie' } as const)[token.charAt(0)];
      if (outcome === undefined) throw new Error(`no result: ${token}`);
      return {
        outcome,
        kind: 'normal',
        void: false,
        playerPair: token.includes('p'),
        bankerPair: token.includes('b'),
      };
    });
}

/** Renders six rows of letters, with a dot for no mark. A mark plotted over another is `!`. */
export function picture(marks: readonly (Bead | BigRoadMark)[]): string {
  return draw(marks, (mark) => ('side' in mark ? mark.side : mark.outcome).charAt(0).toUpperCase());
}

/** Renders a derived road in the same way: `R` red, `B` blue. */
export function derivedPicture(marks: readonly DerivedMark[]): string {
  return draw(marks, ({ colour }) => colour.charAt(0).toUpperCase());
}

/** Returns the big road's marks in order, with the number of ties on each. */
export function written(marks: readonly BigRoadMark[]): string {
  return marks
    .map(
      ({ side, ties }) => `${side.charAt(0).toUpperCase()}${ties.length ? `+${ties.length}` : ''}`,
    )
    .join(' ');
}

/** Renders cells in the same way. `letter` is what stands for one. */
export function draw<M extends BoardCell>(
  marks: readonly M[],
  letter: (mark: M) => string,
): string {
  const width = Math.max(0, ...marks.map(({ column }) => column + 1));
  const board = Array.from({ length: 6 }, () => new Array<string>(width).fill('.'));
  for (const mark of marks) {
    const row = board[mark.row] as string[];
    row[mark.column] = row[mark.column] === '.' ? letter(mark) : '!';
  }
  return board.map((row) => row.join(' ')).join('\n');
}

/** A road of a shoe, and what its board looks like. */
export interface Pictured {
  readonly says: string;
  /** The results, as `shoeOf` reads them. */
  readonly shoe: string;
  readonly rows: readonly string[];
}

const nine = (side: string): string => `${side} `.repeat(9);

/** The pictures of the boards, by road. The game computes them, and the console draws them. */
export const PICTURES = {
  beadPlate: [
    {
      says: 'fills six rows downward, then the next column, ties included',
      shoe: 'B P T B B P  P T',
      rows: ['B P', 'P T', 'T .', 'B .', 'B .', 'P .'],
    },
  ],
  bigRoad: [
    {
      says: 'goes down while a side repeats, and starts a column when it changes',
      shoe: 'B B B P P B',
      rows: ['B P B', 'B P .', 'B . .', '. . .', '. . .', '. . .'],
    },
    {
      says: 'turns right at the bottom row (the dragon tail)',
      shoe: 'B B B B B B B B B  P',
      rows: ['B P . .', 'B . . .', 'B . . .', 'B . . .', 'B . . .', 'B B B B'],
    },
    {
      says: 'turns right above a tail in its way',
      shoe: 'B B B B B B B  P P P P P P P  B B B B B',
      rows: ['B P B .', 'B P B .', 'B P B .', 'B P B B', 'B P P P', 'B B . .'],
    },
    {
      says: 'keeps a tail in its row even if the cell below becomes free again',
      shoe: 'B B B B B B B  P P P P P P P P',
      rows: ['B P . . .', 'B P . . .', 'B P . . .', 'B P . . .', 'B P P P P', 'B B . . .'],
    },
    {
      says: 'starts a streak to the right of a tail along the top row',
      shoe: `${nine('B')}${nine('P')}${nine('B')}${nine('P')}${nine('B')} P P P  B`,
      rows: [
        'B P B P B P P P B . . .',
        'B P B P B B B B B B B B',
        'B P B P P P P P P P . .',
        'B P B B B B B B . . . .',
        'B P P P P P . . . . . .',
        'B B B B . . . . . . . .',
      ],
    },
  ],
  bigEyeBoy: [
    {
      says: 'reads a shoe of equal streaks as all red, and plots the seventh as a tail',
      shoe: 'B B  P P  B B  P P  B B',
      rows: ['R .', 'R .', 'R .', 'R .', 'R .', 'R R'],
    },
    {
      says: 'plots the shoe banker 1, player 2, banker 1, player 3, banker 1',
      shoe: 'B  P P  B  P P P  B',
      rows: ['B R B', 'B . .', 'B . .', 'B . .', '. . .', '. . .'],
    },
  ],
  /*
   * By the rule, worked out by hand. A mark that begins a column of the big road compares the
   * lengths of two columns: of the one before it, and of the one that is further left by the
   * road's distance. Equal is red. A mark below the first looks at the row of its own in the
   * column that is as far left of its own: a mark there is red, and so is an empty cell under an
   * empty cell. An empty cell under a mark is blue. The distance is 2 for the small road.
   *
   * The columns of this shoe are 1, 2, 3, 3, 1 and 4 long. The small road begins in the second row
   * of the third:
   *
   * - third column: row 2 of the first is empty under a mark, blue; row 3 is empty under an empty
   *   cell, red
   * - fourth: 3 beside 1, blue; row 2 of the second has a mark, red; row 3 is empty under it, blue
   * - fifth: 3 beside 2, blue
   * - sixth: 1 beside 3, blue; rows 2 and 3 of the fourth have marks, red, red; row 4 is empty
   *   under a mark, blue
   */
  smallRoad: [
    {
      says: 'plots the shoe of streaks of 1, 2, 3, 3, 1 and 4',
      shoe: 'B  P P  B B B  P P P  B  P P P P',
      rows: [
        'B R B R B R B',
        '. . . . B R .',
        '. . . . B . .',
        '. . . . . . .',
        '. . . . . . .',
        '. . . . . . .',
      ],
    },
  ],
  /*
   * By the same rule with a distance of 3. The columns are 2, 1, 3, 2, 2, 1 and 3 long. The
   * cockroach pig begins in the second row of the fourth:
   *
   * - fourth column: row 2 of the first has a mark, red
   * - fifth: 2 beside 2, red; row 2 of the second is empty under a mark, blue
   * - sixth: 2 beside 1, blue
   * - seventh: 1 beside 3, blue; row 2 of the fourth has a mark, red; row 3 is empty under it, blue
   */
  cockroachPig: [
    {
      says: 'plots the shoe of streaks of 2, 1, 3, 2, 2, 1 and 3',
      shoe: 'B B  P  B B B  P P  B B  P  B B B',
      rows: ['R B R B', 'R B . .', '. B . .', '. . . .', '. . . .', '. . . .'],
    },
  ],
} as const satisfies Readonly<Record<string, readonly Pictured[]>>;
