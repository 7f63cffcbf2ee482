import { holds } from '../bets/bets.js';
import type { Hands } from '../tableau/due.js';
import type { Facts, Predicate } from '../rules/rule-document.js';
import type { Bet } from '../rules/rules.js';

/** What a bet must know of the cards beyond totals and hand shapes. */
export interface CardQuestion {
  /** The ranks, or the very cards, of each hand's first two cards are compared. */
  readonly compares: 'nothing' | 'ranks' | 'cards';
  /** By hand, then by the card's place in it: the patterns asked there. */
  readonly player: readonly Patterns[];
  readonly banker: readonly Patterns[];
  /** The conditions that ask for a third card by name. */
  readonly thirds: readonly ThirdCondition[];
}
type Patterns = readonly string[];

/** A condition that asks for a third card by name, cut to what cards decide. */
interface ThirdCondition {
  /** What it asks of the first four cards. */
  readonly start: Predicate;
  readonly player: Patterns;
  readonly banker: Patterns;
}

/** What it takes to know each fact; a new fact cannot be forgotten here. */
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

/** What a bet's conditions ask of the cards; `undefined` where totals and hand shapes decide the bet. */
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

/** A hand has at most three cards: a fourth pattern is never met, whatever it asks. */
const PLACES = [0, 1, 2];

const factsIn = (when: Predicate): (keyof Facts)[] =>
  Object.keys(when).filter((fact) => fact !== 'player' && fact !== 'banker') as (keyof Facts)[];

const more = (
  a: CardQuestion['compares'],
  b: CardQuestion['compares'],
): CardQuestion['compares'] =>
  a === 'cards' || b === 'cards' ? 'cards' : a === 'ranks' || b === 'ranks' ? 'ranks' : 'nothing';

/** The pattern at a place of a hand, unless any card meets it. */
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

/** The patterns of third cards that still matter once the first four cards lie: those of conditions that these can meet. */
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
