import type { Rational } from '../bets/odds-notation.js';

/** An exact fraction of two integers of any size, in lowest terms, `den` above 0. */
export interface ExactFraction {
  readonly num: bigint;
  readonly den: bigint;
}

/** `num / den` in lowest terms. Throws where `den` is 0. */
export function exactFraction(num: bigint, den: bigint): ExactFraction {
  if (den === 0n) throw new Error(`no fraction: ${num}/0`);
  const sign = den < 0n ? -1n : 1n;
  const by = sign * (greatestDivisor(num < 0n ? -num : num, sign * den) || 1n);
  return { num: num / by, den: den / by };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** The same number, with room to grow. */
export const exactly = ({ num, den }: Rational): ExactFraction => ({
  num: BigInt(num),
  den: BigInt(den),
});

/** `a + b`, exactly. */
export const plus = (a: ExactFraction, b: ExactFraction): ExactFraction =>
  exactFraction(a.num * b.den + b.num * a.den, a.den * b.den);

/** `a × b`, exactly. */
export const times = (a: ExactFraction, b: ExactFraction): ExactFraction =>
  exactFraction(a.num * b.num, a.den * b.den);

/** `−a`. */
export const negative = ({ num, den }: ExactFraction): ExactFraction => ({ num: -num, den });

/**
 * The fraction as a decimal with `digits` digits after the point, rounded to the nearest, a half to the higher number;
 * computed in integers alone. What rounds to nothing is printed without a sign. Throws where `digits` is no whole number
 * of at least 0.
 */
export function decimal({ num, den }: ExactFraction, digits: number): string {
  if (!Number.isSafeInteger(digits) || digits < 0)
    throw new Error(`no number of digits: ${digits}`);
  const twice = 2n * num * 10n ** BigInt(digits) + den;
  const rest = twice % (2n * den);
  const rounded = twice / (2n * den) - (rest < 0n ? 1n : 0n);
  const text = (rounded < 0n ? -rounded : rounded).toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${rounded < 0n ? '-' : ''}${text.slice(0, point)}${digits > 0 ? `.${text.slice(point)}` : ''}`;
}

/** The fraction in per cent with `digits` digits after the point, rounded as by `decimal`, without the sign for per cent. */
export const percent = (value: ExactFraction, digits: number): string =>
  decimal({ num: value.num * 100n, den: value.den }, digits);
