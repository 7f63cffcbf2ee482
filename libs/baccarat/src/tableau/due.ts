import { valueOf, type Card } from '../cards/cards.js';
import type { Facts } from '../rules/rule-document.js';
import { STOOD, type Cell, type Rules, type Tableau } from '../rules/rules.js';

/** The two hands that are dealt. */
export type HandName = 'player' | 'banker';

/** The cards of the two hands, each in the order in which they were laid. */
export interface Hands {
  readonly player: readonly Card[];
  readonly banker: readonly Card[];
}

/** A hand as the drawing rules see it. */
export interface HandTotals {
  /** How many cards lie on it. */
  readonly cards: number;
  /** The total of its first two cards, once it has them. */
  readonly two: number;
  /** The value of its third card; `null` while it has none. */
  readonly third: number | null;
  /** The total of all its cards. */
  readonly total: number;
}

/** The result of a coup: the winning hand, or a tie. */
export type Outcome = Facts['winner'];

/** What the rules require next. `optional`: the hand may draw or stand, as its holder chooses. */
export type Due =
  | { readonly step: 'card'; readonly to: HandName; readonly optional: boolean }
  | { readonly step: 'outcome'; readonly outcome: Outcome };

const cardTo = (to: HandName, cell: Cell): Due => ({
  step: 'card',
  to,
  optional: cell === 'optional',
});

/** Returns the hand that receives the next of the first four cards, or `null` once both hands have two. */
export function initialHand(playerCards: number, bankerCards: number): HandName | null {
  if (playerCards < 2 && playerCards <= bankerCards) return 'player';
  if (bankerCards < 2) return 'banker';
  return playerCards < 2 ? 'player' : null;
}

/** Returns whether the totals of the first two cards end the drawing: either hand has a natural. */
export const endsDrawing = (player: number, banker: number): boolean => player >= 8 || banker >= 8;

/**
 * Returns what is due: a card to a hand, or the outcome. Hands that were dealt against the rules
 * count as they lie.
 *
 * The first four cards go player, banker, player, banker. A natural on either hand ends the
 * drawing. Otherwise the player hand draws or stands by its total, then the banker hand by its
 * total and the player's third card (58 Pa. Code § 631a.11). `stood`: the player hand has declined
 * its third card.
 */
export function dueAt(
  player: HandTotals,
  banker: HandTotals,
  tableau: Tableau,
  stood = false,
): Due {
  const initial = initialHand(player.cards, banker.cards);
  if (initial) return cardTo(initial, 'draw');
  if (!endsDrawing(player.two, banker.two)) {
    if (player.cards === 2) {
      const cell = playerCell(tableau, player.two);
      // Once the banker hand has drawn, the player hand can no longer choose.
      if (banker.cards === 2 ? cell !== 'stand' && !stood : cell === 'draw')
        return cardTo('player', cell);
    }
    if (banker.cards === 2) {
      const cell = bankerCell(tableau, banker.two, player.third ?? STOOD);
      if (cell !== 'stand') return cardTo('banker', cell);
    }
  }
  return { step: 'outcome', outcome: outcomeOf(player.total, banker.total) };
}

/** Returns what is due after these cards, as `dueAt` says. */
export const due = (
  { player, banker }: Hands,
  { tableau }: Pick<Rules, 'tableau'>,
  stood = false,
): Due => dueAt(totalsOfHand(player), totalsOfHand(banker), tableau, stood);

function totalsOfHand(hand: readonly Card[]): HandTotals {
  let two = 0;
  let sum = 0;
  let third: number | null = null;
  for (const [at, card] of hand.entries()) {
    const value = valueOf(card);
    sum += value;
    if (at === 1) two = sum % 10;
    else if (at === 2) third = value;
  }
  return { cards: hand.length, two, third, total: sum % 10 };
}

/** Returns what the player hand does on a two-card total. It stands on a natural. */
export const playerCell = (tableau: Tableau, total: number): Cell =>
  tableau.player[total] ?? 'stand';

/**
 * Returns what the banker hand does on a two-card total, against the value of the player's third
 * card, or `STOOD`. It stands on a natural.
 */
export const bankerCell = (tableau: Tableau, total: number, third: number): Cell =>
  tableau.banker[total]?.[third] ?? 'stand';

/** Returns the outcome: the hand nearer nine wins, and equal totals tie. */
export const outcomeOf = (player: number, banker: number): Outcome =>
  player > banker ? 'player' : banker > player ? 'banker' : 'tie';
