import type { ThirdCards } from './classes.js';
import type { Drawing } from './drawing.js';
import { endsDrawing } from '../tableau/due.js';
import { SHAPE, TOTALS_CELLS } from './totals.js';
import { STOOD } from '../rules/rules.js';

/**
 * How many third cards of each kind a shoe still holds, as the player's and as the banker's.
 * `cards` is their number before the first card.
 */
export interface ThirdsInShoe {
  readonly thirds: ThirdCards;
  readonly left: number[];
  readonly bankerLeft: number[];
  readonly cards: number;
}

/** Counts a shoe's cards (`copies` by card class) as third cards. */
export function thirdsInShoe(thirds: ThirdCards, copies: readonly number[]): ThirdsInShoe {
  const left = thirds.values.map(() => 0);
  const bankerLeft = thirds.bankerValues.map(() => 0);
  copies.forEach((count, place) => {
    const kind = thirds.kindOf[place] as number;
    const bankerKind = thirds.bankerKindOf[kind] as number;
    left[kind] = (left[kind] as number) + count;
    bankerLeft[bankerKind] = (bankerLeft[bankerKind] as number) + count;
  });
  return { thirds, left, bankerLeft, cards: copies.reduce((sum, count) => sum + count, 0) };
}

/** Four cards in their places: the two-card totals, and the number of ways. */
export interface Four {
  readonly player: number;
  readonly banker: number;
  readonly ways: number;
}

/**
 * Adds to `part` the outcomes of four cards already removed from the shoe. The cells are in blocks:
 * one row of blocks for no player third card and for each of its answers, and in each row one block
 * for no banker third card and for each of its answers.
 */
export function countThirds(
  shoe: ThirdsInShoe,
  drawing: Drawing,
  part: Float64Array,
  { player, banker, ways }: Four,
): void {
  const { thirds, left, bankerLeft, cards } = shoe;
  const draws = drawing.banker[banker] as readonly boolean[];
  const row = (thirds.answers.banker.length + 1) * TOTALS_CELLS;
  if (endsDrawing(player, banker) || (drawing.player[player] !== true && draws[STOOD] !== true)) {
    const cell = SHAPE.bothTwo + player * 10 + banker;
    part[cell] = (part[cell] as number) + ways * (cards - 4) * (cards - 5);
  } else if (drawing.player[player] !== true) {
    countBankerThirds(shoe, part, SHAPE.bankerThree + player * 10, banker, ways * (cards - 5));
  } else {
    for (let kind = 0; kind < left.length; kind += 1) {
      const copies = left[kind] as number;
      if (copies === 0) continue;
      const value = thirds.values[kind] as number;
      const at = ((thirds.playerAnswers[kind] as number) + 1) * row + ((player + value) % 10) * 10;
      if (draws[value] === true) {
        const bankerKind = thirds.bankerKindOf[kind] as number;
        bankerLeft[bankerKind] = (bankerLeft[bankerKind] as number) - 1;
        countBankerThirds(shoe, part, at + SHAPE.bothThree, banker, ways * copies);
        bankerLeft[bankerKind] = bankerLeft[bankerKind] + 1;
      } else {
        const cell = at + SHAPE.playerThree + banker;
        part[cell] = (part[cell] as number) + ways * copies * (cards - 5);
      }
    }
  }
}

function countBankerThirds(
  { thirds, bankerLeft }: ThirdsInShoe,
  part: Float64Array,
  at: number,
  banker: number,
  ways: number,
): void {
  const { bankerValues, bankerAnswers } = thirds;
  for (let kind = 0; kind < bankerLeft.length; kind += 1) {
    const total = banker + (bankerValues[kind] as number);
    const cell =
      at + ((bankerAnswers[kind] as number) + 1) * TOTALS_CELLS + (total > 9 ? total - 10 : total);
    part[cell] = (part[cell] as number) + ways * (bankerLeft[kind] as number);
  }
}
