import type { Rational } from './odds-notation.js';

/** How a fraction of a minor unit is settled. `half-up`: to the nearest, a half to the higher. */
export const ROUNDING_MODES = ['half-up', 'half-down', 'half-even', 'down', 'up'] as const;
export type RoundingMode = (typeof ROUNDING_MODES)[number];

/** Amounts are rounded to a multiple of `unit` minor units. */
export interface Rounding {
  readonly unit: number;
  readonly mode: RoundingMode;
}

/**
 * `amount × factor`, rounded to a multiple of `rounding.unit`; all integers of at least 0, in minor units. Exact whatever
 * the size: where a product could pass 2^53 it is taken in BigInt. Only a result that passes 2^53 itself is no longer
 * exact; it is then above every amount that an event can carry.
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

/** Whether `amount × factor` needs no rounding to a multiple of `unit`. */
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
