/** Ranks in the order of rule books. */
export const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'] as const;
/** Spades, hearts, diamonds, clubs. */
export const SUITS = ['S', 'H', 'D', 'C'] as const;

/** The rank of a card, as its first letter. */
export type Rank = (typeof RANKS)[number];
/** The suit of a card, as its second letter. */
export type Suit = (typeof SUITS)[number];
/** Two characters, rank then suit: `9S`, `TD`. */
export type Card = `${Rank}${Suit}`;

/** The 52 cards of one deck, suit by suit. */
export const CARDS: readonly Card[] = SUITS.flatMap((suit) =>
  RANKS.map((rank) => `${rank}${suit}` as const),
);

const NAMES: ReadonlySet<string> = new Set(CARDS);

/**
 * Indexed by character code. For a rank: its value and its index in `RANKS`. For a suit: the index
 * of its ace in `CARDS`.
 */
const VALUE_AT = new Uint8Array(128);
const PLACE_AT = new Uint8Array(128);
RANKS.forEach((rank, i) => {
  VALUE_AT[rank.charCodeAt(0)] = i < 9 ? i + 1 : 0;
  PLACE_AT[rank.charCodeAt(0)] = i;
});
SUITS.forEach((suit, i) => {
  PLACE_AT[suit.charCodeAt(0)] = i * RANKS.length;
});

/** Returns whether `text` is a card. */
export const isCard = (text: unknown): text is Card => typeof text === 'string' && NAMES.has(text);

/**
 * Returns a card's value: ace 1, two to nine their pips, ten and faces 0. Source: 58 Pa. Code §
 * 627a.8 and NSW rules 3.2 to 3.3, as docs/rules/README.md cites them.
 */
export const valueOf = (card: Card): number => VALUE_AT[card.charCodeAt(0)] as number;

/** Returns the index of a card in `CARDS`, 0 to 51. */
export const cardIndex = (card: Card): number =>
  (PLACE_AT[card.charCodeAt(1)] as number) + (PLACE_AT[card.charCodeAt(0)] as number);

/** Returns the rank of a card. */
export const rankOf = (card: Card): Rank => card.charAt(0) as Rank;
/** Returns the suit of a card. */
export const suitOf = (card: Card): Suit => card.charAt(1) as Suit;

/** Returns a hand's total: the last digit of the sum of its cards. */
export const totalOf = (hand: readonly Card[]): number =>
  hand.reduce((sum, card) => sum + valueOf(card), 0) % 10;
