/** Limits between which the mean of a Poisson count lies. */
export interface PoissonLimits {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The exact (Garwood) limits of the mean of a Poisson variable that was seen `count` times: with the mean at `upper` as few as
 * `count` has the probability (1 - confidence) / 2, with the mean at `lower` as many. The lower limit of 0 is 0.
 *
 * F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936): both are quantiles of the gamma distribution.
 * Throws on a count that is no whole number from 0, and on a confidence outside 0 to 1.
 */
export function poissonLimits(count: number, confidence = 0.95): PoissonLimits {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new Error(`Poisson limits of ${count}: not a count`);
  if (!(confidence > 0 && confidence < 1))
    throw new Error(`Poisson limits at a confidence of ${confidence}`);
  const tail = (1 - confidence) / 2;
  return {
    lower: count === 0 ? 0 : whereCrosses(count, (mean) => tailsOf(count, mean).upper < tail),
    upper: whereCrosses(count + 1, (mean) => tailsOf(count + 1, mean).lower > tail),
  };
}

/** The probabilities that a Poisson variable of this mean comes out below `count`, and at or above it; `count` at least 1. */
export function tailsOf(count: number, mean: number): { lower: number; upper: number } {
  if (mean <= 0) return { lower: 1, upper: 0 };
  // Both forms are the classical ones of the incomplete gamma function of a whole first argument (DLMF 8.11.4 and 8.9.2);
  // each is summed where it converges fast and loses no digits.
  if (mean < count + 1) {
    const upper = pointOf(count, mean) * risingSum(count, mean);
    return { lower: 1 - upper, upper };
  }
  const lower = pointOf(count, mean) * count * continuedFraction(count, mean);
  return { lower, upper: 1 - lower };
}

/** The probability of exactly `count`. */
const pointOf = (count: number, mean: number): number =>
  Math.exp(count * Math.log(mean) - mean - logFactorial(count));

/** 1 + mean/(count+1) + mean²/((count+1)(count+2)) + … */
function risingSum(count: number, mean: number): number {
  let term = 1;
  let sum = 1;
  for (let n = count + 1; term > sum * Number.EPSILON; n += 1) {
    term *= mean / n;
    sum += term;
  }
  return sum;
}

/** The continued fraction of the upper incomplete gamma function over mean^a e^-mean, by Lentz's method; mean > a + 1. */
function continuedFraction(a: number, mean: number): number {
  let b = mean + 1 - a;
  let c = Number.POSITIVE_INFINITY;
  let d = 1 / b;
  let value = d;
  for (let i = 1; ; i += 1) {
    const numerator = i * (a - i);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= c * d;
    // At i = a the numerator is 0 and the fraction, that of a whole a, is complete.
    if (i >= a || Math.abs(c * d - 1) <= Number.EPSILON) return value;
  }
}

const SMALL_FACTORIALS: readonly number[] = Array.from({ length: 32 }).reduce<number[]>(
  (logs, _, n) => [...logs, n === 0 ? 0 : (logs[n - 1] as number) + Math.log(n)],
  [],
);

/** Stirling's series; its first left-out term is below 1e-15 from 32 on (DLMF 5.11.1). */
function logFactorial(n: number): number {
  const small = SMALL_FACTORIALS[n];
  if (small !== undefined) return small;
  const square = n * n;
  return (
    (n + 0.5) * Math.log(n) -
    n +
    0.5 * Math.log(2 * Math.PI) +
    (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / n
  );
}

/** The mean at which `below` turns from true to false, by halving: as near as numbers lie. */
function whereCrosses(scale: number, below: (mean: number) => boolean): number {
  let low = 0;
  let high = scale + 10 * Math.sqrt(scale) + 10;
  while (below(high)) high *= 2;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    if (below(middle)) low = middle;
    else high = middle;
  }
}
