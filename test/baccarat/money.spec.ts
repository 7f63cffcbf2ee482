import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ROUNDING_MODES,
  isExact,
  parseDecimal,
  parseOdds,
  rational,
  scale,
  type Rational,
  type RoundingMode,
} from '#baccarat';

const rate = (text: string): Rational => parseDecimal(text) as Rational;
const odds = (text: string): Rational => parseOdds(text)?.profit as Rational;

/**
 * Oracle: of the multiples of the unit at or below and above, returns the one that the mode chooses
 * by distance.
 */
function byDistance(
  amount: number,
  { num, den }: Rational,
  unit: number,
  mode: RoundingMode,
): bigint {
  const exact = BigInt(amount) * BigInt(num);
  const step = BigInt(den) * BigInt(unit);
  let lower = 0n;
  for (let leap = 1n << 120n; leap > 0n; leap >>= 1n)
    if ((lower + leap) * step <= exact) lower += leap;
  const [below, above] = [exact - lower * step, (lower + 1n) * step - exact];
  const chooseUpper = {
    down: false,
    up: below > 0n,
    'half-up': below >= above,
    'half-down': below > above,
    'half-even': below > above || (below === above && lower % 2n !== 0n),
  }[mode];
  return (lower + (chooseUpper ? 1n : 0n)) * BigInt(unit);
}

describe('commission and payouts in minor units', () => {
  it.each([
    ['5 % of 100.00', 10_000, rate('0.05'), 500],
    ['5 % of 0.30 is 1.5 cents: halves go up', 30, rate('0.05'), 2],
    ['5 % of 0.29 is 1.45 cents', 29, rate('0.05'), 1],
    ['8 to 1 on 25.00', 2_500, odds('8 to 1'), 20_000],
    ['9 for 1 on 25.00 is the same', 2_500, odds('9 for 1'), 20_000],
    ['0.95 to 1 on 0.10 is 9.5 cents', 10, odds('0.95 to 1'), 10],
    ['0.54 to 1 on 1.00', 100, odds('0.54 to 1'), 54],
    ['half pay on 0.25', 25, odds('0.5 to 1'), 13],
    ['nothing of nothing', 0, rate('0.05'), 0],
  ])('%s', (_, amount, factor, expected) => {
    expect(scale(amount, factor, { unit: 1, mode: 'half-up' })).toBe(expected);
  });

  it.each([
    //          12.5 37.5 62.5 60  65  100 0
    ['half-up', [25, 50, 75, 50, 75, 100, 0]],
    ['half-down', [0, 25, 50, 50, 75, 100, 0]],
    ['half-even', [0, 50, 50, 50, 75, 100, 0]],
    ['down', [0, 25, 50, 50, 50, 100, 0]],
    ['up', [25, 50, 75, 75, 75, 100, 0]],
  ] as const)(
    'rounds 12.5, 37.5, 62.5, 60, 65, 100 and 0 cents to quarters, %s',
    (mode, expected) => {
      expect(
        [125, 375, 625, 600, 650, 1000, 0].map((tenths) =>
          scale(tenths, rational(1, 10), { unit: 25, mode }),
        ),
      ).toEqual(expected);
    },
  );

  it('is exact when the product passes 2^53, where floating point is not', () => {
    const stake = 9_007_199_254_740_991;
    expect(scale(stake, rate('0.05'), { unit: 1, mode: 'down' })).toBe(450_359_962_737_049);
    expect(scale(stake, rate('0.05'), { unit: 1, mode: 'half-up' })).toBe(450_359_962_737_050);
    expect(scale(stake, rational(1, 1), { unit: 1, mode: 'up' })).toBe(stake);
    expect(scale(1_000_000_000_000_003, odds('8.5 to 1'), { unit: 1, mode: 'down' })).toBe(
      8_500_000_000_000_025,
    );
    // 4,503,599,627,370,497 × 0.999999: the product in hundred-thousandths needs 72 bits.
    expect(scale(4_503_599_627_370_497, rate('0.999999'), { unit: 1, mode: 'down' })).toBe(
      4_503_595_123_770_869,
    );
  });

  it('is exact when the divisor passes 2^53', () => {
    // Half of 3 × 6,004,799,503,160,659 is 9,007,199,254,740,988.5: the amount is just below it.
    expect(
      scale(9_007_199_254_740_988, rational(1, 6_004_799_503_160_659), {
        unit: 3,
        mode: 'half-up',
      }),
    ).toBe(0);
    expect(
      scale(9_007_199_254_740_989, rational(1, 6_004_799_503_160_659), {
        unit: 3,
        mode: 'half-up',
      }),
    ).toBe(3);
  });

  it('returns a number beyond 2^53 for a result beyond 2^53', () => {
    expect(
      scale(Number.MAX_SAFE_INTEGER, odds('200 to 1'), { unit: 1, mode: 'down' }),
    ).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  const anyAmount = fc.oneof(
    fc.integer({ min: 0, max: 100_000 }),
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  );
  const anyFactor = fc
    .oneof(
      fc.tuple(fc.integer({ min: 0, max: 400 }), fc.constantFrom(1, 2, 4, 5, 10, 20, 100, 200)),
      fc.tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.integer({ min: 1, max: 999_999_999 })),
      fc.tuple(
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      ),
    )
    .map(([num, den]) => rational(num, den));
  const anyUnit = fc.oneof(
    fc.constantFrom(1, 5, 25, 100),
    fc.integer({ min: 1, max: 1_000_000_000 }),
  );

  it.each(ROUNDING_MODES)(
    'chooses the right multiple of the unit for %s, whatever the size',
    (mode) => {
      fc.assert(
        fc.property(anyAmount, anyFactor, anyUnit, (amount, factor, unit) => {
          const expected = byDistance(amount, factor, unit, mode);
          fc.pre(expected <= BigInt(Number.MAX_SAFE_INTEGER));
          expect(BigInt(scale(amount, factor, { unit, mode }))).toBe(expected);
        }),
        { numRuns: 2_000 },
      );
    },
  );

  it.each(ROUNDING_MODES)(
    'meets halves and whole multiples often enough to distinguish %s from the others',
    (mode) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 2 ** 40 }),
          fc.constantFrom(1, 5, 25, 100),
          (halves, unit) => {
            expect(BigInt(scale(halves * unit, rational(1, 2), { unit, mode }))).toBe(
              byDistance(halves * unit, rational(1, 2), unit, mode),
            );
          },
        ),
      );
      // The same halves, where the fast path cannot be used.
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2 ** 20 }), (odd) => {
          const unit = 2 ** 27;
          const amount = odd * 2 ** 26;
          expect(BigInt(scale(amount, rational(1, 1), { unit, mode }))).toBe(
            byDistance(amount, rational(1, 1), unit, mode),
          );
        }),
      );
    },
  );
});

describe('whether an amount needs rounding', () => {
  it.each([
    [10_000, '0.05', 1, true],
    [30, '0.05', 1, false],
    [500, '0.05', 25, true],
    [600, '0.05', 25, false],
    [0, '0.05', 25, true],
  ])('answers for %d × %s in multiples of %d: exact is %s', (amount, factor, unit, exact) => {
    expect(isExact(amount, rate(factor), unit)).toBe(exact);
  });

  it('answers yes exactly when rounding up and down agree', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 400 }),
        fc.constantFrom(1, 2, 20, 100),
        fc.constantFrom(1, 25),
        (amount, num, den, unit) => {
          const factor = rational(num, den);
          expect(isExact(amount, factor, unit)).toBe(
            scale(amount, factor, { unit, mode: 'down' }) ===
              scale(amount, factor, { unit, mode: 'up' }),
          );
        },
      ),
    );
  });
});
