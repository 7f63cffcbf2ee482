import { OddsRefusal } from '../cards/composition.js';
import { bankerCell, playerCell } from '../tableau/due.js';
import { STOOD, type Cell, type Rules } from '../rules/rules.js';

/** What a hand does in every optional cell of the tableau. */
export type Choice = 'draw' | 'stand';

/** A tableau without optional cells. */
export interface Drawing {
  /** By two-card total 0 to 9: whether the player hand draws. */
  readonly player: readonly boolean[];
  /**
   * By banker total 0 to 9, then by the value 0 to 9 of the player's third card, or `STOOD`:
   * whether the banker hand draws.
   */
  readonly banker: readonly (readonly boolean[])[];
}

const TOTALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const THIRDS = [...TOTALS, STOOD];

/**
 * Returns the drawing rules that odds are computed for. With optional cells in the tableau, the
 * odds depend on `choice`, which applies to all of them. Throws `OddsRefusal` if it is missing.
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
        `${ref} leaves ${open} ${open === 1 ? 'cell' : 'cells'} of its tableau open: set the option choice to "draw" or "stand"`,
      );
    }
    return choice === 'draw';
  };
  return {
    player: TOTALS.map((total) => draws(playerCell(tableau, total))),
    banker: TOTALS.map((total) => THIRDS.map((third) => draws(bankerCell(tableau, total, third)))),
  };
}
