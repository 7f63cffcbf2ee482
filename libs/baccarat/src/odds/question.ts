import { holds } from '../bets/bets.js';
import type { Hands } from '../tableau/due.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Bet } from '../rules/rules.js';

/** What a bet needs to know of the cards, apart from totals and hand shapes. */
export interface CardQuestion {
  /** Whether the bet compares the ranks, or the exact cards, of each hand's first two cards. */
  readonly compares: 'nothing' | 'ranks' | 'cards';
  /** By hand and by index of the card in it: the patterns to match. */
  readonly player: readonly Patterns[];
  readonly banker: readonly Patterns[];
  /** The conditions on a named third card. */
  readonly thirds: readonly ThirdCondition[];
}
type Patterns = readonly string[];

/** A condition on a named third card, reduced to what cards decide. */
interface ThirdCondition {
  /** Its condition on the first four cards. */
  readonly start: Predicate;
  readonly player: Patterns;
  readonly banker: Patterns;
}

/** What each fact needs to know. The type makes a new fact appear here. */
const TAKES: Readonly<Record<keyof Facts, CardQuestion['compares']>> = {
  winner: 'nothing',
  playerTotal: 'nothing',
  bankerTotal: 'nothing',
  playerCards: 'nothing',
  bankerCards: 'nothing',
  cards: 'nothing',
  margin: 'nothing',
  playerNatural: 'nothing',
  bankerNatural: 'nothing',
  playerPair: 'ranks',
  bankerPair: 'ranks',
  pairs: 'ranks',
  perfectPairs: 'cards',
};

/**
 * Returns what a bet's conditions need to know of the cards, or `undefined` if totals and hand
 * shapes decide the bet.
 */
export function questionOf(bet: Bet): CardQuestion | undefined {
  const conditions = [...bet.pushes, ...bet.pays].map(({ when }) => when);
  const compares = conditions
    .flatMap((when) => factsIn(when).map((fact) => TAKES[fact]))
    .reduce(more, 'nothing');
  const asksPatterns = conditions.some(
    (when) => when.player !== undefined || when.banker !== undefined,
  );
  if (compares === 'nothing' && !asksPatterns) return undefined;
  const patternsOf = (hand: 'player' | 'banker'): Patterns[] =>
    PLACES.map((place) =>
      [...new Set(conditions.flatMap((when) => patternAt(when, hand, place)))].sort(),
    );
  return {
    compares,
    player: patternsOf('player'),
    banker: patternsOf('banker'),
    thirds: conditions
      .map(thirdConditionOf)
      .filter(({ player, banker }) => player.length + banker.length > 0),
  };
}

/** A hand has at most three cards, so a fourth pattern never matches. */
const PLACES = [0, 1, 2];

const factsIn = (when: Predicate): (keyof Facts)[] =>
  Object.keys(when).filter((fact) => fact !== 'player' && fact !== 'banker') as (keyof Facts)[];

const more = (
  a: CardQuestion['compares'],
  b: CardQuestion['compares'],
): CardQuestion['compares'] =>
  a === 'cards' || b === 'cards' ? 'cards' : a === 'ranks' || b === 'ranks' ? 'ranks' : 'nothing';

/** Returns the pattern at an index of a hand, or `undefined` if every card matches it. */
const patternAt = (when: Predicate, hand: 'player' | 'banker', place: number): Patterns =>
  (when[hand] ?? []).slice(place, place + 1).filter((pattern) => pattern !== '??');

function thirdConditionOf(when: Predicate): ThirdCondition {
  const compared = factsIn(when)
    .filter((fact) => TAKES[fact] !== 'nothing')
    .map((fact) => [fact, when[fact]]);
  const cut = (['player', 'banker'] as const).flatMap((hand) =>
    when[hand] === undefined ? [] : [[hand, when[hand].slice(0, 2)]],
  );
  return {
    start: Object.fromEntries([...compared, ...cut]) as Predicate,
    player: patternAt(when, 'player', 2),
    banker: patternAt(when, 'banker', 2),
  };
}

/**
 * Returns the patterns of third cards that still matter after the first four cards: those of
 * conditions that these can meet.
 */
export function stillAsked(
  { thirds }: CardQuestion,
  facts: Facts,
  hands: Hands,
): { player: Patterns; banker: Patterns } {
  const open = thirds.filter(({ start }) => holds(start, facts, hands));
  return {
    player: [...new Set(open.flatMap(({ player }) => player))],
    banker: [...new Set(open.flatMap(({ banker }) => banker))],
  };
}
