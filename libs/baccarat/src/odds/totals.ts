import type { Card } from '../cards/cards.js';
import { factsOf } from '../bets/bets.js';
import type { Drawing } from './drawing.js';
import { endsDrawing } from '../tableau/due.js';
import { Tally } from './tally.js';
import type { Facts } from '../rules/rule-document.js';
import { STOOD } from '../rules/rules.js';

/**
 * Coups are classified by both hands' totals and by whether each hand has a third card: 10 × 10 × 2
 * × 2 cells. Winner, margin, naturals and numbers of cards follow from the cell.
 */
export const TOTALS_CELLS = 400;

/** The first cell of each hand shape: player and banker with two or three cards. */
export const SHAPE = { bothTwo: 0, bankerThree: 100, playerThree: 200, bothThree: 300 } as const;

/** Returns a hand of a total. Its last card makes the total, so that no hand of three is a natural. */
function handOf(total: number, cards: 2 | 3): Card[] {
  const last = total === 0 ? 'KS' : total === 1 ? 'AS' : (`${total}S` as Card);
  return cards === 2 ? ['QH', last] : ['QH', 'JD', last];
}

/** The facts of each cell. Those about pairs are meaningless here. */
export const CELL_FACTS: readonly Facts[] = Array.from({ length: TOTALS_CELLS }, (_, cell) =>
  factsOf({
    player: handOf(Math.floor(cell / 10) % 10, cell >= SHAPE.playerThree ? 3 : 2),
    banker: handOf(cell % 10, cell % 200 >= SHAPE.bankerThree ? 3 : 2),
  }),
);

/**
 * Counts the ordered six-card sequences of each cell. `byValue` has the number of cards of each
 * value 0 to 9 in the shoe, at least six in all. Each cell is multiplied by the arrangements of the
 * cards that the coup does not draw, so every sequence counts once.
 *
 * The first four cards are 55 × 55 unordered pairs of values. Third cards are enumerated only if
 * the tableau draws them. Plain numbers hold every sum while all sequences together stay below
 * 2^53, which ends at nine decks. From there each player pair is summed by itself (at most
 * 192·191·622·621·620·619 < 2^53 in twelve decks), and the sums are BigInt.
 */
export function countTotals(byValue: readonly number[], drawing: Drawing): bigint[] {
  const left = [...byValue];
  const cards = left.reduce((sum, count) => sum + count, 0);
  const tally = new Tally(TOTALS_CELLS, cards);
  for (let i = 0; i < 10; i += 1) {
    for (let j = i; j < 10; j += 1) {
      const ways = take(left, i, j);
      if (ways > 0)
        countBankers(left, cards - 2, (i + j) % 10, ways, { drawing, part: tally.part });
      left[i] = (left[i] as number) + 1;
      left[j] = (left[j] as number) + 1;
      tally.settle();
    }
  }
  return tally.sums();
}

/** Removes a pair of values from the shoe and returns the number of ways, in either order. */
function take(left: number[], i: number, j: number): number {
  const first = left[i] as number;
  left[i] = first - 1;
  const second = left[j] as number;
  left[j] = second - 1;
  return i === j ? first * second : 2 * first * second;
}

interface Counting {
  readonly drawing: Drawing;
  readonly part: Float64Array;
}

function countBankers(
  left: number[],
  cards: number,
  player: number,
  ways: number,
  counting: Counting,
): void {
  const { drawing, part } = counting;
  const unused = (cards - 2) * (cards - 3);
  for (let i = 0; i < 10; i += 1) {
    for (let j = i; j < 10; j += 1) {
      const both = ways * take(left, i, j);
      if (both > 0) {
        const banker = (i + j) % 10;
        if (endsDrawing(player, banker))
          part[player * 10 + banker] = (part[player * 10 + banker] as number) + both * unused;
        else if (drawing.player[player] === true)
          countPlayerThirds(left, cards - 3, player * 10 + banker, both, counting);
        else if (drawing.banker[banker]?.[STOOD] === true)
          countBankerThirds(
            left,
            SHAPE.bankerThree + player * 10,
            banker,
            both * (cards - 3),
            part,
          );
        else part[player * 10 + banker] = (part[player * 10 + banker] as number) + both * unused;
      }
      left[i] = (left[i] as number) + 1;
      left[j] = (left[j] as number) + 1;
    }
  }
}

function countPlayerThirds(
  left: number[],
  unused: number,
  totals: number,
  ways: number,
  { drawing, part }: Counting,
): void {
  const banker = totals % 10;
  const player = (totals - banker) / 10;
  const draws = drawing.banker[banker] as readonly boolean[];
  for (let third = 0; third < 10; third += 1) {
    const copies = left[third] as number;
    if (copies === 0) continue;
    const total = ((player + third) % 10) * 10;
    if (draws[third] === true) {
      left[third] = copies - 1;
      countBankerThirds(left, SHAPE.bothThree + total, banker, ways * copies, part);
      left[third] = copies;
    } else {
      const cell = SHAPE.playerThree + total + banker;
      part[cell] = (part[cell] as number) + ways * copies * unused;
    }
  }
}

function countBankerThirds(
  left: readonly number[],
  row: number,
  banker: number,
  ways: number,
  part: Float64Array,
): void {
  let total = banker;
  for (let third = 0; third < 10; third += 1) {
    part[row + total] = (part[row + total] as number) + ways * (left[third] as number);
    total = total === 9 ? 0 : total + 1;
  }
}
