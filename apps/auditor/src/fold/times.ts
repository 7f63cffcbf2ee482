import { timeOf } from '#audit';

/** The times that a calendar of four-figure years has, a day inside either end, so that every zone and database can hold them. */
const EARLIEST = Date.UTC(1, 0, 2) + yearOneShift();
const LATEST = Date.UTC(9999, 11, 30);

/** `Date.UTC` takes the years 0 to 99 for 1900 to 1999. */
function yearOneShift(): number {
  return new Date('0001-01-02T00:00:00Z').getTime() - Date.UTC(1, 0, 2);
}

const clamped = (ms: number): number => Math.min(Math.max(ms, EARLIEST), LATEST);

/** `2026-11-20T12:00:00.123Z`: as nearly every time of a log is written. */
const PLAIN_LENGTH = 24;
const isPlain = (time: string): boolean =>
  time.length === PLAIN_LENGTH &&
  time.charCodeAt(23) === 90 &&
  time.charCodeAt(10) === 84 &&
  time.charCodeAt(17) !== 54;

/** An event's time in milliseconds since 1970, none outside the years 1 to 9999. */
export const millisOf = (time: string): number => clamped(Math.floor(timeOf(time) ?? wrong(time)));

/** Whether one time is later than another. */
export const isLater = (time: string, than: string): boolean =>
  isPlain(time) && isPlain(than) ? time > than : millisOf(time) > millisOf(than);

const wrong = (time: string): never => {
  throw new Error(`${JSON.stringify(time)} is no time, and yet was decoded`);
};

/** An event's time in UTC, RFC 3339 with milliseconds: as rows have it. */
export const utcOf = (time: string): string =>
  isPlain(time) && time.charCodeAt(0) !== 48 && time < '9999'
    ? time
    : new Date(millisOf(time)).toISOString();
