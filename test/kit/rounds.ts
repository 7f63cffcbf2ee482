import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import fc from 'fast-check';

/** Whether this is `npm run test:long`. */
export const IS_LONG = process.env.SHOEPRINT_TEST_LONG !== undefined;

/** `npm run test:quick` tries so much less. Odd, so that kinds that alternate all have their turn. */
const QUICK = process.env.SHOEPRINT_TEST_QUICK === undefined ? 1 : 21;
/** Whether so few cases are tried that nothing can be said about how many of them are of a kind. */
export const ARE_FEW = QUICK > 1;

/**
 * Returns how often to run a long property: a quarter of `full` in `npm test`, `full` in `npm run
 * test:long`, and a 21st of the quarter in `npm run test:quick`.
 */
export const rounds = (full: number): number => (IS_LONG ? full : Math.ceil(full / 4 / QUICK));

/** Yields every case, or each 21st in `npm run test:quick`. */
export function* thinned<Case>(cases: Iterable<Case>): Generator<Case> {
  let at = 0;
  for (const each of cases) {
    if (at % QUICK === 0) yield each;
    at += 1;
  }
}

/** Milliseconds for each property of the verdict in `npm run equal`. */
const SHARE = Number(process.env.SHOEPRINT_EQUAL_MS ?? 0);
const MANY = 100_000;
/** Whether this is `npm run equal`: many tables, so that each may be tried in fewer ways. */
export const ARE_MANY = SHARE > 0;
/** What earlier properties of the file left of their time. */
let spare = 0;

/**
 * Returns how to run a property of the verdict: over 300 random tables in `npm test`, or fewer if
 * each takes long, over twice as many in `npm run test:long`, and over a 21st in `npm run
 * test:quick`. `npm run equal` tries 100,000 or as many as its time allows, and prints their number
 * and what each cost. Call it where the property begins.
 */
export function overTables(usually = 300): fc.Parameters<unknown> {
  if (SHARE === 0) return { numRuns: IS_LONG ? 2 * usually : Math.ceil(usually / QUICK) };
  const begun = process.cpuUsage();
  const until = Date.now() + SHARE + spare;
  const printCount: fc.Plugin<unknown> = () => ({
    onAllRunsComplete: ({ numRuns }) => {
      spare = Math.max(0, until - Date.now());
      const { user, system } = process.cpuUsage(begun);
      const each = ((user + system) / 1000 / numRuns).toFixed(1);
      const name = expect.getState().currentTestName;
      process.stderr.write(`${numRuns} tables of ${each} ms of processor time: ${name}\n`);
    },
  });
  return { numRuns: MANY, plugins: [fc.interruptAfterTimeLimit(SHARE + spare), printCount] };
}

/**
 * Expects two verdicts to be equal. Compares them in a way that is much faster than Jest's first,
 * because they nearly always are.
 */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
