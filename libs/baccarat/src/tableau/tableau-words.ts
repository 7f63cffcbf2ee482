import { readTableau, STOOD, type Cell, type Tableau } from '../rules/rules.js';
import type { TableauText } from '../rules/rule-document.js';

/** Returns the name of a cell of the player's row: `player on 5`. */
export const playerCellName = (total: number): string => `player on ${total}`;

/**
 * Returns the name of a cell of the banker's table: `banker 6 against a third card of 6`, `banker 6
 * when the player stood`.
 */
export const bankerCellName = (total: number, third: number): string =>
  third === STOOD
    ? `banker ${total} when the player stood`
    : `banker ${total} against a third card of ${third}`;

/** Joins a list in words: `3, 4 and 5`. */
export const inWords = (items: readonly (string | number)[], last = 'and'): string =>
  items.length < 2
    ? items.join('')
    : `${items.slice(0, -1).join(', ')} ${last} ${items[items.length - 1]}`;

/**
 * Returns the cells in which two drawing tables differ, each in words: `banker 6 against a third
 * card of 6: draw → stand`. Skips a cell that one of them leaves `undefined`.
 */
export function diffTableau(before: OpenTableau, after: OpenTableau): string[] {
  const changes: string[] = [];
  const compare = (name: string, from: Cell | undefined, to: Cell | undefined): void => {
    if (from !== undefined && to !== undefined && from !== to)
      changes.push(`${name}: ${from} → ${to}`);
  };
  for (let total = 0; total <= 7; total += 1)
    compare(playerCellName(total), before.player[total], after.player[total]);
  for (let total = 0; total <= 7; total += 1) {
    for (let third = 0; third <= STOOD; third += 1) {
      compare(
        bankerCellName(total, third),
        before.banker[total]?.[third],
        after.banker[total]?.[third],
      );
    }
  }
  return changes;
}

/** A drawing table with cells that may be undecided. It has the layout of a `Tableau`. */
export interface OpenTableau {
  readonly player: readonly (Cell | undefined)[];
  readonly banker: readonly (readonly (Cell | undefined)[])[];
}

const LETTERS: Readonly<Record<Cell, string>> = { draw: 'D', stand: 'S', optional: 'O' };

/** Prints a drawing table as rule documents do. */
export function printTableau({ player, banker }: Tableau): TableauText {
  const letters = (cells: readonly Cell[]): string => cells.map((cell) => LETTERS[cell]).join('');
  return {
    player: letters(player),
    banker: banker.map((row) => `${letters(row.slice(0, STOOD))} ${letters(row.slice(STOOD))}`),
  };
}

/** Parses a printed table. Throws unless it has 8 cells and 8 rows of 11. */
export const tableauOf = (text: TableauText): Tableau =>
  readTableau(text.player, text.banker, 'tableau');
