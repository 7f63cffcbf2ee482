import { timeOf } from '#audit';
import { DateTime, IANAZone } from 'luxon';

/** From this gaming day on a gaming day begins at `cutover` by the clocks of `zone`. */
export interface GamingDayRule {
  /** `YYYY-MM-DD`. */
  readonly from: string;
  /** A time zone of the IANA database, `Asia/Macau`. */
  readonly zone: string;
  /** `HH:MM`, 00:00 to 23:59. */
  readonly cutover: string;
}

const DAY_MS = 86_400_000;
const CUTOVER = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** The days that a calendar of four-figure years has, and that PostgreSQL can hold. */
const FIRST_DAY = numberOf('0001-01-01');
const LAST_DAY = numberOf('9999-12-31');

/** A date by its number of days since 1970-01-01. */
function numberOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

const dateOf = (day: number): string =>
  new Date(Math.min(Math.max(day, FIRST_DAY), LAST_DAY) * DAY_MS).toISOString().slice(0, 10);

/** Whether `text` is a day of the calendar, `YYYY-MM-DD`, of the years 0001 to 9999. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DATE.test(text)) return false;
  const day = numberOf(text);
  return day >= FIRST_DAY && dateOf(day) === text;
}

/**
 * What is wrong with a house's list of gaming-day rules, each fault with the JSON pointer of its place; empty where
 * nothing is. The list has at least one rule, the rules are in order of `from`, and no change of rule makes a day of no length.
 */
export function gamingDayFaults(list: unknown): string[] {
  if (!Array.isArray(list) || list.length === 0)
    return ['/: a list of at least one {from, zone, cutover} is needed'];
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
 * When a day begins, in milliseconds since 1970. Of a time that the clocks show twice it is the first; a time that they
 * skip is taken as much later as they skip.
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

/** Beginnings of days that are remembered at once: far more than a log jumps between. */
const REMEMBERED = 4_096;

/**
 * The gaming day, `YYYY-MM-DD`, of a time in RFC 3339, by a house's rules. A day begins at its own rule's cut-over and ends
 * where the next begins, so every instant lies in exactly one day, also where the clocks or the rules change. The first
 * rule holds for the time before it too; days outside the years 0001 to 9999 count as the nearest inside. Fast where
 * times come near each other.
 *
 * Throws on a list in which `gamingDayFaults` finds a fault. The function that it returns throws on a text that is no time.
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
    if (instant === undefined) throw new Error(`gaming days: "${time}" is no time`);
    if (instant < current.start || instant >= current.end) current = dayAround(instant, startOf);
    return current.date;
  };
}

/** The last day that begins no later than an instant: at most two days from the instant's date in UTC, whatever zone and cut-over. */
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
