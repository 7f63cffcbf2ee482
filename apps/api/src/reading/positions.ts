import type { FastifyRequest } from 'fastify';
import { BadPositions, positionsFrom, positionsText, type Positions } from '#read-model';
import { Problem } from '../problems/problems.js';

export const LOG_POSITION = 'Log-Position';
export const MIN_POSITION = 'Min-Position';
/** What both headers hold, as a regular expression. */
export const POSITIONS_PATTERN = '^[0-9]{1,6}:[0-9]{1,16}(,[0-9]{1,6}:[0-9]{1,16})*$';

/** Where what was written came to lie, as `Log-Position` says it: for each partition the furthest `next`. */
export function logPosition(
  written: readonly { readonly partition: number; readonly next: number }[],
): string {
  const ends = new Map<number, number>();
  for (const { partition, next } of written)
    ends.set(partition, Math.max(next, ends.get(partition) ?? 0));
  return positionsText(ends);
}

/** Reads the header `Min-Position`; undefined if it is absent. Throws `invalid-request` if it is not of the form `p:next,...`. */
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
