import {
  bankerCellName,
  dueOfReadings,
  isCard,
  playerCellName,
  STOOD,
  totals,
  type Due,
  type HandName,
  type Rules,
  type SeenCard,
} from '#baccarat';
import type { CoupDetail } from '../entities/index.js';

type CardOfCoup = CoupDetail['cards'][number];

/** A card of a coup, and what the rules required when it was drawn. */
export type CoupStep = CardOfCoup & {
  /**
   * What was due before this card: several alternatives if an unread card leaves it open. A moved
   * card counts on the hand that it ended on.
   */
  readonly due: readonly Due[];
  /** The total of its hand with this card; null if it lies on no hand or a card was not read. */
  readonly total: number | null;
  /** The cell of the drawing table that decided about a third card, in words; null for any other. */
  readonly cell: string | null;
};

/**
 * The cards of a coup one by one, and what the rules require after the last of them: a missing
 * card, or the outcome.
 */
export interface Steps {
  readonly steps: readonly CoupStep[];
  readonly then: readonly Due[];
}

/**
 * Returns what was due at each card by the tableau of `rules`. If the player hand was free to draw
 * or stand and the next card went to the banker, the player hand stood, and the result is what the
 * rules then require. If no card follows, the result has both alternatives.
 */
export function stepsOf(cards: CoupDetail['cards'], { tableau }: Rules): Steps {
  const hands: Record<HandName, SeenCard[]> = { player: [], banker: [] };
  const steps: CoupStep[] = [];
  for (const card of cards) {
    const { to } = card;
    const due = dueOfReadings(hands, tableau, to === 'banker' ? 'stood' : 'asked');
    const cell = cellOf(hands, to);
    const isOnHand = to === 'player' || to === 'banker';
    if (isOnHand) hands[to].push({ card: isCard(card.card) ? card.card : null });
    steps.push({ ...card, due, total: isOnHand ? totalOf(hands[to]) : null, cell });
  }
  return { steps, then: dueOfReadings(hands, tableau, 'either') };
}

type Hands = Readonly<Record<HandName, readonly SeenCard[]>>;

/** Returns the total of a hand, or null if a card of it was not read. */
function totalOf(hand: readonly SeenCard[]): number | null {
  const [total, other] = totals(hand);
  return other === undefined ? (total ?? null) : null;
}

/** Returns the cell that decides about the third card of a hand, or null if none is known to. */
function cellOf({ player, banker }: Hands, to: CardOfCoup['to']): string | null {
  const hand = to === 'player' ? player : to === 'banker' ? banker : [];
  const [two, ofPlayer] = [hand, player].map((cards) => totalOf(cards.slice(0, 2)));
  if (hand.length !== 2 || player.length < 2 || !mayDraw(two) || !mayDraw(ofPlayer)) return null;
  if (to === 'player') return playerCellName(two);
  const third = player.length === 2 ? STOOD : totalOf(player.slice(2, 3));
  return third === null ? null : bankerCellName(two, third);
}

/** Returns whether a total of two cards is known and no natural. */
const mayDraw = (total: number | null | undefined): total is number =>
  typeof total === 'number' && total < 8;
