/** When to seal. */
export interface Rhythm {
  /** The longest that something new waits for a seal, in milliseconds. */
  readonly everyMs: number;
  /** How many new records are sealed at once. */
  readonly records: number;
  /** How long after the cut-over a gaming day is closed, in milliseconds. */
  readonly graceMs: number;
}

/** Why a seal is made. */
export type SealReason = 'day' | 'records' | 'time' | 'asked' | 'age';

/** What decides whether to seal now. */
export interface SealStanding {
  /** Time since the last seal, in milliseconds; infinite before the first. */
  readonly sinceSealMs: number;
  /** How many records no seal holds yet. */
  readonly unsealed: number;
  /** Whether somebody has asked for a seal since the last one. */
  readonly isAsked: boolean;
  /** The gaming day to close, if one is due. */
  readonly day: string | undefined;
}

/** The default rhythm: a minute, 50,000 records, a quarter of an hour. */
export const RHYTHM: Rhythm = Object.freeze({
  everyMs: 60_000,
  records: 50_000,
  graceMs: 15 * 60_000,
});

/** The shortest time between two seals that somebody asks for. */
const ASKED_MS = 5_000;
/** A seal is made at least this often, even if nothing is new: its age reveals a cut log. */
const AGE_MS_MAX = 3_600_000;

/** Returns why to seal now, or undefined if it is not time. */
export function whySeal(
  { sinceSealMs, unsealed, isAsked, day }: SealStanding,
  { everyMs, records }: Rhythm,
): SealReason | undefined {
  if (day !== undefined) return 'day';
  if (unsealed >= records) return 'records';
  if (unsealed > 0 && sinceSealMs >= everyMs) return 'time';
  if (unsealed > 0 && isAsked && sinceSealMs >= ASKED_MS) return 'asked';
  if (sinceSealMs >= AGE_MS_MAX) return 'age';
  return undefined;
}

const DAY_MS = 86_400_000;

/** Returns the calendar day before a day, `YYYY-MM-DD`. */
const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);

/** What decides which gaming day to close. */
export interface DayStanding {
  readonly nowMs: number;
  readonly graceMs: number;
  /** Returns the gaming day of an RFC 3339 time. */
  readonly dayOf: (time: string) => string;
  /** The last day that a seal has closed. */
  readonly lastDay: string | undefined;
  /** The time of the site's first seal, RFC 3339; undefined before it. */
  readonly firstSealed: string | undefined;
}

/**
 * Returns the gaming day that is over and has no seal yet: always the last one. A sealer that slept
 * through several closes only this one. Days before the site's first seal are never closed.
 */
export function dueDay({
  nowMs,
  graceMs,
  dayOf,
  lastDay,
  firstSealed,
}: DayStanding): string | undefined {
  if (firstSealed === undefined) return undefined;
  const over = dayBefore(dayOf(new Date(nowMs - graceMs).toISOString()));
  const before = lastDay ?? dayBefore(dayOf(firstSealed));
  return over > before ? over : undefined;
}
