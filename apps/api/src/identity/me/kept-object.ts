import { Problem } from '../../problems/problems.js';

/** A JSON object that a page keeps here. The server does not read it. */
export type KeptObject = object;

/**
 * Throws `invalid-request` for a list, and `too-large` for an object with more bytes of JSON than
 * this. `what` names it.
 */
export function requireKept(value: object, what: string, bytesMax: number): void {
  if (Array.isArray(value))
    throw new Problem('invalid-request', undefined, {
      errors: [{ pointer: '', reason: 'must be a JSON object' }],
    });
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > bytesMax)
    throw new Problem('too-large', `${what} may have ${bytesMax} bytes of JSON, not ${bytes}`);
}
