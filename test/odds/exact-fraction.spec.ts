import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimal, exactFraction, percent } from '#baccarat';

describe('an exact fraction as a decimal', () => {
  it.each([
    [1n, 8n, 3, '0.125'],
    [1n, 8n, 2, '0.13'],
    [-1n, 8n, 2, '-0.12'],
    [-3n, 8n, 2, '-0.37'],
    [2n, 3n, 5, '0.66667'],
    [-2n, 3n, 0, '-1'],
    [1n, 2n, 0, '1'],
    [-1n, 1000n, 2, '0.00'],
    [999n, 1000n, 2, '1.00'],
    [-120n, 10n, 1, '-12.0'],
    [5n, -4n, 1, '-1.2'],
  ])(
    'formats %s over %s with %i digits as %s: to the nearest, a half to the higher',
    (num, den, digits, text) => {
      expect(decimal(exactFraction(num, den), digits)).toBe(text);
    },
  );

  it('is never further from the fraction than half of the last digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        fc.nat({ max: 15 }),
        (num, den, digits) => {
          const scaled = BigInt(decimal(exactFraction(num, den), digits).replace('.', ''));
          const twiceOff = 2n * (scaled * den - num * 10n ** BigInt(digits));
          expect(twiceOff <= den && twiceOff > -den).toBe(true);
        },
      ),
    );
  });

  it('multiplies by a hundred for percent', () =>
    expect(percent(exactFraction(1n, 3n), 2)).toBe('33.33'));

  it('rejects a fraction of a digit and a denominator of 0', () => {
    expect(() => decimal({ num: 1n, den: 2n }, 0.5)).toThrow(
      'digits must be a whole number of at least 0, not 0.5',
    );
    expect(() => exactFraction(1n, 0n)).toThrow('1/0 is not a fraction');
  });
});
