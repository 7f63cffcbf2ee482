import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseDecimal, parseOdds, rational } from '#baccarat';

const profit = (text: string): string => {
  const odds = parseOdds(text);
  return odds ? `${odds.profit.num}/${odds.profit.den}` : 'refused';
};

describe('published odds', () => {
  it.each([
    ['1 to 1', '1/1'],
    ['8 to 1', '8/1'],
    ['9 for 1', '8/1'],
    ['0.95 to 1', '19/20'],
    ['0.54 to 1', '27/50'],
    ['1.5 to 1', '3/2'],
    ['3 to 2', '3/2'],
    ['6 to 5', '6/5'],
    ['0.5 to 1', '1/2'],
    ['1 to 2', '1/2'],
    ['2 for 1', '1/1'],
    ['1.95 for 1', '19/20'],
    ['5 for 2', '3/2'],
    ['1 for 1', '0/1'],
    ['200 to 1', '200/1'],
    ['95 to 100', '19/20'],
    ['0.950000 to 1', '19/20'],
    ['0 to 1', '0/1'],
  ])('reads %s as a profit of %s on one unit', (text, expected) => {
    expect(profit(text)).toBe(expected);
  });

  it('keeps the text and notation of odds, to explain a payout with', () => {
    expect(parseOdds('9 for 1')).toEqual({
      text: '9 for 1',
      notation: 'for',
      profit: { num: 8, den: 1 },
    });
    expect(parseOdds('8 to 1')).toEqual({
      text: '8 to 1',
      notation: 'to',
      profit: { num: 8, den: 1 },
    });
  });

  it.each([
    '',
    '8',
    '8:1',
    '8/1',
    '8-1',
    '8 to',
    'to 1',
    '8 TO 1',
    '8 To 1',
    '8 against 1',
    '8 to 0',
    '8 for 0',
    '-8 to 1',
    '8 to -1',
    '+8 to 1',
    '1e3 to 1',
    ' 8 to 1',
    '8 to 1 ',
    '8  to 1',
    '8\tto 1',
    '8 to 1\n',
    '08 to 1',
    '.5 to 1',
    '5. to 1',
    '1,000 to 1',
    '0x8 to 1',
    'NaN to 1',
    'Infinity to 1',
    '٨ to 1',
    '0.0000001 to 1',
    '1234567890 to 1',
    '8 to 1 to 1',
  ])('rejects %j as odds', (text) => {
    expect(profit(text)).toBe('refused');
  });

  it.each(['0.5 for 1', '0 for 1', '0.999999 for 1'])(
    'rejects %s, which would return less than the stake',
    (text) => {
      expect(profit(text)).toBe('refused');
    },
  );

  it('reads odds exactly at the limits of the notation', () => {
    expect(profit('999999999.999999 to 0.000001')).toBe('999999999999999/1');
    expect(profit('0.000001 to 999999999.999999')).toBe('1/999999999999999');
    expect(profit('999999999.999999 to 999999998.000001')).toBe('1001001001001/1001000998999');
    expect(profit('999999999.9 to 0.000007')).toBe('999999999900000/7');
    expect(profit('999999999.999999 for 0.000001')).toBe('999999999999998/1');
  });

  it('reads "to" as one more "for"', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999 }),
        fc.integer({ min: 1, max: 999 }),
        (win, unit) => {
          expect(profit(`${win} to ${unit}`)).toBe(profit(`${win + unit} for ${unit}`));
        },
      ),
    );
  });

  it('reads odds as an exact fraction in lowest terms or rejects them, and never throws', () => {
    const decimal = fc
      .tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.stringMatching(/^(\.\d{1,6})?$/))
      .map(([whole, rest]) => `${whole}${rest}`);
    fc.assert(
      fc.property(decimal, decimal, fc.constantFrom('to', 'for'), (win, unit, notation) => {
        const odds = parseOdds(`${win} ${notation} ${unit}`);
        const micro = (text: string) => BigInt(Math.round(Number(text) * 1e6));
        if (!odds) return;
        const { num, den } = odds.profit;
        expect(Number.isSafeInteger(num) && Number.isSafeInteger(den) && den > 0 && num >= 0).toBe(
          true,
        );
        expect(BigInt(num) * micro(unit)).toBe(
          BigInt(den) * (micro(win) - (notation === 'for' ? micro(unit) : 0n)),
        );
        for (const prime of [2, 3, 5, 7])
          expect(num % prime === 0 && den % prime === 0).toBe(false);
      }),
    );
  });

  it('never throws on any text as odds', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        parseOdds(left);
        parseOdds(`${left} to ${right}`);
      }),
    );
  });
});

describe('a plain decimal', () => {
  it.each([
    ['0.05', '1/20'],
    ['0.04', '1/25'],
    ['12', '12/1'],
    ['0', '0/1'],
    ['0.000001', '1/1000000'],
    ['999999999.999999', '999999999999999/1000000'],
  ])('reads the decimal %s as %s', (text, expected) => {
    const value = parseDecimal(text);
    expect(value && `${value.num}/${value.den}`).toBe(expected);
  });

  it.each(['', '.05', '5%', '-0.05', '0.05 ', '1e-2', '00.05', '0.', '0.0000005'])(
    'rejects %j as a decimal',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );
});

describe('an exact fraction', () => {
  it('reduces a fraction to lowest terms, and zero to 0/1', () => {
    expect(rational(50, 1000)).toEqual({ num: 1, den: 20 });
    expect(rational(-6, 4)).toEqual({ num: -3, den: 2 });
    expect(rational(0, 7)).toEqual({ num: 0, den: 1 });
  });

  it.each([
    [1, 0],
    [1, -2],
    [0.5, 1],
    [1, 0.5],
    [2 ** 53, 1],
    [1, 2 ** 53],
    [NaN, 1],
  ])('rejects the fraction %d/%d', (num, den) => {
    expect(() => rational(num, den)).toThrow('is not an exact fraction');
  });
});
