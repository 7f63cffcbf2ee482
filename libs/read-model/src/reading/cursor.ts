import { isDay } from './gaming-day.js';

/** Thrown for a cursor that this list did not return. The request is refused. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';

  constructor(readonly cursor: string) {
    super('unknown cursor for this list');
  }
}

/**
 * A page of a list: at most as many lines as requested, and the cursor of the next page. The cursor
 * is null on the last page.
 */
export interface Page<Line> {
  readonly lines: readonly Line[];
  readonly next: string | null;
}

/** The paging options of every list. */
export interface Paging {
  /** The `next` of the page before. Without it, the list starts at its beginning. */
  readonly cursor?: string;
  /** Lines on a page, from 1 to `PAGE_MAX`. The default is `PAGE_DEFAULT`. */
  readonly limit?: number;
}

/** Lines on a page if the request sets no limit. */
export const PAGE_DEFAULT = 50;
/** The largest limit that a request may set. */
export const PAGE_MAX = 1_000;

type Key = readonly (string | number)[];

/**
 * The kinds of parts of a key: text, a whole number, a day `YYYY-MM-DD`, or a time as
 * `Date.toISOString` formats it.
 */
export type KeyPart = 'text' | 'number' | 'day' | 'time';

/** Returns whether a part of a key is a time as `Date.toISOString` formats it. */
export function isTime(part: unknown): boolean {
  return (
    typeof part === 'string' &&
    isDay(part.slice(0, 10)) &&
    /^T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{3}Z$/.test(part.slice(10))
  );
}

const IS: Readonly<Record<KeyPart, (part: unknown) => boolean>> = {
  // PostgreSQL does not store NUL.
  text: (part) => typeof part === 'string' && !part.includes('\0'),
  number: (part) => Number.isSafeInteger(part),
  day: isDay,
  time: isTime,
};

/**
 * Returns the cursor that follows a line: the name of its list and the line's sorting key. The next
 * page starts after that key and not after a number of lines, so inserted and deleted lines do not
 * shift it.
 */
export const cursorAfter = (list: string, key: Key): string =>
  Buffer.from(JSON.stringify([list, ...key])).toString('base64url');

/**
 * Returns the key in a cursor of `list`, whose parts are of the kinds in `shape`. Throws
 * `BadCursor` on any other text.
 */
export function cursorKey(cursor: string, list: string, shape: readonly KeyPart[]): Key {
  const [of, ...key] = parsed(cursor);
  const fits =
    of === list &&
    key.length === shape.length &&
    key.every((part, i) => IS[shape[i] as KeyPart](part));
  // Each cursor has one spelling, so refuse the variants that base64 decoding accepts.
  if (!fits || cursorAfter(list, key as Key) !== cursor) throw new BadCursor(cursor);
  return key as Key;
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/**
 * Returns the number of lines to fetch: one more than the page holds, which shows whether another
 * page follows. Throws if the limit is out of range.
 */
export function fetchedFor({ limit = PAGE_DEFAULT }: Paging): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > PAGE_MAX)
    throw new RangeError(`limit must be a whole number from 1 to ${PAGE_MAX}, not ${limit}`);
  return limit + 1;
}

/** Returns the SQL that limits a query to what a page fetches. Without a page, it returns all rows. */
export const limitOf = (paging: Paging | undefined): string =>
  paging ? `limit ${fetchedFor(paging)}` : '';

/**
 * Returns a page of the lines that were fetched with `fetchedFor`. `keyOfLine` returns the sorting
 * key of a line.
 */
export function pageOf<Line>(
  list: string,
  fetched: readonly Line[],
  paging: Paging,
  keyOfLine: (line: Line) => Key,
): Page<Line> {
  const lines = fetched.slice(0, fetchedFor(paging) - 1);
  const last = lines.at(-1);
  return {
    lines,
    next:
      last !== undefined && fetched.length > lines.length
        ? cursorAfter(list, keyOfLine(last))
        : null,
  };
}
