import { rankOf, totalOf, type Card } from '../cards/cards.js';
import { outcomeOf, type Hands } from '../tableau/due.js';
import type { Odds } from './odds-notation.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Bet, Rules, Tier } from '../rules/rules.js';

/** The facts that bets ask of two hands as they lie. */
export function factsOf({ player, banker }: Hands): Facts {
  const playerTotal = totalOf(player);
  const bankerTotal = totalOf(banker);
  const playerPair = isPair(player);
  const bankerPair = isPair(banker);
  return {
    winner: outcomeOf(playerTotal, bankerTotal),
    playerTotal,
    bankerTotal,
    playerCards: player.length,
    bankerCards: banker.length,
    cards: player.length + banker.length,
    margin: Math.abs(playerTotal - bankerTotal),
    playerNatural: player.length === 2 && playerTotal >= 8,
    bankerNatural: banker.length === 2 && bankerTotal >= 8,
    playerPair,
    bankerPair,
    pairs: Number(playerPair) + Number(bankerPair),
    perfectPairs:
      Number(player.length > 1 && player[0] === player[1]) +
      Number(banker.length > 1 && banker[0] === banker[1]),
  };
}

/** A pair is two cards of one rank, and looks at the first two cards only: a jack and a queen are none, a third card changes nothing. */
const isPair = ([first, second]: readonly Card[]): boolean =>
  first !== undefined && second !== undefined && rankOf(first) === rankOf(second);

/** Whether `predicate` holds of a coup with these facts and hands. */
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

/** A document's predicates are asked at every settlement: each is taken apart once. */
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

/** What becomes of a bet. `tier` is the place in the bet's `pays`, or in its `pushes`. */
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

/** What the rules make of a bet: pushes are tried first, then payouts, in the document's order; else it loses. */
export function resultOf(bet: Bet, facts: Facts, hands: Hands): Result {
  for (const push of bet.pushes)
    if (holds(push.when, facts, hands)) return { result: 'push', special: push.special };
  for (let tier = 0; tier < bet.pays.length; tier += 1) {
    const { when, odds, special } = bet.pays[tier] as Tier;
    if (holds(when, facts, hands)) return { result: 'win', odds, tier, special };
  }
  return LOSE;
}

/** The names announced with this result: `natural`, and the bets of the document's `specials` that win. */
export function specialsOf(rules: Rules, facts: Facts, hands: Hands): string[] {
  return rules.document.specials.filter((name) => {
    if (name === 'natural') return facts.playerNatural || facts.bankerNatural;
    const bet = rules.bets.get(name);
    return bet !== undefined && resultOf(bet, facts, hands).result === 'win';
  });
}
