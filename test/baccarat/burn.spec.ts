import { describe, expect, it } from '@jest/globals';
import { RANKS, permittedBurns } from '#baccarat';

const byFirstCard = (
  rank: string | undefined,
  way: { ace?: number; ten?: number; face?: number } = {},
) => permittedBurns([{ count: 'first-card', ...way }], 8, rank).byFirstCard;

describe('the cards that may be burned', () => {
  it('allows no burned cards if the house burns none', () => {
    expect(permittedBurns([{ count: 'none' }], 8, undefined)).toEqual({
      counts: [0],
      byFirstCard: [],
    });
  });

  it.each([6, 8, 12])('allows as many burned cards as decks: %d', (decks) => {
    expect(permittedBurns([{ count: 'decks' }], decks, '5')).toEqual({
      counts: [decks],
      byFirstCard: [],
    });
  });

  it('allows any number of a fixed range, both ends included', () => {
    expect(permittedBurns([{ count: 'fixed', from: 1, to: 8 }], 8, undefined).counts).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    expect(permittedBurns([{ count: 'fixed', from: 3, to: 3 }], 8, undefined).counts).toEqual([3]);
  });

  it('follows the first card: ace 1, pips, ten and faces 10', () => {
    expect(RANKS.map((rank) => byFirstCard(rank))).toEqual([
      [1],
      [2],
      [3],
      [4],
      [5],
      [6],
      [7],
      [8],
      [9],
      [10],
      [10],
      [10],
      [10],
    ]);
  });

  it("uses the house's own count of the ace, the ten or the faces", () => {
    expect(RANKS.map((rank) => byFirstCard(rank, { ace: 11, ten: 0, face: 5 })[0])).toEqual([
      11, 2, 3, 4, 5, 6, 7, 8, 9, 0, 5, 5, 5,
    ]);
  });

  it('returns undefined for a first card that could not be read', () => {
    expect(byFirstCard(undefined)).toEqual([]);
  });

  it('combines the permitted ways, with the burn by the first card apart', () => {
    expect(
      permittedBurns(
        [{ count: 'decks' }, { count: 'first-card' }, { count: 'fixed', from: 1, to: 2 }],
        6,
        'K',
      ),
    ).toEqual({ counts: [6, 1, 2], byFirstCard: [10] });
  });
});
