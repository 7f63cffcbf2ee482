import { useMe } from '../app/session/me.js';
import { usePreferences } from '../settings/preferences.js';
import { moneyOf } from './money.js';
import { useSpoken } from './words.js';

/** Writes numbers, money and times as the chosen language does, in the zone of the house. */
export interface Formats {
  /** An amount in minor units, with its currency: `MOP$1,234.50`. */
  readonly money: (minor: number, currency: string) => string;
  /** The same with its sign, for differences. */
  readonly signedMoney: (minor: number, currency: string) => string;
  readonly number: (value: number) => string;
  /** Numbers of which any one is meant: `7 or 8`. */
  readonly anyOf: (values: readonly number[]) => string;
  /** A ratio of 0 to 1 as a percentage. */
  readonly percent: (ratio: number) => string;
  /** Day and time, to the second. Takes RFC 3339. */
  readonly dateTime: (time: string) => string;
  /** The time of day, to the second. */
  readonly time: (time: string | number) => string;
  /** A day. Takes `YYYY-MM-DD`, which is a gaming day and has no zone. */
  readonly day: (day: string) => string;
  /** How long ago or ahead a time is: `2 hours ago`. */
  readonly ago: (time: string, now?: number) => string;
  /** A duration in milliseconds as `m:ss`, or with tenths of a second. */
  readonly clock: (ms: number, tenths?: boolean) => string;
  /** The zone in which times are shown. */
  readonly zone: string;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Returns how to write values in the chosen language. Needs a signed-in person. */
export function useFormats(): Formats {
  const { locale } = useSpoken();
  const { utc } = usePreferences();
  const { house } = useMe();
  return keptFormats(locale, utc ? 'UTC' : house.zone);
}

const kept = new Map<string, Formats>();

/** Returns the formats of a language and a zone, made once: a row of a list is drawn too often. */
function keptFormats(locale: string, zone: string): Formats {
  const key = `${locale} ${zone}`;
  const formats = kept.get(key) ?? formatsOf(locale, zone);
  kept.set(key, formats); // five languages, the zone of the house and UTC
  return formats;
}

/** Returns how to write values in a language and a zone. */
export function formatsOf(locale: string, zone: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const anyOf = new Intl.ListFormat(locale, { type: 'disjunction' });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: zone });
  const dateTime = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: zone,
  });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  return {
    money: moneyOf(locale, 'auto'),
    signedMoney: moneyOf(locale, 'exceptZero'),
    number: (value) => number.format(value),
    anyOf: (values) => anyOf.format(values.map((value) => number.format(value))),
    percent: (ratio) => percent.format(ratio),
    dateTime: (at) => dateTime.format(new Date(at)),
    time: (at) => time.format(new Date(at)),
    day: (date) => day.format(new Date(date)),
    ago: (at, now = Date.now()) => agoOf(relative, Date.parse(at) - now),
    clock: clockOf,
    zone,
  };
}

function agoOf(format: Intl.RelativeTimeFormat, ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1_000];
  return format.format(Math.trunc(ms / length), unit);
}

function clockOf(ms: number, tenths = false): string {
  const seconds = Math.max(0, ms) / 1_000;
  const rest = seconds % 60;
  const shown = tenths ? (Math.floor(rest * 10) / 10).toFixed(1) : String(Math.floor(rest));
  return `${Math.floor(seconds / 60)}:${shown.padStart(tenths ? 4 : 2, '0')}`;
}
