import { timeOf } from '#audit';
import { DateTime, IANAZone } from 'luxon';

/**
 * A rule: from the gaming day `from`, each gaming day begins at `cutover` in the time zone `zone`.
 */
export interface GamingDayRule {
  /** `YYYY-MM-DD`. */
  readonly from: string;
  /** A time zone of the IANA database, such as `Asia/Macau`. */
  readonly zone: string;
  /** `HH:MM`, from 00:00 to 23:59. */
  readonly cutover: string;
}

const DAY_MS = 86_400_000;
const CUTOVER = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** The first and last days with a four-digit year. PostgreSQL holds all of them. */
const FIRST_DAY = numberOf('0001-01-01');
const LAST_DAY = numberOf('9999-12-31');

/** Returns the number of days from 1970-01-01 to a date. */
function numberOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

const dateOf = (day: number): string =>
  new Date(Math.min(Math.max(day, FIRST_DAY), LAST_DAY) * DAY_MS).toISOString().slice(0, 10);

/** Returns whether `text` is a calendar day, `YYYY-MM-DD`, of the years 0001 to 9999. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DATE.test(text)) return false;
  const day = numberOf(text);
  return day >= FIRST_DAY && dateOf(day) === text;
}

/**
 * Returns the faults of a house's list of gaming-day rules, each after the JSON pointer of its
 * location. The list must have at least one rule, be in order of `from`, and leave no day without
 * length where the rule changes.
 */
export function gamingDayFaults(list: unknown): string[] {
  if (!Array.isArray(list) || list.length === 0)
    return ['/: must be a list of at least one {from, zone, cutover}'];
  const faults = list.flatMap((rule: unknown, i) => ruleFaults(rule, `/${i}`));
  if (faults.length > 0) return faults;
  const rules = list as GamingDayRule[];
  for (const [i, { from }] of rules.entries()) {
    const before = rules[i - 1];
    if (!before) continue;
    if (from <= before.from) faults.push(`/${i}/from: ${from} does not come after ${before.from}`);
    else if (
      startUnder(rules[i] as GamingDayRule, numberOf(from)) <=
      startUnder(before, numberOf(from) - 1)
    ) {
      faults.push(`/${i}: the day before ${from} would end before it begins`);
    }
  }
  return faults;
}

function ruleFaults(rule: unknown, at: string): string[] {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule))
    return [`${at}: not an object`];
  const { from, zone, cutover, ...others } = rule as Record<string, unknown>;
  return [
    ...(isDay(from) ? [] : [`${at}/from: not a day, YYYY-MM-DD`]),
    ...(typeof zone === 'string' && IANAZone.isValidZone(zone)
      ? []
      : [`${at}/zone: not a time zone of the IANA database`]),
    ...(typeof cutover === 'string' && CUTOVER.test(cutover)
      ? []
      : [`${at}/cutover: not a time, HH:MM`]),
    ...Object.keys(others).map((name) => `${at}/${name}: unknown`),
  ];
}

/**
 * Returns when a day begins, in milliseconds since 1970. If clocks show the time twice, the day
 * begins at the first. If clocks skip the time, the day begins later by the length of the skip.
 */
function startUnder({ zone, cutover }: GamingDayRule, day: number): number {
  const date = new Date(day * DAY_MS);
  const [hour, minute] = cutover.split(':').map(Number) as [number, number];
  const local = DateTime.fromObject(
    {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour,
      minute,
    },
    { zone },
  );
  return Math.min(...local.getPossibleOffsets().map((one) => one.toMillis()));
}

/** How many beginnings of days to cache: far more than a log jumps between. */
const REMEMBERED = 4_096;

/**
 * Returns a function that maps an RFC 3339 time to its gaming day, `YYYY-MM-DD`, by a house's
 * rules. A day begins at the cut-over of its own rule and ends when the next day begins, so every
 * instant lies in exactly one day, even when the clocks or the rules change. The first rule also
 * applies to earlier times. A day outside the years 0001 to 9999 becomes the nearest day inside.
 * Successive times that are close to each other are fast.
 *
 * Throws on a list with faults (see `gamingDayFaults`). The returned function throws on a text that
 * is not a time.
 */
export function gamingDays(list: readonly GamingDayRule[]): (time: string) => string {
  const faults = gamingDayFaults(list);
  if (faults.length > 0) throw new Error(`gaming days: ${faults.join('; ')}`);
  const rules = list.map((rule) => ({ rule, from: numberOf(rule.from) }));
  const [oldest] = rules as [(typeof rules)[number]];
  const starts = new Map<number, number>();
  const startOf = (day: number): number => {
    let start = starts.get(day);
    if (start === undefined) {
      start = startUnder((rules.findLast(({ from }) => from <= day) ?? oldest).rule, day);
      if (starts.size >= REMEMBERED) starts.clear();
      starts.set(day, start);
    }
    return start;
  };
  let current = { start: 0, end: 0, date: '' };
  return (time) => {
    const instant = timeOf(time);
    if (instant === undefined) throw new Error(`gaming days: "${time}" is not a time`);
    if (instant < current.start || instant >= current.end) current = dayAround(instant, startOf);
    return current.date;
  };
}

/**
 * Returns the last day that begins no later than an instant. In every zone and with every cut-over,
 * it is at most two days from the instant's date in UTC.
 */
function dayAround(
  instant: number,
  startOf: (day: number) => number,
): { start: number; end: number; date: string } {
  let day = Math.floor(instant / DAY_MS) + 2;
  let end = startOf(day + 1);
  for (let start = startOf(day); ; day -= 1, end = start, start = startOf(day)) {
    if (start <= instant) return { start, end, date: dateOf(day) };
  }
}
