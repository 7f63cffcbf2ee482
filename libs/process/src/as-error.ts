import { types } from 'node:util';

/**
 * Returns a thrown value as an `Error`. Wraps any other value. An error of another context, such as
 * those of Node's modules in a test, is one too.
 */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error || types.isNativeError(thrown) ? thrown : new Error(String(thrown));
