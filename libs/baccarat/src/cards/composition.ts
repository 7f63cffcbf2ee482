import { CARDS, isCard, type Card } from './cards.js';

/** How many of each card a shoe still holds. A card without an entry is not in the shoe. */
export type Composition = ReadonlyMap<Card, number>;

/**
 * The most decks that odds are computed for. Macau allows 6 to 12 (Despacho 83/2011 amending
 * 55/2004, article 2).
 */
export const MAX_DECKS = 12;

/** The most cards that one coup can draw. */
const COUP_CARDS = 6;

/**
 * Thrown for odds that cannot be computed. The message names the invalid input and the accepted
 * range.
 */
export class OddsRefusal extends Error {
  override readonly name = 'OddsRefusal';
}

/**
 * Returns a new shoe of `decks` decks of 52 cards. Throws `OddsRefusal` unless `decks` is a whole
 * number from 1 to 12.
 */
export function fullShoe(decks: number): Composition {
  if (!Number.isInteger(decks) || decks < 1 || decks > MAX_DECKS)
    throw new OddsRefusal(`decks must be a whole number from 1 to ${MAX_DECKS}, not ${decks}`);
  return new Map(CARDS.map((card) => [card, decks]));
}

/**
 * Returns the content of a shoe of `decks` decks after the cards of `drawn`, in any order. Throws
 * `OddsRefusal` if an item is not a card, or if a card is drawn more often than the decks hold it.
 */
export function remaining(decks: number, drawn: Iterable<Card>): Composition {
  const left = new Map(fullShoe(decks));
  for (const card of drawn) {
    if (!isCard(card)) throw new OddsRefusal(`"${String(card)}" is not a card`);
    const copies = left.get(card) as number;
    if (copies === 0)
      throw new OddsRefusal(`${card} is drawn ${decks + 1} times, but the shoe holds ${decks}`);
    left.set(card, copies - 1);
  }
  return left;
}

/**
 * Returns the number of copies of each card, in the order of `CARDS`. Throws `OddsRefusal` if a key
 * is not a card, if a number of copies is not 0 to 12, or if fewer than six cards are left, because
 * a coup may draw six.
 */
export function copiesOf(composition: Composition): number[] {
  let cards = 0;
  for (const [card, copies] of composition) {
    if (!isCard(card)) throw new OddsRefusal(`"${String(card)}" is not a card`);
    if (!Number.isInteger(copies) || copies < 0 || copies > MAX_DECKS)
      throw new OddsRefusal(
        `copies of ${card} must be a whole number from 0 to ${MAX_DECKS}, not ${copies}`,
      );
    cards += copies;
  }
  if (cards < COUP_CARDS)
    throw new OddsRefusal(
      `a shoe needs at least ${COUP_CARDS} cards for a coup, and ${cards} are left`,
    );
  return CARDS.map((card) => composition.get(card) ?? 0);
}

/** Returns the number of ordered sequences of six cards from `cards` cards: n (n−1) … (n−5). */
export function sequencesOf(cards: number): bigint {
  let product = 1n;
  for (let i = 0; i < COUP_CARDS; i += 1) product *= BigInt(cards - i);
  return product;
}
