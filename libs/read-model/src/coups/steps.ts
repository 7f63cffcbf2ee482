import { due, isCard, type Card, type Due, type Rules } from '#baccarat';
import type { CoupDetail } from '../writing/rows.js';

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
export function stepsOf(cards: CoupDetail['cards'], rules: Rules): Steps {
  const hands: Lying = { player: [], banker: [] };
  const steps: Step[] = [];
  for (const card of cards) {
    steps.push({
      ...card,
      due: dueWith(hands, rules, card.to === 'banker' ? ['stood'] : ['asked']),
    });
    if (card.to === 'player' || card.to === 'banker')
      hands[card.to].push(isCard(card.card) ? card.card : null);
  }
  return { steps, then: dueWith(hands, rules, ['asked', 'stood']) };
}

interface Lying {
  readonly player: (Card | null)[];
  readonly banker: (Card | null)[];
}

/** One card of each value: whichever an unread card was, it counted as one of these. */
const EACH_VALUE: readonly Card[] = ['TS', 'AS', '2S', '3S', '4S', '5S', '6S', '7S', '8S', '9S'];

/** Everything that may be due: a player hand that is free is `asked` whether it draws, or has `stood`. */
function dueWith(
  { player, banker }: Lying,
  rules: Rules,
  free: readonly ('asked' | 'stood')[],
): readonly Due[] {
  const found = new Map<string, Due>();
  for (const p of readings(player))
    for (const b of readings(banker)) {
      const hands = { player: p, banker: b };
      const next = due(hands, rules);
      const isFree = next.step === 'card' && next.optional && next.to === 'player';
      for (const one of isFree
        ? free.map((how) => (how === 'asked' ? next : due(hands, rules, true)))
        : [next])
        found.set(JSON.stringify(one), one);
    }
  return [...found.values()];
}

/**
 * The hands that this one may be, as far as the rules can tell them apart: by the total of the first two cards, by the
 * third card, and by the total of all. Beside an unread card among the first two that total is any, so one of them takes
 * every value and the other none; cards after the third only add to a total that is then any already.
 */
function readings(hand: readonly (Card | null)[]): Card[][] {
  const open = hand.slice(0, 2).includes(null);
  const may = hand.map((card, i): readonly Card[] => {
    if (i < 2) return !open ? [card as Card] : i === 0 ? EACH_VALUE : NOTHING;
    if (card !== null) return [card];
    return i === 2 || !hand.slice(0, i).includes(null) ? EACH_VALUE : NOTHING;
  });
  return may.reduce<Card[][]>(
    (all, cards) => all.flatMap((sofar) => cards.map((card) => [...sofar, card])),
    [[]],
  );
}
const NOTHING: readonly Card[] = ['TS'];
