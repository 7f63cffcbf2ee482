import { OddsRefusal } from '../cards/composition.js';
import { bankerCell, playerCell } from '../tableau/due.js';
import { STOOD, type Cell, type Rules } from '../rules/rules.js';

/** What is done wherever the tableau leaves the hand's holder free. */
export type Choice = 'draw' | 'stand';

/** A tableau with nothing left open. */
export interface Drawing {
  /** By two-card total 0 to 9: whether the player hand draws. */
  readonly player: readonly boolean[];
  /** By banker total 0 to 9, then by the value 0 to 9 of the player's third card, or `STOOD`: whether the banker hand draws. */
  readonly banker: readonly (readonly boolean[])[];
}

const TOTALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const THIRDS = [...TOTALS, STOOD];

/**
 * The drawing that odds are counted for. Where the tableau has optional cells the odds hang on what their holders do:
 * `choice` says it for all of them, and without it there is none (`OddsRefusal`).
 */
export function drawingOf(
  { ref, tableau }: Pick<Rules, 'ref' | 'tableau'>,
  choice: Choice | undefined,
): Drawing {
  const draws = (cell: Cell): boolean => {
    if (cell !== 'optional') return cell === 'draw';
    if (choice === undefined) {
      const open = [...tableau.player, ...tableau.banker.flat()].filter(
        (each) => each === 'optional',
      ).length;
      throw new OddsRefusal(
        `${ref} leaves ${open} ${open === 1 ? 'cell' : 'cells'} of its tableau to the hand's holder: give the option choice as "draw" or "stand"`,
      );
    }
    return choice === 'draw';
  };
  return {
    player: TOTALS.map((total) => draws(playerCell(tableau, total))),
    banker: TOTALS.map((total) => THIRDS.map((third) => draws(bankerCell(tableau, total, third)))),
  };
}
