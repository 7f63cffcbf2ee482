import type { Rational } from '../bets/odds-notation.js';

/** An exact fraction of two integers of any size, in lowest terms, `den` above 0. */
export interface ExactFraction {
  readonly num: bigint;
  readonly den: bigint;
}

/** Returns `num / den` in lowest terms. Throws if `den` is 0. */
export function exactFraction(num: bigint, den: bigint): ExactFraction {
  if (den === 0n) throw new Error(`${num}/0 is not a fraction`);
  const sign = den < 0n ? -1n : 1n;
  const by = sign * (greatestDivisor(num < 0n ? -num : num, sign * den) || 1n);
  return { num: num / by, den: den / by };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Converts a `Rational` to a fraction of unbounded integers. */
export const exactly = ({ num, den }: Rational): ExactFraction => ({
  num: BigInt(num),
  den: BigInt(den),
});

/** Returns `a + b`, exactly. */
export const plus = (a: ExactFraction, b: ExactFraction): ExactFraction =>
  exactFraction(a.num * b.den + b.num * a.den, a.den * b.den);

/** Returns `a × b`, exactly. */
export const times = (a: ExactFraction, b: ExactFraction): ExactFraction =>
  exactFraction(a.num * b.num, a.den * b.den);

/** Returns `−a`. */
export const negative = ({ num, den }: ExactFraction): ExactFraction => ({ num: -num, den });

/**
 * Formats the fraction as a decimal with `digits` digits after the point, rounded to the nearest,
 * and a half to the higher number. Uses integers only. A result that rounds to zero has no sign.
 * Throws unless `digits` is a whole number of at least 0.
 */
export function decimal({ num, den }: ExactFraction, digits: number): string {
  if (!Number.isSafeInteger(digits) || digits < 0)
    throw new Error(`digits must be a whole number of at least 0, not ${digits}`);
  const twice = 2n * num * 10n ** BigInt(digits) + den;
  const rest = twice % (2n * den);
  const rounded = twice / (2n * den) - (rest < 0n ? 1n : 0n);
  const text = (rounded < 0n ? -rounded : rounded).toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${rounded < 0n ? '-' : ''}${text.slice(0, point)}${digits > 0 ? `.${text.slice(point)}` : ''}`;
}

/**
 * Formats the fraction in percent with `digits` digits after the point, rounded as by `decimal`,
 * without the percent sign.
 */
export const percent = (value: ExactFraction, digits: number): string =>
  decimal({ num: value.num * 100n, den: value.den }, digits);
