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

function draw<M extends BoardCell>(marks: readonly M[], letter: (mark: M) => string): string {
  const width = Math.max(0, ...marks.map(({ column }) => column + 1));
  const board = Array.from({ length: 6 }, () => new Array<string>(width).fill('.'));
  for (const mark of marks) {
    const row = board[mark.row] as string[];
    row[mark.column] = row[mark.column] === '.' ? letter(mark) : '!';
  }
  return board.map((row) => row.join(' ')).join('\n');
}
