import { rankOf, totalOf, type Card } from '../cards/cards.js';
import { endsDrawing, outcomeOf, type HandTotals, type Hands } from '../tableau/due.js';
import { handReadings, type SeenCard, type SeenHands } from '../tableau/readings.js';
import type { Odds } from './odds-notation.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Bet, Rules, Tier } from '../rules/rules.js';

/** What bets can ask of one hand. */
interface HandFacts {
  readonly cards: number;
  readonly total: number;
  readonly natural: boolean;
  readonly pair: 'none' | 'pair' | 'perfect';
}

/** Returns the facts that bets ask of two hands as they lie. */
export const factsOf = ({ player, banker }: Hands): Facts =>
  factsAt(handFacts(player), handFacts(banker));

const handFacts = (hand: readonly Card[]): HandFacts => ({
  cards: hand.length,
  total: totalOf(hand),
  natural: isNatural({ cards: hand.length, two: totalOf(hand.slice(0, 2)) }),
  pair: pairOf(hand),
});

/** Returns whether the first two cards of a hand make 8 or 9, whatever was drawn after them. */
const isNatural = ({ cards, two }: Pick<HandTotals, 'cards' | 'two'>): boolean =>
  cards >= 2 && endsDrawing(two, 0);

/**
 * Returns the facts of two hands, one for each way in which their unread cards can matter to a bet.
 */
export function possibleFacts({ player, banker }: SeenHands): Facts[] {
  const read = { player: readCards(player), banker: readCards(banker) };
  if (read.player.length === player.length && read.banker.length === banker.length)
    return [factsOf(read)];
  const bankers = possibleHandFacts(banker);
  return possibleHandFacts(player).flatMap((of) => bankers.map((against) => factsAt(of, against)));
}

function possibleHandFacts(hand: readonly SeenCard[]): HandFacts[] {
  const [first, second] = hand;
  const isOpen = first && second && (first.card === null || second.card === null);
  const pairs = isOpen ? PAIRS : [pairOf(readCards(hand.slice(0, 2)))];
  const found = new Map<number, Pick<HandFacts, 'total' | 'natural'>>();
  for (const reading of handReadings(hand)) {
    const natural = isNatural(reading);
    found.set(2 * reading.total + Number(natural), { total: reading.total, natural });
  }
  return [...found.values()].flatMap((each) =>
    pairs.map((pair) => ({ cards: hand.length, ...each, pair })),
  );
}

const PAIRS = ['none', 'pair', 'perfect'] as const;

/** Returns the cards of a hand that were read. */
export function readCards(hand: readonly SeenCard[]): Card[] {
  const cards: Card[] = [];
  // A loop, because this runs for each settled bet and flatMap takes far longer.
  for (const { card } of hand) if (card !== null) cards.push(card);
  return cards;
}

function factsAt(player: HandFacts, banker: HandFacts): Facts {
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
function pairOf([first, second]: readonly Card[]): HandFacts['pair'] {
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
