/** Returns a thrown value as an `Error`. Wraps any other value. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
