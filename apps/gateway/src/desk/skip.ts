/** An event of the spool: the number of its line, and its position in the line from 1. */
export interface EventPosition {
  readonly n: number;
  readonly event: number;
}

/** An event that an operator set aside, so that it is not delivered. */
export interface Skip extends EventPosition {
  readonly by: string;
  readonly reason: string;
}

const isOrdinal = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= SKIP_TEXT_MAX;

/** The most characters of a name and of a reason. */
export const SKIP_TEXT_MAX = 200;

/** Returns whether a value is a skip. */
export function isSkip(value: unknown): value is Skip {
  if (typeof value !== 'object' || value === null) return false;
  const { n, event, by, reason } = value as Partial<Record<keyof Skip, unknown>>;
  return isOrdinal(n) && isOrdinal(event) && isText(by) && isText(reason);
}

/**
 * Returns why an event cannot be set aside, or undefined. `last` and `sent` are the last line of
 * the spool and the last one that was delivered, and `made` is how many events the line has.
 */
export function skipProblem(
  { n, event }: EventPosition,
  { last, sent, made }: { readonly last: number; readonly sent: number; readonly made: number },
): string | undefined {
  if (n > last) return `line ${n}: is not in the spool, whose last line is ${last}`;
  if (n <= sent) return `line ${n}: was delivered, as all lines to ${sent} were`;
  if (event > made) return `event ${event}: is not in line ${n}, which has ${made} events`;
  return undefined;
}
