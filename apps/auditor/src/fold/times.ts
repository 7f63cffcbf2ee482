import { timeOf } from '#audit';

/**
 * The range of four-digit years, less a day at either end, so that every time zone and database can
 * hold it.
 */
const EARLIEST = Date.UTC(1, 0, 2) + yearOneShift();
const LATEST = Date.UTC(9999, 11, 30);

/** Returns the correction for `Date.UTC`, which reads the years 0 to 99 as 1900 to 1999. */
function yearOneShift(): number {
  return new Date('0001-01-02T00:00:00Z').getTime() - Date.UTC(1, 0, 2);
}

const clamped = (ms: number): number => Math.min(Math.max(ms, EARLIEST), LATEST);

/** The form of nearly every time in a log: `2026-11-20T12:00:00.123Z`. */
const PLAIN_LENGTH = 24;
const isPlain = (time: string): boolean =>
  time.length === PLAIN_LENGTH &&
  time.charCodeAt(23) === 90 &&
  time.charCodeAt(10) === 84 &&
  time.charCodeAt(17) !== 54;

/** Returns an event's time in milliseconds since 1970, clamped to the years 1 to 9999. */
export const millisOf = (time: string): number => clamped(Math.floor(timeOf(time) ?? wrong(time)));

/** Returns milliseconds since 1970 as rows hold a time, clamped likewise. */
export const isoOf = (ms: number): string => new Date(clamped(Math.floor(ms))).toISOString();

/** Returns whether one time is later than another. */
export const isLater = (time: string, than: string): boolean =>
  isPlain(time) && isPlain(than) ? time > than : millisOf(time) > millisOf(than);

const wrong = (time: string): never => {
  throw new Error(`${JSON.stringify(time)} is not a time, although it was decoded`);
};

/** Returns an event's time in UTC, RFC 3339 with milliseconds, as rows hold it. */
export const utcOf = (time: string): string =>
  isPlain(time) && time.charCodeAt(0) !== 48 && time < '9999'
    ? time
    : new Date(millisOf(time)).toISOString();
