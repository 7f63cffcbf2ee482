/** Confidence limits of the mean of a Poisson count. */
export interface PoissonLimits {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Returns the exact (Garwood) confidence limits of the mean of a Poisson variable that was observed
 * as `count`. With the mean at `upper`, a count this low or lower has the probability (1 -
 * confidence) / 2. With the mean at `lower`, the same holds for a count this high or higher. The
 * lower limit of a count of 0 is 0.
 *
 * Source: F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936). Both
 * limits are quantiles of the gamma distribution. Throws if the count is not a whole number of at
 * least 0 or the confidence is not between 0 and 1.
 */
export function poissonLimits(count: number, confidence = 0.95): PoissonLimits {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new Error(`count must be a whole number of at least 0, not ${count}`);
  if (!(confidence > 0 && confidence < 1))
    throw new Error(`confidence must be between 0 and 1, not ${confidence}`);
  const tail = (1 - confidence) / 2;
  return {
    lower: count === 0 ? 0 : whereCrosses(count, (mean) => tailsOf(count, mean).upper < tail),
    upper: whereCrosses(count + 1, (mean) => tailsOf(count + 1, mean).lower > tail),
  };
}

/**
 * Returns the probabilities that a Poisson variable of this mean is below `count` (`lower`), and at
 * or above it (`upper`). `count` is at least 1.
 */
export function tailsOf(count: number, mean: number): { lower: number; upper: number } {
  if (mean <= 0) return { lower: 1, upper: 0 };
  // Both forms are classical ones of the incomplete gamma function with a whole first argument
  // (DLMF 8.11.4 and 8.9.2). Each is summed where it converges fast and loses no digits.
  if (mean < count + 1) {
    const upper = pointOf(count, mean) * risingSum(count, mean);
    return { lower: 1 - upper, upper };
  }
  const lower = pointOf(count, mean) * count * continuedFraction(count, mean);
  return { lower, upper: 1 - lower };
}

/** Returns the probability of exactly `count`. */
const pointOf = (count: number, mean: number): number =>
  Math.exp(count * Math.log(mean) - mean - logFactorial(count));

/** Returns 1 + mean/(count+1) + mean²/((count+1)(count+2)) + … */
function risingSum(count: number, mean: number): number {
  let term = 1;
  let sum = 1;
  for (let n = count + 1; term > sum * Number.EPSILON; n += 1) {
    term *= mean / n;
    sum += term;
  }
  return sum;
}

/**
 * Returns the continued fraction of the upper incomplete gamma function over mean^a e^-mean, by
 * Lentz's method. The mean must be greater than a + 1.
 */
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
    // At i = a the numerator is 0, so the fraction of a whole a ends.
    if (i >= a || Math.abs(c * d - 1) <= Number.EPSILON) return value;
  }
}

const SMALL_FACTORIALS: readonly number[] = Array.from({ length: 32 }).reduce<number[]>(
  (logs, _, n) => [...logs, n === 0 ? 0 : (logs[n - 1] as number) + Math.log(n)],
  [],
);

/**
 * Returns ln(n!), from 32 on by Stirling's series, whose first omitted term is then below 1e-15
 * (DLMF 5.11.1).
 */
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

/**
 * Returns the mean at which `below` changes from true to false, by bisection to the precision of a
 * number.
 */
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
