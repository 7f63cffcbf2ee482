import { STOOD, type Cell, type Tableau } from '../rules/rules.js';
import { readTableau } from '../rules/rules.js';
import type { TableauText } from '../rules/rule-document.js';

/** A cell of the player's row in words: `player on 5`. */
export const playerCellName = (total: number): string => `player on ${total}`;

/** A cell of the banker's table in words: `banker 6 against a third card of 6`, `banker 6 when the player stood`. */
export const bankerCellName = (total: number, third: number): string =>
  third === STOOD
    ? `banker ${total} when the player stood`
    : `banker ${total} against a third card of ${third}`;

/** A list in words: `3, 4 and 5`. */
export const inWords = (items: readonly (string | number)[], last = 'and'): string =>
  items.length < 2
    ? items.join('')
    : `${items.slice(0, -1).join(', ')} ${last} ${items[items.length - 1]}`;

/**
 * The cells in which two drawing tables differ, each in words: `banker 6 against a third card of 6: draw → stand`.
 * A cell that one of them leaves `undefined` is not compared.
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

/** A drawing table some of whose cells may be undecided. Laid out as a `Tableau`. */
export interface OpenTableau {
  readonly player: readonly (Cell | undefined)[];
  readonly banker: readonly (readonly (Cell | undefined)[])[];
}

const LETTERS: Readonly<Record<Cell, string>> = { draw: 'D', stand: 'S', optional: 'O' };

/** A drawing table as rule documents print it. */
export function printTableau({ player, banker }: Tableau): TableauText {
  const letters = (cells: readonly Cell[]): string => cells.map((cell) => LETTERS[cell]).join('');
  return {
    player: letters(player),
    banker: banker.map((row) => `${letters(row.slice(0, STOOD))} ${letters(row.slice(STOOD))}`),
  };
}

/** Reads a printed table. Throws on one that is not 8 cells and 8 rows of 11. */
export const tableauOf = (text: TableauText): Tableau =>
  readTableau(text.player, text.banker, 'tableau');
