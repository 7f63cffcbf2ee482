import { expect } from '@jest/globals';
import fc from 'fast-check';

/** Whether this is `npm run test:long`. */
export const IS_LONG = process.env.SHOEPRINT_TEST_LONG !== undefined;

/** Returns how often to run a long property: a quarter of `full` in `npm test`, `full` in `npm run test:long`. */
export const rounds = (full: number): number => (IS_LONG ? full : Math.ceil(full / 4));

/** Milliseconds for each property of the verdict in `npm run equal`. */
const SHARE = Number(process.env.SHOEPRINT_EQUAL_MS ?? 0);
const MANY = 100_000;

/**
 * Returns how to run a property of the verdict: over 150 random tables in `npm test`, or fewer if
 * each takes long, and over twice as many in `npm run test:long`. `npm run equal` tries 100,000 or
 * as many as its time allows, and prints their number.
 */
export const overTables = (usually = 150): fc.Parameters<unknown> =>
  SHARE === 0
    ? { numRuns: IS_LONG ? 2 * usually : usually }
    : { numRuns: MANY, plugins: [fc.interruptAfterTimeLimit(SHARE), countTables] };

const countTables: fc.Plugin<unknown> = () => ({
  onAllRunsComplete: ({ numRuns }) => {
    process.stderr.write(`${numRuns} tables: ${expect.getState().currentTestName}\n`);
  },
});
