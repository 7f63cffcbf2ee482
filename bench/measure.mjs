// What every measurement needs: a clock that all processes share, and the spread of its figures.

/** Returns the machine's monotonic clock in ms. */
export const clock = () => Number(process.hrtime.bigint()) / 1e6;

/** @typedef {{ min: number, median: number, max: number }} Spread */

/**
 * Returns the least, the median and the largest value; NaN without values.
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const [min = NaN] = sorted;
  return { min, median: quantile(sorted, 0.5), max: sorted.at(-1) ?? NaN };
}

/**
 * Returns values as median and spread.
 * @type {(values: readonly number[], digits?: number) => string}
 */
export function shown(values, digits = 2) {
  const { median, min, max } = spread(values);
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

/**
 * Returns the value that the share `q` of the sorted values lies below; NaN without values.
 * @param {ArrayLike<number>} sorted
 * @param {number} q
 */
export const quantile = (sorted, q) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
