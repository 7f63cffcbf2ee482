import { CARDS, isCard, type Card } from './cards.js';

/** The cards that a shoe still holds: how many of each. A card that is not named is not there. */
export type Composition = ReadonlyMap<Card, number>;

/** The most decks that a shoe is computed for: Macau allows 6 to 12 (Despacho 83/2011 amending 55/2004, article 2). */
export const MAX_DECKS = 12;

/** The most cards that one coup can take. */
const COUP_CARDS = 6;

/** A request for odds that nothing can answer; the message says what was asked and what could be. */
export class OddsRefusal extends Error {
  override readonly name = 'OddsRefusal';
}

/** A new shoe of `decks` decks of 52 cards. Refuses (`OddsRefusal`) other than 1 to 12 whole decks. */
export function fullShoe(decks: number): Composition {
  if (!Number.isInteger(decks) || decks < 1 || decks > MAX_DECKS)
    throw new OddsRefusal(`a shoe of ${decks} decks: odds are for 1 to ${MAX_DECKS} whole decks`);
  return new Map(CARDS.map((card) => [card, decks]));
}

/**
 * What a shoe of `decks` decks holds after `drawn`, in whatever order. Refuses (`OddsRefusal`) what is no card, and one
 * copy of a card more than the decks hold.
 */
export function remaining(decks: number, drawn: Iterable<Card>): Composition {
  const left = new Map(fullShoe(decks));
  for (const card of drawn) {
    if (!isCard(card)) throw new OddsRefusal(`"${String(card)}" is not a card`);
    const copies = left.get(card) as number;
    if (copies === 0)
      throw new OddsRefusal(`${card} drawn ${decks + 1} times from a shoe that holds ${decks}`);
    left.set(card, copies - 1);
  }
  return left;
}

/**
 * The copies of each card, in the order of `CARDS`. Refuses (`OddsRefusal`) what is no card, a number of copies that is
 * not 0 to 12, and fewer than the six cards that a coup may take.
 */
export function copiesOf(composition: Composition): number[] {
  let cards = 0;
  for (const [card, copies] of composition) {
    if (!isCard(card)) throw new OddsRefusal(`"${String(card)}" is not a card`);
    if (!Number.isInteger(copies) || copies < 0 || copies > MAX_DECKS)
      throw new OddsRefusal(`${copies} copies of ${card}: a shoe holds 0 to ${MAX_DECKS}`);
    cards += copies;
  }
  if (cards < COUP_CARDS)
    throw new OddsRefusal(
      `${cards} cards are left: a coup may take ${COUP_CARDS}, so it has no odds`,
    );
  return CARDS.map((card) => composition.get(card) ?? 0);
}

/** The number of ordered sequences of six cards from `cards` cards: n (n−1) … (n−5). */
export function sequencesOf(cards: number): bigint {
  let product = 1n;
  for (let i = 0; i < COUP_CARDS; i += 1) product *= BigInt(cards - i);
  return product;
}
