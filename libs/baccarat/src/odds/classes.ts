import { holds } from '../bets/bets.js';
import { CARDS, rankOf, valueOf, type Card } from '../cards/cards.js';
import { CELL_FACTS } from './totals.js';
import type { CardQuestion } from './question.js';
import type { Facts } from '../rules/rule-document.js';

/**
 * A class of interchangeable cards: swapping two of them changes no answer. `card` is one of them.
 */
export interface CardClass {
  readonly card: Card;
  readonly copies: number;
}

/**
 * Sorts a shoe's cards (`copies` in the order of `CARDS`) into the fewest classes that answer the
 * question.
 */
export function classesOf(question: CardQuestion, copies: readonly number[]): readonly CardClass[] {
  const told = (card: Card): string =>
    question.compares === 'cards' ? card : question.compares === 'ranks' ? rankOf(card) : '';
  const places = [...question.player, ...question.banker];
  return sortedBy(
    (card) =>
      [valueOf(card), told(card), ...places.flatMap((patterns) => metBy(card, patterns))].join(),
    CARDS.map((card, i) => ({ card, copies: copies[i] as number })),
  ).kinds;
}

/**
 * Third cards by kind: the player's by value and by the patterns of both hands, the banker's by
 * value and its own patterns.
 */
export interface ThirdCards {
  /** By card class: its kind as a player's third card. */
  readonly kindOf: readonly number[];
  readonly values: readonly number[];
  /** By kind: its kind as a banker's third card, and its value. */
  readonly bankerKindOf: readonly number[];
  readonly bankerValues: readonly number[];
  /** By kind: the index of its answer in `answers`. */
  readonly playerAnswers: readonly number[];
  readonly bankerAnswers: readonly number[];
  /** By hand: one card for each distinct set of patterns that its third card can match. */
  readonly answers: { readonly player: readonly Card[]; readonly banker: readonly Card[] };
}

/**
 * Classifies cards as third cards for these patterns. The card classes must be fine enough for
 * them.
 */
export function thirdCardsOf(
  classes: readonly CardClass[],
  player: readonly string[],
  banker: readonly string[],
): ThirdCards {
  const asBanker = (card: Card): string => [valueOf(card), ...metBy(card, banker)].join();
  const kinds = sortedBy((card) => [asBanker(card), ...metBy(card, player)].join(), classes);
  const bankerKinds = sortedBy(asBanker, kinds.kinds);
  const playerAnswers = sortedBy((card) => metBy(card, player).join(), kinds.kinds);
  const bankerAnswers = sortedBy((card) => metBy(card, banker).join(), bankerKinds.kinds);
  return {
    kindOf: kinds.kindOf,
    values: kinds.kinds.map(({ card }) => valueOf(card)),
    bankerKindOf: bankerKinds.kindOf,
    bankerValues: bankerKinds.kinds.map(({ card }) => valueOf(card)),
    playerAnswers: playerAnswers.kindOf,
    bankerAnswers: bankerAnswers.kindOf,
    answers: {
      player: playerAnswers.kinds.map(({ card }) => card),
      banker: bankerAnswers.kinds.map(({ card }) => card),
    },
  };
}

/** Returns whether the card matches each pattern. */
export const metBy = (card: Card, patterns: readonly string[] = []): boolean[] =>
  patterns.map((pattern) =>
    holds({ player: [pattern] }, CELL_FACTS[0] as Facts, { player: [card], banker: [] }),
  );

/** Groups equal signatures in order of first appearance. `kindOf` maps each item to its group. */
function sortedBy(
  say: (card: Card) => string,
  classes: readonly CardClass[],
): { kinds: CardClass[]; kindOf: number[] } {
  const places = new Map<string, number>();
  const kinds: { card: Card; copies: number }[] = [];
  const kindOf = classes.map(({ card, copies }) => {
    const said = say(card);
    const place = places.get(said) ?? kinds.push({ card, copies: 0 }) - 1;
    places.set(said, place);
    (kinds[place] as { copies: number }).copies += copies;
    return place;
  });
  return { kinds, kindOf };
}
