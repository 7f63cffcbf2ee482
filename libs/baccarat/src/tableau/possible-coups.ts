import { factsOf, holds } from '../bets/bets.js';
import { CARDS, rankOf, totalOf, valueOf, type Card } from '../cards/cards.js';
import { due, type Hands } from './due.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Tableau } from '../rules/rules.js';

/** A possible coup, as the bets see it. */
export interface PossibleCoup {
  readonly facts: Facts;
  readonly hands: Hands;
}

/**
 * Returns one coup of each kind that the conditions can distinguish, dealt by this drawing table.
 * An optional cell is played both ways. `decks` matters only for perfect pairs, which are
 * impossible with one deck.
 */
export function possibleCoups(
  tableau: Tableau,
  conditions: readonly Predicate[],
  decks: number,
): PossibleCoup[] {
  const player = sideOf('player', conditions, decks);
  const banker = sideOf('banker', conditions, decks);
  const patterned = conditions.some(
    (condition) => condition.player !== undefined || condition.banker !== undefined,
  );
  const coups = new Map<string, PossibleCoup>();
  for (const playerPair of player.pairs) {
    for (const bankerPair of banker.pairs) {
      for (const hands of playedOut({ player: playerPair, banker: bankerPair }, tableau, {
        player: player.thirds,
        banker: banker.thirds,
      })) {
        const facts = factsOf(hands);
        const key =
          Object.values(facts).join() +
          (patterned ? hands.player.join('') + hands.banker.join('') : '');
        if (!coups.has(key)) coups.set(key, { facts, hands });
      }
    }
  }
  return [...coups.values()];
}

/**
 * Returns which of `conditions`, evaluated in order, is ever the first to be true, which is ever
 * true, and whether some coup meets none.
 */
export function reached(
  conditions: readonly Predicate[],
  coups: readonly PossibleCoup[],
): { readonly first: boolean[]; readonly ever: boolean[]; readonly none: boolean } {
  const first = conditions.map(() => false);
  const ever = conditions.map(() => false);
  let none = false;
  for (const { facts, hands } of coups) {
    const holding = conditions.map((condition) => holds(condition, facts, hands));
    const at = holding.indexOf(true);
    if (at < 0) none = true;
    else first[at] = true;
    for (const [i, held] of holding.entries()) if (held) ever[i] = true;
  }
  return { first, ever, none };
}

interface Side {
  readonly pairs: readonly (readonly [Card, Card])[];
  readonly thirds: readonly Card[];
}

/**
 * Returns the first two cards and third cards of one hand: one example of each kind that total,
 * pair and patterns distinguish.
 */
function sideOf(hand: 'player' | 'banker', conditions: readonly Predicate[], decks: number): Side {
  const patterns = conditions.flatMap((condition) => (condition[hand] ? [condition[hand]] : []));
  const matched = (card: Card, at: number): string =>
    patterns.map((pattern) => Number(fits(pattern[at] ?? '??', card))).join('');
  const pairs = new Map<string, readonly [Card, Card]>();
  for (const one of CARDS) {
    for (const two of CARDS) {
      if (one === two && decks < 2) continue;
      const pair = one === two ? 'perfect' : rankOf(one) === rankOf(two) ? 'pair' : '';
      pairs.set(`${totalOf([one, two])} ${pair} ${matched(one, 0)} ${matched(two, 1)}`, [one, two]);
    }
  }
  const thirds = new Map(CARDS.map((card) => [`${valueOf(card)} ${matched(card, 2)}`, card]));
  return { pairs: [...pairs.values()], thirds: [...thirds.values()] };
}

const fits = (pattern: string, card: Card): boolean =>
  Array.from(pattern).every((letter, i) => letter === '?' || letter === card[i]);

function* playedOut(
  hands: Hands,
  tableau: Tableau,
  thirds: Readonly<Record<'player' | 'banker', readonly Card[]>>,
  stood = false,
): Generator<Hands> {
  const next = due(hands, { tableau }, stood);
  if (next.step === 'outcome') {
    yield hands;
    return;
  }
  for (const card of thirds[next.to]) {
    yield* playedOut({ ...hands, [next.to]: [...hands[next.to], card] }, tableau, thirds, stood);
  }
  if (!next.optional) return;
  if (next.to === 'player') yield* playedOut(hands, tableau, thirds, true);
  else yield hands;
}
