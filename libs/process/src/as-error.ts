/** Returns what was thrown as an `Error`, whatever it was. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
