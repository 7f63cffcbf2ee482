import { isDay } from './gaming-day.js';

/** A cursor that no list of ours has given: the request is refused. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';

  constructor(readonly cursor: string) {
    super('the cursor is none that this list has given');
  }
}

/** Part of a list: at most as many lines as were asked for, and the cursor of what follows; null where nothing does. */
export interface Page<Line> {
  readonly lines: readonly Line[];
  readonly next: string | null;
}

/** What every list takes. */
export interface Paging {
  /** The cursor that the page before gave as `next`; without it the list begins. */
  readonly cursor?: string;
  /** Lines on a page, 1 to `PAGE_MAX`; `PAGE_DEFAULT` without it. */
  readonly limit?: number;
}

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 1_000;

type Key = readonly (string | number)[];

/** What the parts of a key may be: a text, a whole number, a day `YYYY-MM-DD`, a time as `Date.toISOString` writes it. */
export type KeyPart = 'text' | 'number' | 'day' | 'time';

const IS: Readonly<Record<KeyPart, (part: unknown) => boolean>> = {
  // PostgreSQL takes no NUL.
  text: (part) => typeof part === 'string' && !part.includes('\0'),
  number: (part) => Number.isSafeInteger(part),
  day: isDay,
  time: (part) =>
    typeof part === 'string' &&
    isDay(part.slice(0, 10)) &&
    /^T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{3}Z$/.test(part.slice(10)),
};

/**
 * Writes a cursor: the list it belongs to and the sorting key of the last line given. What comes next is found by that key
 * and not by a count of lines, so lines that are added or taken away move no other.
 */
export const cursorAfter = (list: string, key: Key): string =>
  Buffer.from(JSON.stringify([list, ...key])).toString('base64url');

/** Reads a cursor of `list`, whose key has parts of these kinds. Throws `BadCursor` on any other text. */
export function cursorKey(cursor: string, list: string, shape: readonly KeyPart[]): Key {
  const [of, ...key] = parsed(cursor);
  const fits =
    of === list &&
    key.length === shape.length &&
    key.every((part, i) => IS[shape[i] as KeyPart](part));
  // One text for each cursor: what base64 would overlook is refused too.
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

/** How many lines to fetch: one more than a page has, to know whether anything follows. Throws where the limit is none. */
export function fetchedFor({ limit = PAGE_DEFAULT }: Paging): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > PAGE_MAX)
    throw new RangeError(`a page has 1 to ${PAGE_MAX} lines, not ${limit}`);
  return limit + 1;
}

/** Makes a page of what was fetched by `fetchedFor`; `keyOfLine` gives the sorting key of a line. */
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
