import {
  dueOfReadings,
  isCard,
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
    steps.push({
      ...card,
      due: dueOfReadings(hands, tableau, to === 'banker' ? 'stood' : 'asked'),
    });
    if (to === 'player' || to === 'banker')
      hands[to].push({ card: isCard(card.card) ? card.card : null });
  }
  return { steps, then: dueOfReadings(hands, tableau, 'either') };
}
