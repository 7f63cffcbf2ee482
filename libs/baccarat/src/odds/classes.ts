import { holds } from '../bets/bets.js';
import { CARDS, rankOf, valueOf, type Card } from '../cards/cards.js';
import { CELL_FACTS } from './totals.js';
import type { CardQuestion } from './question.js';
import type { Facts } from '../rules/rule-document.js';

/** Cards that the question cannot tell apart: drawn in each other's place they change no answer. `card` stands for all. */
export interface CardClass {
  readonly card: Card;
  readonly copies: number;
}

/** Sorts a shoe's cards (`copies` in the order of `CARDS`) into the fewest classes that answer the question. */
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

/** Third cards, sorted: as the player's by value and by the patterns of both hands, as the banker's by value and its own patterns. */
export interface ThirdCards {
  /** By card class: its kind as a player's third card. */
  readonly kindOf: readonly number[];
  readonly values: readonly number[];
  /** By kind: the kind as a banker's third card, and its value. */
  readonly bankerKindOf: readonly number[];
  readonly bankerValues: readonly number[];
  /** By kind: which answer it gives, a place in `answers`. */
  readonly playerAnswers: readonly number[];
  readonly bankerAnswers: readonly number[];
  /** By hand: a card for each different set of patterns that its third card can meet. */
  readonly answers: { readonly player: readonly Card[]; readonly banker: readonly Card[] };
}

/** Sorts the classes' cards as third cards, of which these patterns are asked. The classes must tell them apart. */
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

/** Whether the card meets each pattern. */
export const metBy = (card: Card, patterns: readonly string[] = []): boolean[] =>
  patterns.map((pattern) =>
    holds({ player: [pattern] }, CELL_FACTS[0] as Facts, { player: [card], banker: [] }),
  );

/** Puts together what the same is said of, in the order of first sight; `kindOf` tells where each went. */
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
