import { rankOf, totalOf, type Card } from '../cards/cards.js';
import { endsDrawing, outcomeOf, type Hands } from '../tableau/due.js';
import type { SeenCard } from '../tableau/readings.js';
import type { Odds } from './odds-notation.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Bet, Rules, Tier } from '../rules/rules.js';

/** The pair that the first two cards of a hand make: of rank, or of rank and suit. */
export type Pair = 'none' | 'pair' | 'perfect';

/** What bets can ask of one hand. */
export interface HandFacts {
  readonly cards: number;
  readonly total: number;
  readonly natural: boolean;
  readonly pair: Pair;
}

/** Returns the facts that bets ask of two hands as they lie. */
export const factsOf = ({ player, banker }: Hands): Facts =>
  factsAt(handFacts(player), handFacts(banker));

const handFacts = (hand: readonly Card[]): HandFacts => ({
  cards: hand.length,
  total: totalOf(hand),
  natural: isNatural(hand.length, totalOf(hand.slice(0, 2))),
  pair: pairOf(hand),
});

/**
 * Returns whether a hand's first two cards, whose total is `two`, make 8 or 9, whatever was drawn
 * after them.
 */
export const isNatural = (cards: number, two: number): boolean => cards >= 2 && endsDrawing(two, 0);

/** Returns the cards of a hand that were read. */
export function readCards(hand: readonly SeenCard[]): Card[] {
  const cards: Card[] = [];
  // A loop, because this runs for each settled bet and flatMap takes far longer.
  for (const { card } of hand) if (card !== null) cards.push(card);
  return cards;
}

/** Returns the facts that bets ask of two hands of which so much is known. */
export function factsAt(player: HandFacts, banker: HandFacts): Facts {
  return {
    winner: outcomeOf(player.total, banker.total),
    playerTotal: player.total,
    bankerTotal: banker.total,
    playerCards: player.cards,
    bankerCards: banker.cards,
    cards: player.cards + banker.cards,
    margin: Math.abs(player.total - banker.total),
    playerNatural: player.natural,
    bankerNatural: banker.natural,
    playerPair: player.pair !== 'none',
    bankerPair: banker.pair !== 'none',
    pairs: Number(player.pair !== 'none') + Number(banker.pair !== 'none'),
    perfectPairs: Number(player.pair === 'perfect') + Number(banker.pair === 'perfect'),
  };
}

/**
 * Returns the pair of a hand: two cards of one rank among the first two. A jack and a queen are not
 * a pair, and a third card changes nothing.
 */
export function pairOf([first, second]: readonly Card[]): Pair {
  if (first === undefined || second === undefined || rankOf(first) !== rankOf(second))
    return 'none';
  return first === second ? 'perfect' : 'pair';
}

/** Returns whether `predicate` is true of a coup with these facts and hands. */
export function holds(predicate: Predicate, facts: Facts, hands: Hands): boolean {
  for (const [fact, wanted] of conditionsOf(predicate)) {
    if (fact === 'player' || fact === 'banker') {
      if (!matches(wanted as readonly string[], fact === 'player' ? hands.player : hands.banker))
        return false;
    } else {
      const seen = facts[fact];
      if (Array.isArray(wanted) ? !wanted.includes(seen) : seen !== wanted) return false;
    }
  }
  return true;
}

type Condition = readonly [fact: keyof Facts | 'player' | 'banker', wanted: unknown];

/** Every settlement evaluates a document's predicates, so each is parsed once and cached. */
const TAKEN_APART = new WeakMap<Predicate, readonly Condition[]>();

function conditionsOf(predicate: Predicate): readonly Condition[] {
  let conditions = TAKEN_APART.get(predicate);
  if (!conditions)
    TAKEN_APART.set(predicate, (conditions = Object.entries(predicate) as unknown as Condition[]));
  return conditions;
}

const matches = (patterns: readonly string[], hand: readonly Card[]): boolean =>
  patterns.every((pattern, i) => {
    const card = hand[i];
    return (
      card !== undefined &&
      (pattern[0] === '?' || pattern[0] === card[0]) &&
      (pattern[1] === '?' || pattern[1] === card[1])
    );
  });

/** The result of a bet. `tier` is the index in the bet's `pays` or `pushes`. */
export type Result =
  | {
      readonly result: 'win';
      readonly odds: Odds;
      readonly tier: number;
      readonly special: boolean;
    }
  | { readonly result: 'push'; readonly special: boolean }
  | { readonly result: 'lose' };

const LOSE: Result = { result: 'lose' };

/** Returns the result of a bet: the first push that applies, else the first payout, else a loss. */
export function resultOf(bet: Bet, facts: Facts, hands: Hands): Result {
  for (const push of bet.pushes)
    if (holds(push.when, facts, hands)) return { result: 'push', special: push.special };
  for (let tier = 0; tier < bet.pays.length; tier += 1) {
    const { when, odds, special } = bet.pays[tier] as Tier;
    if (holds(when, facts, hands)) return { result: 'win', odds, tier, special };
  }
  return LOSE;
}

/**
 * Returns the names announced with this result: `natural`, and the winning bets among the
 * document's `specials`.
 */
export function specialsOf(rules: Rules, facts: Facts, hands: Hands): string[] {
  return rules.document.specials.filter((name) => {
    if (name === 'natural') return facts.playerNatural || facts.bankerNatural;
    const bet = rules.bets.get(name);
    return bet !== undefined && resultOf(bet, facts, hands).result === 'win';
  });
}
