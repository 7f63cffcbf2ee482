import { describe, expect, it } from '@jest/globals';
import { fullShoe, oddsOfComposition } from '#baccarat';
import { rulesOf, STANDARD } from './documents.js';

const flip = (row: string, at: number): string =>
  row.slice(0, at) + (row[at] === 'D' ? 'S' : 'D') + row.slice(at + 1);

/** Every cell of the standard tableau, and the tableau in which only that cell is inverted. */
const mutants = [
  ...[...STANDARD.player].map((_, total) => ({
    cell: `player ${total}`,
    tableau: { ...STANDARD, player: flip(STANDARD.player, total) },
  })),
  ...STANDARD.banker.flatMap((row, total) =>
    [...row].flatMap((letter, at) =>
      letter === ' '
        ? []
        : [
            {
              cell:
                at === 11
                  ? `banker ${total} when the player stood`
                  : `banker ${total} against a third card of ${at}`,
              tableau: { ...STANDARD, banker: STANDARD.banker.with(total, flip(row, at)) },
            },
          ],
    ),
  ),
];

const outcomesOf = (tableau: typeof STANDARD) =>
  oddsOfComposition(rulesOf([], tableau), fullShoe(8)).outcomes;

describe('the three counts of eight decks', () => {
  const standard = outcomesOf(STANDARD);

  it('are computed for all 96 cells: 8 of the player hand, 88 of the banker hand', () =>
    expect(mutants).toHaveLength(96));

  it.each(mutants)('change when one cell changes: $cell', ({ tableau }) => {
    expect(outcomesOf(tableau)).not.toEqual(standard);
  });

  it('differ between any two mutants, so that they identify the cell', () => {
    const seen = new Set(mutants.map(({ tableau }) => Object.values(outcomesOf(tableau)).join()));
    expect(seen.size).toBe(96);
  });
});
