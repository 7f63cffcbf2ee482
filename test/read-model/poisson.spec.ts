import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { poissonLimits } from '#read-model';
import { tailsOf } from '../../libs/read-model/src/reading/poisson.js';

/**
 * Exact 95 % limits of a Poisson mean as printed tables have them (Garwood 1936; Pearson and
 * Hartley, Biometrika Tables, table 40).
 */
const PRINTED: readonly (readonly [count: number, lower: string, upper: string])[] = [
  [0, '0.0000', '3.689'],
  [1, '0.0253', '5.572'],
  [2, '0.2422', '7.225'],
  [3, '0.6187', '8.767'],
  [4, '1.0899', '10.242'],
  [5, '1.6235', '11.668'],
  [6, '2.2019', '13.059'],
  [7, '2.8144', '14.423'],
  [8, '3.4538', '15.763'],
  [9, '4.1154', '17.085'],
  [10, '4.7954', '18.390'],
  [15, '8.3954', '24.740'],
  [20, '12.2165', '30.888'],
  [30, '20.2409', '42.827'],
  [50, '37.1110', '65.919'],
];

/**
 * Returns the sum of the probabilities of 0 to count - 1: slow, and right for means within the
 * range of `exp`.
 */
function below(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let sum = 0;
  for (let n = 0; n < count; n += 1, term *= mean / n) sum += term;
  return sum;
}

describe('exact limits of a Poisson mean', () => {
  it.each(PRINTED)('equal the printed tables for a count of %i', (count, lower, upper) => {
    const limits = poissonLimits(count);
    expect(limits.lower.toFixed(4)).toBe(lower);
    expect(limits.upper.toFixed(3)).toBe(upper);
  });

  it('follow the rule of three for a count of 0, one-sided at 95 %', () => {
    expect(poissonLimits(0, 0.9).upper).toBeCloseTo(-Math.log(0.05), 12);
  });

  it('leave exactly the stated probability on each side', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.constantFrom(0.8, 0.9, 0.95, 0.99),
        (count, confidence) => {
          const { lower, upper } = poissonLimits(count, confidence);
          const tail = (1 - confidence) / 2;
          expect(below(count + 1, upper)).toBeCloseTo(tail, 10);
          if (count > 0) expect(1 - below(count, lower)).toBeCloseTo(tail, 10);
        },
      ),
    );
  });

  it('enclose the count and grow with it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (count) => {
        const here = poissonLimits(count);
        const before = poissonLimits(count - 1);
        expect(here.lower).toBeLessThan(count);
        expect(here.upper).toBeGreaterThan(count);
        expect(here.lower).toBeGreaterThan(before.lower);
        expect(here.upper).toBeGreaterThan(before.upper);
      }),
      { numRuns: 50 },
    );
  });

  it('approach those of the normal distribution for a large count', () => {
    const { lower, upper } = poissonLimits(1_000_000);
    // The cube formula of Wilson and Hilferty is accurate to far less than 1 here.
    const cube = (n: number, z: number): number =>
      n * (1 - 1 / (9 * n) + z / (3 * Math.sqrt(n))) ** 3;
    expect(lower).toBeCloseTo(cube(1_000_000, -1.959963984540054), 0);
    expect(upper).toBeCloseTo(cube(1_000_001, 1.959963984540054), 0);
  });

  it('reject an invalid count and an invalid confidence', () => {
    for (const count of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => poissonLimits(count)).toThrow('count must be');
    for (const confidence of [0, 1, Number.NaN])
      expect(() => poissonLimits(1, confidence)).toThrow('confidence must be');
  });
});

describe('the tails of a Poisson variable', () => {
  it('equal the sums of its probabilities and add up to 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 500, noNaN: true }),
        (count, mean) => {
          const { lower, upper } = tailsOf(count, mean);
          expect(lower).toBeCloseTo(below(count, mean), 11);
          expect(lower + upper).toBeCloseTo(1, 12);
        },
      ),
    );
  });
});
