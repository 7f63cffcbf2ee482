import { factsOf } from '../bets/bets.js';
import type { Card } from '../cards/cards.js';
import { metBy, type CardClass } from './classes.js';
import type { CardQuestion } from './question.js';

/**
 * The first two cards of a hand, as classes. `orders` is 2 if the other order is equivalent and is
 * counted here too.
 */
export interface Start {
  readonly first: number;
  readonly second: number;
  readonly orders: 1 | 2;
}

/** The starts of a hand that answer the question alike. `cards` is one of them. */
export interface StartAnswer {
  readonly cards: readonly [Card, Card];
  readonly starts: readonly Start[];
}

/**
 * Returns every possible start of a hand, grouped by its answer to the question about that hand.
 */
export function startsOf(
  hand: 'player' | 'banker',
  question: CardQuestion,
  classes: readonly CardClass[],
): readonly StartAnswer[] {
  const answers = new Map<string, { cards: readonly [Card, Card]; starts: Start[] }>();
  const cardsOf = (first: number, second: number): [Card, Card] => [
    (classes[first] as CardClass).card,
    (classes[second] as CardClass).card,
  ];
  const add = (first: number, second: number, orders: 1 | 2): void => {
    const cards = cardsOf(first, second);
    const said = saidOf(cards, hand, question);
    const answer = answers.get(said) ?? { cards, starts: [] };
    answers.set(said, answer);
    answer.starts.push({ first, second, orders });
  };
  for (let i = 0; i < classes.length; i += 1) {
    add(i, i, 1);
    for (let j = i + 1; j < classes.length; j += 1) {
      if (saidOf(cardsOf(i, j), hand, question) === saidOf(cardsOf(j, i), hand, question))
        add(i, j, 2);
      else {
        add(i, j, 1);
        add(j, i, 1);
      }
    }
  }
  return [...answers.values()];
}

function saidOf(
  start: readonly [Card, Card],
  hand: 'player' | 'banker',
  question: CardQuestion,
): string {
  const { playerPair, perfectPairs } = factsOf({ player: start, banker: [] });
  const [first, second] = question[hand];
  return [
    question.compares !== 'nothing' && playerPair,
    question.compares === 'cards' && perfectPairs,
    ...metBy(start[0], first),
    ...metBy(start[1], second),
  ].join();
}
