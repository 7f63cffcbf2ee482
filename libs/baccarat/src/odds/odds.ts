import { resultOf, type Result } from '../bets/bets.js';
import { CARDS, valueOf } from '../cards/cards.js';
import { copiesOf, fullShoe, sequencesOf, type Composition } from '../cards/composition.js';
import type { Outcome } from '../tableau/due.js';
import {
  exactFraction,
  exactly,
  negative,
  plus,
  times,
  type ExactFraction,
} from './exact-fraction.js';
import { countByCards, type CoupClass } from './cards.js';
import { drawingOf, type Choice } from './drawing.js';
import { questionOf } from './question.js';
import { CELL_FACTS, countTotals } from './totals.js';
import type { Facts } from '../rules/rule-document.js';
import type { Bet, Rules } from '../rules/rules.js';

/**
 * How often a bet wins, pushes and loses, and its value. Counts are of ordered six-card sequences.
 */
export interface BetOdds {
  readonly win: bigint;
  /** Wins by index in the bet's `pays`. */
  readonly tiers: readonly bigint[];
  readonly push: bigint;
  readonly lose: bigint;
  /**
   * The average return of a unit staked, pushes included: after commission at its exact rate, and
   * before it.
   */
  readonly expected: ExactFraction;
  readonly expectedBeforeCommission: ExactFraction;
  /**
   * The house's share of a unit staked: the negative of `expected`, after commission and before it.
   */
  readonly edge: ExactFraction;
  readonly edgeBeforeCommission: ExactFraction;
  /** The edge on a unit of the stakes that did not push. `undefined` if every coup pushes. */
  readonly edgePerDecided: ExactFraction | undefined;
}

/** Exact odds of one coup from a shoe. */
export interface CoupOdds {
  /** All ordered sequences of six cards: n (n−1) … (n−5). */
  readonly total: bigint;
  readonly outcomes: Readonly<Record<Outcome, bigint>>;
  /** Coups by number of cards. */
  readonly cards: Readonly<Record<4 | 5 | 6, bigint>>;
  /** Every bet of the document, in the document's order. */
  readonly bets: ReadonlyMap<string, BetOdds>;
}

/** Options of an exact solve. */
export interface OddsOptions {
  /** What a hand does in every optional cell of the tableau. Required if there is one. */
  readonly choice?: Choice;
}

/**
 * Returns the exact odds of the first coup from a new shoe of `decks` decks. These are also the
 * odds of any later coup while nothing is known about the cards before it. Accepts numbers of decks
 * that the document does not allow. Throws `OddsRefusal` unless `decks` is 1 to 12, and for
 * optional cells without a `choice`.
 */
export const oddsOf = (rules: Rules, decks: number, options: OddsOptions = {}): CoupOdds =>
  oddsOfComposition(rules, fullShoe(decks), options);

/**
 * Returns the exact odds of the next coup from a shoe that holds these cards, in any order with
 * equal probability. Throws `OddsRefusal` for a composition of fewer than six cards or of more than
 * 12 decks, and for optional cells without a `choice`.
 */
export function oddsOfComposition(
  rules: Rules,
  composition: Composition,
  { choice }: OddsOptions = {},
): CoupOdds {
  const copies = copiesOf(composition);
  const drawing = drawingOf(rules, choice);
  const cells = countTotals(byValueOf(copies), drawing);
  const counted = new Map<string, readonly CoupClass[]>();
  const countsOf = (bet: Bet): Counts => {
    const question = questionOf(bet);
    if (question === undefined) return countByTotals(bet, cells);
    const key = JSON.stringify(question);
    const classes = counted.get(key) ?? countByCards(copies, question, drawing);
    counted.set(key, classes);
    return countByClasses(bet, classes);
  };
  const total = sequencesOf(copies.reduce((sum, count) => sum + count, 0));
  return {
    total,
    outcomes: {
      player: sumWhere(cells, 'winner', 'player'),
      banker: sumWhere(cells, 'winner', 'banker'),
      tie: sumWhere(cells, 'winner', 'tie'),
    },
    cards: {
      4: sumWhere(cells, 'cards', 4),
      5: sumWhere(cells, 'cards', 5),
      6: sumWhere(cells, 'cards', 6),
    },
    bets: new Map(
      [...rules.bets].map(([id, bet]) => [id, worthOf(bet, countsOf(bet), total, rules)]),
    ),
  };
}

const valuesOfCards = CARDS.map(valueOf);

/** Returns the number of cards of each value, from the copies of each card. */
const byValueOf = (copies: readonly number[]): number[] =>
  Array.from({ length: 10 }, (_, value) =>
    copies.reduce((sum, count, card) => (valuesOfCards[card] === value ? sum + count : sum), 0),
  );

function sumWhere<F extends keyof Facts>(
  cells: readonly bigint[],
  fact: F,
  value: Facts[F],
): bigint {
  let sum = 0n;
  for (let cell = 0; cell < cells.length; cell += 1)
    if (CELL_FACTS[cell]?.[fact] === value) sum += cells[cell] as bigint;
  return sum;
}

interface Counts {
  readonly tiers: readonly bigint[];
  readonly push: bigint;
  readonly lose: bigint;
}

const NO_CARDS = { player: [], banker: [] };

/**
 * The result of a bet in each cell, computed once for each bet, so that odds after each coup cost
 * only sums.
 */
const cellResults = new WeakMap<Bet, readonly Result[]>();

function countByTotals(bet: Bet, cells: readonly bigint[]): Counts {
  const results = cellResults.get(bet) ?? CELL_FACTS.map((facts) => resultOf(bet, facts, NO_CARDS));
  cellResults.set(bet, results);
  return countResults(bet, cells, (cell) => results[cell] as Result);
}

const countByClasses = (bet: Bet, classes: readonly CoupClass[]): Counts =>
  countResults(
    bet,
    classes.map(({ count }) => count),
    (place) => {
      const { facts, hands } = classes[place] as CoupClass;
      return resultOf(bet, facts, hands);
    },
  );

function countResults(
  bet: Bet,
  counts: readonly bigint[],
  resultAt: (place: number) => Result,
): Counts {
  const tiers = bet.pays.map(() => 0n);
  let push = 0n;
  let lose = 0n;
  counts.forEach((count, place) => {
    if (count === 0n) return;
    const became = resultAt(place);
    switch (became.result) {
      case 'win':
        tiers[became.tier] = (tiers[became.tier] as bigint) + count;
        break;
      case 'push':
        push += count;
        break;
      case 'lose':
        lose += count;
        break;
    }
  });
  return { tiers, push, lose };
}

function worthOf(
  bet: Bet,
  { tiers, push, lose }: Counts,
  total: bigint,
  { commission }: Rules,
): BetOdds {
  const win = tiers.reduce((sum, count) => sum + count, 0n);
  const winnings = bet.pays
    .map(({ odds }, tier) => times(exactly(odds.profit), { num: tiers[tier] as bigint, den: 1n }))
    .reduce(plus, { num: 0n, den: 1n });
  const rate =
    bet.commission && commission !== undefined ? exactly(commission.rate) : { num: 0n, den: 1n };
  const kept = times(winnings, { num: rate.den - rate.num, den: rate.den });
  const lost = { num: -lose, den: 1n };
  const [gross, net] = [plus(winnings, lost), plus(kept, lost)];
  const perUnitOf = ({ num, den }: ExactFraction, stakes: bigint): ExactFraction =>
    exactFraction(num, den * stakes);
  const [expected, expectedBeforeCommission] = [perUnitOf(net, total), perUnitOf(gross, total)];
  return {
    win,
    tiers,
    push,
    lose,
    expected,
    expectedBeforeCommission,
    edge: negative(expected),
    edgeBeforeCommission: negative(expectedBeforeCommission),
    edgePerDecided: push === total ? undefined : negative(perUnitOf(net, total - push)),
  };
}
