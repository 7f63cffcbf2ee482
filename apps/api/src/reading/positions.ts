import type { FastifyRequest } from 'fastify';
import { BadPositions, positionsFrom, positionsText, type Positions } from '#read-model';
import { Problem } from '../problems/problems.js';

/** The header of an answer: the positions that were written, or that the answer is true of. */
export const LOG_POSITION = 'Log-Position';
/** The header of a file: the records of the log that it leaves out, because they were passed. */
export const PASSED_RECORDS = 'Passed-Records';
/** The header of a request: the positions that the rows must have reached. */
export const MIN_POSITION = 'Min-Position';
/** The regular expression of the values of these headers. */
export const POSITIONS_PATTERN = '^[0-9]{1,6}:[0-9]{1,16}(,[0-9]{1,6}:[0-9]{1,16})*$';

/** Returns the value of `Log-Position` after a write: the furthest `next` of each partition. */
export function logPosition(
  written: readonly { readonly partition: number; readonly next: number }[],
): string {
  const ends = new Map<number, number>();
  for (const { partition, next } of written)
    ends.set(partition, Math.max(next, ends.get(partition) ?? 0));
  return positionsText(ends);
}

/**
 * Returns the positions of the header `Min-Position`, or undefined if it is absent. Throws
 * `invalid-request` if it does not have the form `p:next,...`.
 */
export function leastPosition({ headers }: FastifyRequest): Positions | undefined {
  const header = headers['min-position'];
  if (header === undefined) return undefined;
  try {
    return positionsFrom([header].flat().join(','));
  } catch (error) {
    if (!(error instanceof BadPositions)) throw error;
    throw new Problem(
      'invalid-request',
      `the header ${MIN_POSITION} cannot be read: ${error.message}`,
      { errors: [{ pointer: '', reason: error.message }] },
    );
  }
}
