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

/**
 * Returns the milliseconds from one event's time to another's, each clamped as `millisOf` clamps
 * it. Two times of one day differ by their clocks, so that nearly always no date is computed.
 */
export const millisBetween = (from: string, to: string): number =>
  isPlain(from) && isPlain(to) && isSameDay(from, to)
    ? clockOf(to) - clockOf(from)
    : millisOf(to) - millisOf(from);

/**
 * Returns whether two plain times are of the same day, which no clamp moves. The last digits differ
 * first.
 */
function isSameDay(one: string, other: string): boolean {
  for (let at = DAY_LENGTH - 1; at >= 0; at -= 1)
    if (one.charCodeAt(at) !== other.charCodeAt(at)) return false;
  const millennium = one.charCodeAt(0);
  return millennium !== ZERO && millennium !== NINE;
}

const DAY_LENGTH = '2026-11-20'.length;
const ZERO = 48;
const NINE = 57;

/** Returns the milliseconds of a plain time since midnight. */
const clockOf = (time: string): number =>
  ((twoAt(time, 11) * 60 + twoAt(time, 14)) * 60 + twoAt(time, 17)) * 1000 +
  twoAt(time, 20) * 10 +
  time.charCodeAt(22) -
  ZERO;

const twoAt = (time: string, at: number): number =>
  (time.charCodeAt(at) - ZERO) * 10 + time.charCodeAt(at + 1) - ZERO;

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
