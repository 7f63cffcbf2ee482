import { timeOf } from '#audit';
import type { ColumnType } from '../entities/table.js';

/**
 * One column of many rows as the text of a PostgreSQL array: rows go in by `unnest`, a statement for each table however many
 * rows there are. The fold takes whatever was recorded, and so must every column:
 *
 * - integers beyond 2^53 - 1 (only sums can be: an event with one is refused) are held at it, so that every reader can hold them;
 * - times outside the years 0001 to 9999 become the nearest inside; to the millisecond, in UTC, a leap second is the second before;
 * - NUL and lone surrogates, which no event has, become U+FFFD.
 *
 * What is not even of its kind, a fraction among integers or a text that is no time, is our own bug: it throws.
 */

/** Between JSON texts, in which no control character stands as it is: joined so they need no quoting, which would cost more than writing them. */
const BETWEEN = '\x1e';

/** The array of parameter `n` in SQL. JSON is an array of texts, to be cast row by row: that is a third cheaper than an array of JSON. */
export const arraySql = (type: ColumnType, n: number): string =>
  type === 'json' ? `string_to_array($${n}::text, E'\\x1e')` : `$${n}::${type}[]`;

const WRITERS: Record<Exclude<ColumnType, 'json'>, (value: never) => string> = {
  text: (value: string) => quoted(withoutNul(value)),
  bigint: integer,
  integer,
  smallint: integer,
  boolean: (value: boolean) => (value ? 't' : 'f'),
  timestamptz: time,
  date: day,
  bytea: () => {
    throw new TypeError('bytes cannot be written as an array');
  },
};

/** `values` as an array of `type`, for `arraySql`; null and undefined are NULL, and cannot be in JSON. */
export function arrayOf(type: ColumnType, values: readonly unknown[]): string {
  if (type === 'json') return values.map(wellFormedJson).join(BETWEEN);
  const write = WRITERS[type] as (value: unknown) => string;
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : write(value))).join(',')}}`;
}

const SPECIAL = /["\\]/g;
const quoted = (text: string): string => `"${text.replace(SPECIAL, '\\$&')}"`;

const withoutNul = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;

function integer(value: number): string {
  if (!Number.isInteger(value)) throw new TypeError(`${value} is no integer`);
  return String(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER)));
}

/** What PostgreSQL reads just as we do. */
const PLAIN_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d{1,3})?Z$/;
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

function time(value: string): string {
  if (PLAIN_TIME.test(value)) return value;
  const ms = timeOf(value);
  if (ms === undefined) throw new TypeError(`"${value}" is no time`);
  return new Date(Math.max(FIRST_MS, Math.min(Math.floor(ms), LAST_MS))).toISOString();
}

function day(value: string): string {
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(value)) throw new TypeError(`"${value}" is no gaming day`);
  return value;
}

/** In JSON as `JSON.stringify` writes it only these are escaped so: what PostgreSQL refuses to make text of. */
const REFUSED = /\\u(?:0000|d[89a-f]..)/;

function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text)
    ? JSON.stringify(value, (_, part: unknown) =>
        typeof part === 'string' ? withoutNul(Buffer.from(part).toString()) : part,
      )
    : text;
}
