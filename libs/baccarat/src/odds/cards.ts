import { factsOf } from '../bets/bets.js';
import { valueOf, type Card } from '../cards/cards.js';
import type { Hands } from '../tableau/due.js';
import { classesOf, thirdCardsOf, type CardClass, type ThirdCards } from './classes.js';
import type { Drawing } from './drawing.js';
import { stillAsked, type CardQuestion } from './question.js';
import { startsOf, type Start, type StartAnswer } from './starts.js';
import { Tally } from './tally.js';
import { countThirds, thirdsInShoe, type ThirdsInShoe } from './thirds.js';
import { CELL_FACTS, TOTALS_CELLS } from './totals.js';
import type { Facts } from '../rules/rule-document.js';

/**
 * A class of coups that a question cannot distinguish. Every bet that asks no more has the same
 * result in all of them.
 */
export interface CoupClass {
  readonly facts: Facts;
  /**
   * Hands that match the question's patterns as all coups of this class do. Their totals are
   * meaningless.
   */
  readonly hands: Hands;
  /** The number of ordered six-card sequences. */
  readonly count: bigint;
}

/**
 * Counts the ordered six-card sequences of each class of coups that the question can distinguish.
 * `copies` has the number of each card, in the order of `CARDS`, at least six in all. Classes for
 * the first four cards are as fine as the question needs, down to single cards for perfect pairs.
 * Third cards are classified by value and by the patterns that the first four cards leave
 * undecided.
 */
export function countByCards(
  copies: readonly number[],
  question: CardQuestion,
  drawing: Drawing,
): CoupClass[] {
  const classes = classesOf(question, copies);
  const bankers = startsOf('banker', question, classes);
  return startsOf('player', question, classes).flatMap((player) =>
    bankers.flatMap((banker) => {
      const hands = { player: player.cards, banker: banker.cards };
      const asked = stillAsked(question, factsOf(hands), hands);
      const thirds = thirdCardsOf(classes, asked.player, asked.banker);
      return countAnswers(player, banker, { classes, thirds, drawing });
    }),
  );
}

interface Sorted {
  readonly classes: readonly CardClass[];
  readonly thirds: ThirdCards;
  readonly drawing: Drawing;
}

/** Returns the classes of coups whose hands start with these two answers. */
function countAnswers(
  player: StartAnswer,
  banker: StartAnswer,
  { classes, thirds, drawing }: Sorted,
): CoupClass[] {
  const left = classes.map(({ copies }) => copies);
  const shoe = thirdsInShoe(thirds, left);
  const tally = new Tally(
    (thirds.answers.player.length + 1) * (thirds.answers.banker.length + 1) * TOTALS_CELLS,
    shoe.cards,
  );
  const opposite = columnsOf(groupsOf(banker, classes, thirds));
  const row = new Float64Array(opposite.groups.length);
  for (const group of groupsOf(player, classes, thirds)) {
    row.fill(0);
    for (const start of group.starts) countStarts(start, opposite, left, row);
    takeThirds(shoe, group, -1);
    opposite.groups.forEach((facing, place) => {
      const ways = row[place] as number;
      if (ways === 0) return;
      takeThirds(shoe, facing, -1);
      countThirds(shoe, drawing, tally.part, { player: group.total, banker: facing.total, ways });
      takeThirds(shoe, facing, 1);
    });
    takeThirds(shoe, group, 1);
    tally.settle();
  }
  return coupClasses(tally.sums(), thirds, { player: player.cards, banker: banker.cards });
}

/** Starts that leave the same shoe for third cards. */
interface StartGroup {
  readonly total: number;
  /** The kinds of the two cards, as third cards. */
  readonly kinds: readonly [number, number];
  readonly starts: Start[];
}

function groupsOf(
  { starts }: StartAnswer,
  classes: readonly CardClass[],
  { kindOf }: ThirdCards,
): StartGroup[] {
  const groups = new Map<number, StartGroup>();
  for (const start of starts) {
    const [a, b] = [kindOf[start.first] as number, kindOf[start.second] as number];
    const kinds: [number, number] = a <= b ? [a, b] : [b, a];
    const key = kinds[0] * classes.length + kinds[1];
    const total =
      (valueOf((classes[start.first] as CardClass).card) +
        valueOf((classes[start.second] as CardClass).card)) %
      10;
    const group = groups.get(key) ?? { total, kinds, starts: [] };
    groups.set(key, group);
    group.starts.push(start);
  }
  return [...groups.values()];
}

function takeThirds(
  { left, bankerLeft, thirds }: ThirdsInShoe,
  { kinds }: StartGroup,
  by: 1 | -1,
): void {
  for (const kind of kinds) {
    left[kind] = (left[kind] as number) + by;
    const bankerKind = thirds.bankerKindOf[kind] as number;
    bankerLeft[bankerKind] = (bankerLeft[bankerKind] as number) + by;
  }
}

/** Starts as columns, for the one loop that runs a million times. */
interface Columns extends Readonly<Record<'first' | 'second' | 'orders' | 'group', Int32Array>> {
  readonly groups: readonly StartGroup[];
}

function columnsOf(groups: readonly StartGroup[]): Columns {
  const starts = groups.flatMap((group, place) =>
    group.starts.map((start) => ({ ...start, place })),
  );
  return {
    groups,
    first: Int32Array.from(starts, ({ first }) => first),
    second: Int32Array.from(starts, ({ second }) => second),
    orders: Int32Array.from(starts, ({ orders }) => orders),
    group: Int32Array.from(starts, ({ place }) => place),
  };
}

/**
 * Adds to `row`, by the banker's group, the sequences of four cards that begin with this player
 * start.
 */
function countStarts(
  start: Start,
  { first, second, orders, group }: Columns,
  left: number[],
  row: Float64Array,
): void {
  const before = left[start.first] as number;
  left[start.first] = before - 1;
  const ways = start.orders * before * (left[start.second] as number);
  left[start.second] = (left[start.second] as number) - 1;
  if (ways > 0) {
    for (let i = 0; i < group.length; i += 1) {
      const [a, b] = [first[i] as number, second[i] as number];
      const both =
        ways *
        (orders[i] as number) *
        (left[a] as number) *
        ((left[b] as number) - (a === b ? 1 : 0));
      if (both > 0) row[group[i] as number] = (row[group[i] as number] as number) + both;
    }
  }
  left[start.first] = (left[start.first] as number) + 1;
  left[start.second] = (left[start.second] as number) + 1;
}

function coupClasses(sums: readonly bigint[], { answers }: ThirdCards, starts: Hands): CoupClass[] {
  const columns = answers.banker.length + 1;
  const { playerPair, bankerPair, pairs, perfectPairs } = factsOf(starts);
  const found: CoupClass[] = [];
  sums.forEach((count, at) => {
    if (count === 0n) return;
    const block = Math.floor(at / TOTALS_CELLS);
    const hands = {
      player: [...starts.player, ...thirdCard(answers.player, Math.floor(block / columns))],
      banker: [...starts.banker, ...thirdCard(answers.banker, block % columns)],
    };
    found.push({
      facts: {
        ...(CELL_FACTS[at % TOTALS_CELLS] as Facts),
        playerPair,
        bankerPair,
        pairs,
        perfectPairs,
      },
      hands,
      count,
    });
  });
  return found;
}

const thirdCard = (answers: readonly Card[], place: number): readonly Card[] =>
  place === 0 ? [] : [answers[place - 1] as Card];
