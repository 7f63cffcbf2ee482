import { STOOD, type Cell, type Tableau } from '../rules/rules.js';
import { bankerCell, endsDrawing, playerCell, type HandName } from './due.js';
import { totals, type SeenCard, type SeenHands } from './readings.js';
import { bankerCellName, playerCellName } from './tableau-words.js';

/** A cell of a drawing table, by its place in the printed table, and what it says. */
export interface DecidingCell {
  /** The table that it is in. The player's is one row. */
  readonly table: HandName;
  /** The total of the banker's first two cards; null in the player's table. */
  readonly row: number | null;
  /**
   * The total of the player's first two cards in the player's table; the value of the player's
   * third card, or `stood`, in the banker's.
   */
  readonly column: number | 'stood';
  readonly says: Cell;
  /** The name of the cell: `banker 6 against a third card of 6`. */
  readonly name: string;
}

/**
 * Returns the cell that decides whether a hand receives its third card after these cards. While the
 * player hand must draw first, that is its cell, also for a card to the banker hand. Returns null
 * for any other card, if a natural ends the drawing, or if an unread card hides the cell.
 */
export function decidingCell(
  hands: SeenHands,
  to: HandName,
  tableau: Tableau,
): DecidingCell | null {
  const { player, banker } = hands;
  if (hands[to].length !== 2 || player.length < 2 || banker.length < 2) return null;
  const [ofPlayer, ofBanker] = [player, banker].map((hand) => knownTotal(hand.slice(0, 2)));
  if (typeof ofPlayer !== 'number' || typeof ofBanker !== 'number') return null;
  if (endsDrawing(ofPlayer, ofBanker)) return null;
  const says = playerCell(tableau, ofPlayer);
  if (to === 'player' || (player.length === 2 && says === 'draw'))
    return { table: 'player', row: null, column: ofPlayer, says, name: playerCellName(ofPlayer) };
  const third = player.length === 2 ? STOOD : knownTotal(player.slice(2, 3));
  if (third === null) return null;
  return {
    table: 'banker',
    row: ofBanker,
    column: third === STOOD ? 'stood' : third,
    says: bankerCell(tableau, ofBanker, third),
    name: bankerCellName(ofBanker, third),
  };
}

/** Returns the total of cards, or null if one of them was not read. */
export function knownTotal(cards: readonly SeenCard[]): number | null {
  const [total, other] = totals(cards);
  return other === undefined ? (total ?? null) : null;
}
