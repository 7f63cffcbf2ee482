import type { Rational } from './odds-notation.js';

/**
 * How to round a fraction of a minor unit. `half-up` rounds to the nearest, and a half to the
 * higher.
 */
export const ROUNDING_MODES = ['half-up', 'half-down', 'half-even', 'down', 'up'] as const;
/** One of `ROUNDING_MODES`. */
export type RoundingMode = (typeof ROUNDING_MODES)[number];

/** Rounds amounts to a multiple of `unit` minor units. */
export interface Rounding {
  readonly unit: number;
  readonly mode: RoundingMode;
}

/**
 * Returns `amount × factor`, rounded to a multiple of `rounding.unit`. All integers are at least 0
 * and in minor units. The result is exact whatever the size of the operands: products that could
 * pass 2^53 use BigInt. Only a result that itself passes 2^53 is inexact, and no event can carry
 * such an amount.
 */
export function scale(amount: number, factor: Rational, rounding: Rounding): number {
  const divisor = factor.den * rounding.unit;
  const product = amount * factor.num;
  if (product <= Number.MAX_SAFE_INTEGER && divisor <= 2 ** 26) {
    const rest = product % divisor;
    const floor = (product - rest) / divisor;
    return (
      (floor + (roundsUp(rest * 2 - divisor, rest, floor % 2 === 1, rounding.mode) ? 1 : 0)) *
      rounding.unit
    );
  }
  const big = BigInt(amount) * BigInt(factor.num);
  const by = BigInt(factor.den) * BigInt(rounding.unit);
  const rest = big % by;
  const floor = big / by;
  const up = roundsUp(Number(rest * 2n - by), Number(rest > 0n), floor % 2n === 1n, rounding.mode);
  return Number((floor + (up ? 1n : 0n)) * BigInt(rounding.unit));
}

/**
 * Returns every amount that `amount × factor` can be rounded to, by any mode, in minor units or in
 * multiples of `unit`. Each mode rounds down or up.
 */
export const roundingsOf = (amount: number, factor: Rational, unit: number): number[] =>
  [1, unit].flatMap((each) =>
    (['down', 'up'] as const).map((mode) => scale(amount, factor, { unit: each, mode })),
  );

/** Returns whether `amount × factor` is a multiple of `unit` without rounding. */
export const isExact = (amount: number, factor: Rational, unit: number): boolean =>
  (BigInt(amount) * BigInt(factor.num)) % (BigInt(factor.den) * BigInt(unit)) === 0n;

function roundsUp(aboveHalf: number, rest: number, odd: boolean, mode: RoundingMode): boolean {
  if (rest === 0) return false;
  switch (mode) {
    case 'down':
      return false;
    case 'up':
      return true;
    case 'half-up':
      return aboveHalf >= 0;
    case 'half-down':
      return aboveHalf > 0;
    case 'half-even':
      return aboveHalf > 0 || (aboveHalf === 0 && odd);
  }
}
