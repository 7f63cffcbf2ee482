import { describe, expect, it } from '@jest/globals';
import { STOOD, bankerCell, playerCell, readRules, readTableau } from '#baccarat';
import { HOUSE, house, withChoices } from './house-rules.js';

describe('a parsed rule document', () => {
  it('has its id and version, and the hash of its file', () => {
    expect([house.ref, house.hash]).toEqual(['test-house@1', '']);
    expect(readRules(HOUSE, 'ab12').hash).toBe('ab12');
  });

  it('has its commission as an exact rate, or none if the document has none', () => {
    expect(house.commission).toEqual({
      rate: { num: 1, den: 20 },
      when: 'marked',
      rounding: { unit: 1, mode: 'half-up' },
      minimum: 0,
    });
    const { commission: _, ...without } = HOUSE;
    expect(readRules(without).commission).toBeUndefined();
  });

  it('rounds payouts to the minor unit, halves up, unless it says otherwise', () => {
    expect(house.payoutRounding).toEqual({ unit: 1, mode: 'half-up' });
    expect(
      readRules({ ...HOUSE, payouts: { rounding: { unit: 100, mode: 'down' } } }).payoutRounding,
    ).toEqual({ unit: 100, mode: 'down' });
  });

  it('reads each letter of the table into its cell', () => {
    const letter = { draw: 'D', stand: 'S', optional: 'O' };
    for (const { tableau, document } of [house, withChoices]) {
      const row = (total: number) =>
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, STOOD]
          .map((third) => letter[bankerCell(tableau, total, third)])
          .join('');
      expect(
        [0, 1, 2, 3, 4, 5, 6, 7].map((total) => letter[playerCell(tableau, total)]).join(''),
      ).toBe(document.tableau.player);
      expect([0, 1, 2, 3, 4, 5, 6, 7].map(row)).toEqual(
        document.tableau.banker.map((printed) => printed.replace(' ', '')),
      );
    }
  });

  it('stands on a natural, which no printed table shows', () => {
    for (const natural of [8, 9]) {
      expect(playerCell(house.tableau, natural)).toBe('stand');
      expect(bankerCell(house.tableau, natural, STOOD)).toBe('stand');
    }
  });
});

describe('a rule document of invalid form', () => {
  const { banker, player } = HOUSE.tableau;

  it.each([
    [
      'a player row of seven cells',
      () => readTableau('DDDDDDS', banker, 'x@1'),
      'x@1: tableau row "DDDDDDS" must have 8 cells',
    ],
    [
      'a banker row without the column for a player who stood',
      () => readTableau(player, ['DDDDDDDDDD', ...banker.slice(1)], 'x@1'),
      'must have 11 cells',
    ],
    [
      'seven banker rows',
      () => readTableau(player, banker.slice(1), 'x@1'),
      "x@1: the banker's table must have 8 rows",
    ],
    ['an unknown letter', () => readTableau('DDDDDDSX', banker, 'x@1'), 'has "X"'],
    [
      'odds that cannot be read',
      () =>
        readRules({
          ...HOUSE,
          bets: [{ id: 'tie', pays: [{ when: { winner: 'tie' }, odds: '8:1' }] }],
        }),
      'test-house@1: bet tie pays "8:1"',
    ],
    [
      'a rate that cannot be read',
      () =>
        readRules({
          ...HOUSE,
          commission: { rate: '5%', when: 'taken', rounding: { unit: 1, mode: 'up' } },
        }),
      'test-house@1: commission.rate "5%"',
    ],
  ])('is rejected with the pointer: %s', (_, read, message) => {
    expect(read).toThrow(message);
  });
});
