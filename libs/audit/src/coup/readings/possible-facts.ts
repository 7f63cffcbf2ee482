import {
  CARDS,
  factsAt,
  isNatural,
  pairOf,
  resultOf,
  valueOf,
  type Bet,
  type Card,
  type Facts,
  type HandFacts,
  type Hands,
  type Predicate,
  type Result,
} from '#baccarat';
import type { Hand } from '../../events/events.js';
import type { Laid } from '../../state.js';
import type { Filling } from './filling.js';

/** What some predicates ask of one hand. */
interface AskedOfHand {
  total: boolean;
  natural: boolean;
  pair: boolean;
  /** Patterns of its cards. */
  readonly cards: (readonly string[])[];
}

type Asked = Readonly<Record<Hand, AskedOfHand>>;

/** One way in which a hand can matter to bets, with cards of that kind. */
interface HandKind {
  readonly facts: HandFacts;
  readonly cards: readonly Card[];
}

/** One way in which two hands can matter to bets. */
interface Kind {
  readonly facts: Facts;
  readonly hands: Hands;
}

/** A total of two cards that is a natural. */
const NATURAL = [...Array(10).keys()].findIndex((two) => isNatural(2, two));

/** What each fact needs of a hand. */
const ASKED_BY: Readonly<Record<keyof Facts, readonly (keyof AskedOfHand)[]>> = {
  winner: ['total'],
  playerTotal: ['total'],
  bankerTotal: ['total'],
  playerCards: [],
  bankerCards: [],
  cards: [],
  margin: ['total'],
  playerNatural: ['natural'],
  bankerNatural: ['natural'],
  playerPair: ['pair'],
  bankerPair: ['pair'],
  pairs: ['pair'],
  perfectPairs: ['pair'],
};

/** Returns what predicates ask of both hands. */
function askedBy(predicates: readonly Predicate[]): Asked {
  const asked = {
    player: { total: false, natural: false, pair: false, cards: [] as (readonly string[])[] },
    banker: { total: false, natural: false, pair: false, cards: [] as (readonly string[])[] },
  };
  for (const predicate of predicates) {
    for (const fact of Object.keys(predicate) as (keyof Predicate)[]) {
      if (fact === 'player' || fact === 'banker') {
        asked[fact].cards.push(predicate[fact] as readonly string[]);
        continue;
      }
      for (const what of ASKED_BY[fact]) {
        if (what === 'cards') continue;
        if (!fact.startsWith('banker')) asked.player[what] = true;
        if (!fact.startsWith('player')) asked.banker[what] = true;
      }
    }
  }
  return asked;
}

const predicatesOf = ({ pushes, pays }: Bet): Predicate[] =>
  [...pushes, ...pays].map(({ when }) => when);

/** A predicate of the fact that `natural` is announced for. */
const NATURALS: readonly Predicate[] = [{ playerNatural: true }, { bankerNatural: true }];

/** The digits of each hand in the worlds of a filling, each once, and which come together. */
interface HandsRead extends Readonly<Record<Hand, readonly number[]>> {
  readonly pairs: Readonly<Record<Hand, readonly number[]>>;
}

function handsRead({ worlds }: Filling): HandsRead {
  const known = { player: new Map<number, number>(), banker: new Map<number, number>() };
  const pairs = { player: [] as number[], banker: [] as number[] };
  const note = (hand: Hand, digits: number): void => {
    const found = known[hand].get(digits) ?? known[hand].size;
    if (found === known[hand].size) known[hand].set(digits, found);
    pairs[hand].push(found);
  };
  worlds.forEach((value) => {
    note('player', value & 0xffff);
    note('banker', value >>> 16);
  });
  return { player: [...known.player.keys()], banker: [...known.banker.keys()], pairs };
}

/** What the readings of a coup that is over or void can make for bets. */
export class PossibleFacts {
  private readonly worlds = new Map<Filling, HandsRead>();
  private readonly results = new Map<Bet, readonly Result[]>();
  private readonly starts = new Map<Laid, Map<Laid | undefined, Starts>>();

  constructor(private readonly fillings: readonly Filling[]) {}

  /** Returns the distinct results that a bet can have. */
  resultsOf(bet: Bet): readonly Result[] {
    const known = this.results.get(bet);
    if (known) return known;
    const asked = askedBy(predicatesOf(bet));
    const found = new Map<string, Result>();
    for (const filling of this.fillings) {
      for (const { facts, hands } of this.kindsOf(filling, asked)) {
        const result = resultOf(bet, facts, hands);
        const key = result.result === 'win' ? `win ${result.tier}` : result.result;
        found.set(result.result === 'push' ? `push ${result.special}` : key, result);
      }
    }
    const results = [...found.values()];
    this.results.set(bet, results);
    return results;
  }

  /** Returns the ways in which a filling can matter to naturals and these bets. */
  kindsForSpecials(filling: Filling, bets: readonly Bet[]): readonly Kind[] {
    return this.kindsOf(filling, askedBy([...NATURALS, ...bets.flatMap(predicatesOf)]));
  }

  /** Returns the ways in which a filling can matter to predicates that ask so much. */
  private kindsOf(filling: Filling, asked: Asked): readonly Kind[] {
    const kinds: Kind[] = [];
    const known = new Set<number>();
    const worlds = this.worldsOf(filling);
    const players = new HandKinds(filling, 'player', asked.player, this.starts);
    const bankers = new HandKinds(filling, 'banker', asked.banker, this.starts);
    const ofPlayer = worlds.player.map((digits) => players.indexOf(digits));
    const ofBanker = worlds.banker.map((digits) => bankers.indexOf(digits));
    const seen = new Uint8Array(players.count * bankers.count);
    const { player: atPlayer, banker: atBanker } = worlds.pairs;
    for (let i = 0; i < atPlayer.length; i += 1) {
      const of = ofPlayer[atPlayer[i] as number] as number;
      seen[of * bankers.count + (ofBanker[atBanker[i] as number] as number)] = 1;
    }
    for (let set = seen.indexOf(1); set >= 0; set = seen.indexOf(1, set + 1)) {
      for (const player of players.at(Math.floor(set / bankers.count))) {
        for (const banker of bankers.at(set % bankers.count)) {
          const key = player * KINDS_MAX + banker;
          if (known.has(key)) continue;
          known.add(key);
          const [of, against] = [players.kinds[player], bankers.kinds[banker]];
          if (of && against)
            kinds.push({
              facts: factsAt(of.facts, against.facts),
              hands: { player: of.cards, banker: against.cards },
            });
        }
      }
    }
    return kinds;
  }

  private worldsOf(filling: Filling): HandsRead {
    const known = this.worlds.get(filling);
    if (known) return known;
    const worlds = handsRead(filling);
    this.worlds.set(filling, worlds);
    return worlds;
  }
}

const KINDS_MAX = 65_536;

/** The kinds of one hand in the worlds of a filling. */
class HandKinds {
  readonly kinds: HandKind[] = [];
  private readonly indexes: Int32Array;
  private readonly sets: (readonly number[])[] = [];
  private readonly byText = new Map<string, number>();
  private readonly laid: readonly Laid[];
  private readonly asksCards: boolean;
  private readonly asksTwo: boolean;
  /** Whether the first two cards count by their values, and not by their total alone. */
  private readonly countsEach: boolean;

  constructor(
    private readonly filling: Filling,
    private readonly hand: Hand,
    private readonly asked: AskedOfHand,
    private readonly known: Map<Laid, Map<Laid | undefined, Starts>>,
  ) {
    this.laid = filling.hands[hand];
    this.asksCards = asked.cards.length > 0;
    this.asksTwo = asked.pair || this.asksCards;
    this.countsEach = this.asksTwo && filling.isApart(hand);
    this.indexes = new Int32Array(this.countsEach ? 10_000 : 1_000).fill(-1);
  }

  /** Returns the number of the set of kinds that a hand can have with these digits. */
  indexOf(digits: number): number {
    const { asked } = this;
    const two = ((digits & 15) + ((digits >> 4) & 15)) % 10;
    const third = (digits >> 8) & 15;
    const total = asked.total ? (two + third + ((digits >> 12) & 15)) % 10 : 0;
    // One natural stands for all, and 0 for every other two cards.
    const ofTwo = this.asksTwo ? two : asked.natural && isNatural(2, two) ? NATURAL : 0;
    const ofThird = this.asksCards ? third : 0;
    const first = this.countsEach ? digits & 15 : null;
    const key = ofTwo + 10 * total + 100 * ofThird + 1_000 * (first ?? 0);
    const known = this.indexes[key] as number;
    if (known >= 0) return known;
    this.sets.push(this.kindsAt({ first, two: ofTwo, third: ofThird }, total));
    return (this.indexes[key] = this.sets.length - 1);
  }

  /** Returns how many sets of kinds there are. */
  get count(): number {
    return this.sets.length;
  }

  /** Returns a set of kinds, as indexes of `kinds`. */
  at(index: number): readonly number[] {
    return this.sets[index] as readonly number[];
  }

  private kindsAt({ first, two, third }: Values, total: number): readonly number[] {
    const { asked, laid } = this;
    const natural = asked.natural && isNatural(laid.length, two);
    const kinds: HandKind[] = [];
    const of = (pair: HandFacts['pair']): HandFacts => ({
      cards: laid.length,
      total,
      natural,
      pair,
    });
    if (!this.asksTwo) kinds.push({ facts: of('none'), cards: [] });
    else
      for (const { pair, cards } of this.startsAt(two, first))
        for (const more of this.thirds(third))
          kinds.push({ facts: of(pair), cards: [...cards, ...more] });
    const found = kinds.map((kind) => this.add(kind));
    return [...new Set(found)];
  }

  private add(kind: HandKind): number {
    const { total, natural, pair } = kind.facts;
    const text = `${total} ${natural} ${pair} ${this.matches(kind.cards)}`;
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    this.byText.set(text, this.kinds.length);
    return this.kinds.push(kind) - 1;
  }

  /** Returns which patterns' cards match, as text. */
  private matches(cards: readonly Card[]): string {
    return this.asked.cards
      .map((pattern) => cards.map((card, i) => Number(matchesAt(pattern, card, i))).join(''))
      .join(' ');
  }

  /** Returns what the first two cards can be if they make a total, and the first has this value. */
  private startsAt(two: number, first: number | null): readonly Start[] {
    if (first !== null) return startsOf(this.laid, this.asked.cards, first).get(two) ?? [];
    const alike: Start[] = [];
    for (const [total, starts] of this.starts())
      if (this.filling.areAlike(this.hand, two, total)) alike.push(...starts);
    return alike;
  }

  /** Returns what the first two cards can be, by their total. Without patterns it is kept. */
  private starts(): Starts {
    const [first, second] = this.laid;
    if (!first || this.asksCards) return startsOf(this.laid, this.asked.cards);
    const ofFirst = this.known.get(first) ?? new Map<Laid | undefined, Starts>();
    this.known.set(first, ofFirst);
    const starts = ofFirst.get(second) ?? startsOf(this.laid, []);
    ofFirst.set(second, starts);
    return starts;
  }

  /** Returns what the third card can be, if patterns ask for it. */
  private thirds(value: number): readonly (readonly Card[])[] {
    const [, , third] = this.laid;
    if (!third || !this.asksCards) return NO_THIRD;
    if (third.card !== null) return [[third.card]];
    const isAny = this.filling.isClosed(this.hand);
    const found = new Map<string, readonly Card[]>();
    for (const card of CARDS)
      if (isAny || valueOf(card) === value)
        found.set(this.asked.cards.map((pattern) => Number(matchesAt(pattern, card, 2))).join(''), [
          card,
        ]);
    return [...found.values()];
  }
}

/** The values of a hand's first card, if it counts by itself, of its first two and of its third. */
interface Values {
  readonly first: number | null;
  readonly two: number;
  readonly third: number;
}

const NO_THIRD: readonly (readonly Card[])[] = [[]];

/** The first two cards of a hand, as far as bets can tell them apart. */
interface Start {
  readonly pair: HandFacts['pair'];
  readonly cards: readonly Card[];
}

/** What the first two cards can be, by their total. */
type Starts = ReadonlyMap<number, readonly Start[]>;

/** Two suits are enough for a pair of one rank with one suit or with two. */
const TWO_SUITS: readonly Card[] = CARDS.filter((card) => card[1] === 'S' || card[1] === 'H');

/**
 * Returns what the first two cards can be, by their total. `value`: of the first, if it is known
 * although it was not read.
 */
function startsOf(
  [first, second]: readonly Laid[],
  patterns: readonly (readonly string[])[],
  value: number | null = null,
): Starts {
  const areBothUnread = first?.card === null && second?.card === null;
  const any = patterns.length > 0 || !areBothUnread ? CARDS : TWO_SUITS;
  const cardsOf = (laid: Laid | undefined): readonly Card[] =>
    laid ? (laid.card === null ? any : [laid.card]) : [];
  const found = new Map<number, Map<string, Start>>();
  for (const one of cardsOf(first)) {
    if (value !== null && valueOf(one) !== value) continue;
    for (const other of cardsOf(second)) {
      const cards = [one, other];
      const pair = pairOf(cards);
      const matched = patterns
        .map((pattern) => cards.map((card, i) => Number(matchesAt(pattern, card, i))).join(''))
        .join(' ');
      const two = (valueOf(one) + valueOf(other)) % 10;
      const starts = found.get(two) ?? new Map<string, Start>();
      starts.set(`${pair} ${matched}`, { pair, cards });
      found.set(two, starts);
    }
  }
  return new Map([...found].map(([two, starts]) => [two, [...starts.values()]]));
}

function matchesAt(pattern: readonly string[], card: Card, index: number): boolean {
  const wanted = pattern[index];
  return (
    wanted === undefined ||
    ((wanted[0] === '?' || wanted[0] === card[0]) && (wanted[1] === '?' || wanted[1] === card[1]))
  );
}
