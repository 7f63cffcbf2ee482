import { totalOf, type Card } from '../cards/cards.js';
import type { Facts } from '../rules/rule-document.js';
import { STOOD, type Cell, type Rules, type Tableau } from '../rules/rules.js';

/** The cards of the two hands, each in the order in which they were laid. */
export interface Hands {
  readonly player: readonly Card[];
  readonly banker: readonly Card[];
}

export type Outcome = Facts['winner'];

/** What the rules require next. `optional`: the hand may draw or stand, as its holder chooses. */
export type Due =
  | { readonly step: 'card'; readonly to: 'player' | 'banker'; readonly optional: boolean }
  | { readonly step: 'outcome'; readonly outcome: Outcome };

const cardTo = (to: 'player' | 'banker', cell: Cell): Due => ({
  step: 'card',
  to,
  optional: cell === 'optional',
});

/**
 * What is due after these cards: a card to a hand, or the outcome. The record moves the world on: hands that were dealt
 * against the rules are taken as they lie, and the question is asked again.
 *
 * The first four cards go player, banker, player, banker. A total of 8 or 9 on either hand's two cards ends the drawing.
 * Else the player hand draws or stands by its total, then the banker hand by its total and the player's third card
 * (58 Pa. Code § 631a.11). `stood` says that the player hand, where it had the choice, declined.
 */
export function due(
  { player, banker }: Hands,
  { tableau }: Pick<Rules, 'tableau'>,
  stood = false,
): Due {
  if (player.length < 2 && player.length <= banker.length) return cardTo('player', 'draw');
  if (banker.length < 2) return cardTo('banker', 'draw');
  if (player.length < 2) return cardTo('player', 'draw');
  const p = totalOf(player.slice(0, 2));
  const b = totalOf(banker.slice(0, 2));
  if (p < 8 && b < 8) {
    if (player.length === 2 && banker.length === 2 && !stood) {
      const cell = playerCell(tableau, p);
      if (cell !== 'stand') return cardTo('player', cell);
    }
    if (player.length === 2 && banker.length > 2 && playerCell(tableau, p) === 'draw')
      return cardTo('player', 'draw');
    if (banker.length === 2) {
      const third = player[2];
      const cell = bankerCell(tableau, b, third === undefined ? STOOD : totalOf([third]));
      if (cell !== 'stand') return cardTo('banker', cell);
    }
  }
  return { step: 'outcome', outcome: outcomeOf(totalOf(player), totalOf(banker)) };
}

/** What the player hand does on a two-card total; it stands on a natural. */
export const playerCell = (tableau: Tableau, total: number): Cell =>
  tableau.player[total] ?? 'stand';

/** What the banker hand does on a two-card total against the player's third card's value, or `STOOD`; it stands on a natural. */
export const bankerCell = (tableau: Tableau, total: number, third: number): Cell =>
  tableau.banker[total]?.[third] ?? 'stand';

/** The hand nearer nine wins; equal totals tie. */
export const outcomeOf = (player: number, banker: number): Outcome =>
  player > banker ? 'player' : banker > player ? 'banker' : 'tie';
