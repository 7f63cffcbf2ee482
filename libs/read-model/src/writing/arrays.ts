import { timeOf } from '#audit';
import type { ColumnType } from '../entities/table.js';

/**
 * Formats one column of many rows as the text of a PostgreSQL array. Rows are inserted with
 * `unnest`, so a batch needs one statement per table. The fold accepts whatever was recorded, and
 * so must every column:
 *
 * - Integers beyond ±(2^53 - 1) become that bound, so that every reader can hold them. Only sums
 *   can be so large, because an event with such an integer is refused.
 * - Times outside the years 0001 to 9999 become the nearest time inside. Times are stored in UTC to
 *   the millisecond. A leap second becomes the second before it.
 * - NUL and lone surrogates become U+FFFD. No event has them.
 *
 * A value of the wrong kind, such as a fraction among integers or a text that is not a time, is a
 * bug of the caller, so it throws.
 */

/**
 * Separates JSON texts, in which no control character appears unescaped. So the texts need no
 * quoting, which would cost more than formatting them.
 */
const BETWEEN = '\x1e';

/**
 * Returns the SQL for the array in parameter `n`. JSON is passed as an array of texts and cast row
 * by row, which is a third cheaper than an array of JSON.
 */
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
    throw new TypeError('bytea columns cannot be written as an array');
  },
};

/**
 * Returns `values` as an array of `type`, for `arraySql`. Null and undefined become NULL. JSON
 * cannot have them.
 */
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
  if (!Number.isInteger(value)) throw new TypeError(`${value} is not an integer`);
  return String(Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER)));
}

/** The times that PostgreSQL reads as `timeOf` does. */
const PLAIN_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d{1,3})?Z$/;
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

function time(value: string): string {
  if (PLAIN_TIME.test(value)) return value;
  const ms = timeOf(value);
  if (ms === undefined) throw new TypeError(`"${value}" is not a time`);
  return new Date(Math.max(FIRST_MS, Math.min(Math.floor(ms), LAST_MS))).toISOString();
}

function day(value: string): string {
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(value))
    throw new TypeError(`"${value}" is not a gaming day`);
  return value;
}

/**
 * The escapes of NUL and lone surrogates, which PostgreSQL cannot convert to text. `JSON.stringify`
 * writes these escapes for nothing else.
 */
const REFUSED = /\\u(?:0000|d[89a-f]..)/;

function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text)
    ? JSON.stringify(value, (_, part: unknown) =>
        typeof part === 'string' ? withoutNul(Buffer.from(part).toString()) : part,
      )
    : text;
}
