import { Problem } from './problems.js';

/** Returns the problem of a request that reads the log while the log does not answer. */
export const logAway = (cause: unknown): Problem =>
  new Problem('not-ready', 'the log does not answer', { headers: { 'Retry-After': '1' }, cause });
