import { permittedBurns, RANKS, rankOf, type Rules } from '#baccarat';
import { planStep, type PlannedStep } from '../coup/script.js';
import type { Random } from '../random.js';
import type { CardsOfShoe } from './cards-of-shoe.js';

/**
 * More than any document burns: the indicator and ten, or a card for each of twelve decks and more.
 */
const BURN_MAX = 24;

/**
 * Returns the permitted numbers of burned cards, including the indicator, if `first` is the next
 * card's rank.
 */
function lawfulCounts({ document }: Rules, decks: number, first: string): number[] {
  const { counts, byFirstCard } = permittedBurns(document.burn, decks, first);
  return [...counts, ...byFirstCard.map((count) => count + 1)];
}

/** How a simulated shoe is burned. */
export type Burn = 'lawful' | 'missing' | 'wrong';

const unlawfulCounts = (rules: Rules, decks: number, first: string): number[] => {
  const lawful = lawfulCounts(rules, decks, first);
  return Array.from({ length: BURN_MAX }, (_, i) => i + 1).filter(
    (count) => !lawful.includes(count),
  );
};

/**
 * Returns whether a burn can be wrong in this way: whether one is required, or some number is not
 * permitted whatever the first card.
 */
export function canBurn(rules: Rules, decks: number, burn: 'missing' | 'wrong'): boolean {
  if (burn === 'missing')
    return !permittedBurns(rules.document.burn, decks, undefined).counts.includes(0);
  return RANKS.every((rank) => unlawfulCounts(rules, decks, rank).length > 0);
}

/** Returns the most cards that the document may burn. */
export const mostBurned = (rules: Rules, decks: number): number =>
  Math.max(0, ...RANKS.flatMap((rank) => lawfulCounts(rules, decks, rank)));

/**
 * Burns cards before the first coup: a permitted number, none, or a number that the document does
 * not permit.
 */
export function burnCards(
  cards: CardsOfShoe,
  rules: Rules,
  burn: Burn,
  random: Random,
): PlannedStep[] {
  if (burn === 'missing') return [];
  const [indicator] = cards.remaining;
  const first = indicator ? rankOf(indicator) : 'A';
  const count =
    burn === 'lawful'
      ? random.pick(lawfulCounts(rules, cards.decks, first))
      : random.pick(unlawfulCounts(rules, cards.decks, first).slice(0, 6));
  return cards
    .draw(count)
    .map((card) => planStep('shoe', 'card-drawn', { card, to: 'burn' }, 700 + random.below(500)));
}
