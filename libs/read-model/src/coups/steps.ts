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
export type Step = CardOfCoup & {
  /**
   * What was due before this card, with the hands as they lay: one thing, or several where a card that was not read leaves
   * it open. A card that was moved counts where it came to lie.
   */
  readonly due: readonly Due[];
};

/** The cards of a coup one by one, and what the rules require after the last of them: a card that is missing, or the outcome. */
export interface Steps {
  readonly steps: readonly Step[];
  readonly then: readonly Due[];
}

/**
 * Card by card what was due, by the tableau of `rules`. Where the player hand was free to draw or stand and the next card went to
 * the banker, it stood, and what was due is what the rules then require; where nothing follows, both are told.
 */
export function stepsOf(cards: CoupDetail['cards'], { tableau }: Rules): Steps {
  const hands: Record<HandName, SeenCard[]> = { player: [], banker: [] };
  const steps: Step[] = [];
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
