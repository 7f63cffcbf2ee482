/** The reasons for which what was asked for is not possible. Any other is a failure. */
const REFUSALS: ReadonlySet<string> = new Set([
  'bad-scope',
  'day-not-sealed',
  'settings',
  'too-large',
  'too-many-checkpoints',
  'unknown-checkpoint',
  'unknown-finding',
  'unknown-format',
  'unknown-shoe',
  'unknown-table',
]);

/** Returns whether an export ended because of what was asked for. */
export const isRefusal = (code: string): boolean => REFUSALS.has(code);
