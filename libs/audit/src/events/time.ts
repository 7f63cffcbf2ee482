const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses a time of RFC 3339 into milliseconds since 1970, with a fraction if the text has one.
 * Returns `undefined` for any other text. A leap second, 23:59:60 UTC, counts as the second before
 * it.
 */
export function timeOf(text: string): number | undefined {
  return plainTimeOf(text) ?? anyTimeOf(text);
}

/**
 * Returns a function from a time to the whole milliseconds since `start`, negative for an earlier
 * time. Each time counts to the millisecond, as rows show it. Returns null if one of the two cannot
 * be read.
 */
export function msSince(start: string): (time: string) => number | null {
  const from = timeOf(start);
  return (time) => {
    const to = timeOf(time);
    return from === undefined || to === undefined ? null : Math.floor(to) - Math.floor(from);
  };
}

function anyTimeOf(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (!isDate(year, month, day) || !isClock(hour, minute) || !isClock(offsetHours, offsetMinutes))
    return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === '-' ? -1 : 1);
  const minuteOfDay = (((hour * 60 + minute - offset) % 1440) + 1440) % 1440;
  if (second > (minuteOfDay === 1439 ? 60 : 59)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, Math.min(second, 59));
  return date.getTime() - offset * 60_000 + Number(`0.${match[7] ?? '0'}`) * 1000;
}

const isDate = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);

const isClock = (hour: number, minute: number): boolean => hour <= 23 && minute <= 59;

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The form of nearly every time in a log: `2026-11-20T12:00:00.123Z`. */
const PLAIN = '0000-00-00T00:00:00.000Z';
const DAY_MS = 86_400_000;

/**
 * Parses a time in the plain form, without a leap second, several times as fast. Returns
 * `undefined` for every other text.
 */
function plainTimeOf(text: string): number | undefined {
  if (text.length !== PLAIN.length) return undefined;
  for (let at = 0; at < PLAIN.length; at += 1) {
    const code = text.charCodeAt(at);
    const form = PLAIN.charCodeAt(at);
    if (form === ZERO ? code < ZERO || code > ZERO + 9 : code !== form) return undefined;
  }
  const two = (at: number): number =>
    (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  const year = two(0) * 100 + two(2);
  const [month, day, hour, minute, second] = [two(5), two(8), two(11), two(14), two(17)];
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysIn(year, month) ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return undefined;
  return (
    dayNumber(year, month, day) * DAY_MS +
    ((hour * 60 + minute) * 60 + second) * 1000 +
    two(20) * 10 +
    text.charCodeAt(22) -
    ZERO
  );
}

const ZERO = 48;

/**
 * Returns the days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so
 * that a leap day is the last of its year.
 */
function dayNumber(year: number, month: number, day: number): number {
  const from = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  return (
    from * 365 +
    Math.floor(from / 4) -
    Math.floor(from / 100) +
    Math.floor(from / 400) +
    Math.floor((153 * months + 2) / 5) +
    day -
    719_469
  );
}
