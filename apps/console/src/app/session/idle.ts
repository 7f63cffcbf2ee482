import type { Answers } from '../../api/client.js';

const USED_AT = 'shoeprint.used-at';
/** How often a use is noted. All windows of the browser share the session. */
const STEP_MS = 5_000;

/** How a session ends: because nobody uses it, or because it has lasted long enough. */
export interface Ending {
  readonly at: number;
  /** Any request puts an idle end off. Only a new sign-in puts the other off. */
  readonly isIdle: boolean;
}

let idleMs: number | undefined;
let expiresAt: number | undefined;

/**
 * Notes when the session ends, by the clock of this browser. `serverTime` is the `Date` of the
 * answer, because the two clocks may differ.
 */
export function noteLimits(
  session: Answers['MeAnswer']['session'],
  serverTime: string | null,
): void {
  const now = Date.parse(serverTime ?? '') || Date.now();
  const left = (time: string | null | undefined): number | undefined =>
    typeof time === 'string' ? Date.parse(time) - now : undefined;
  const lasts = left(session?.expiresAt);
  idleMs = left(session?.idleUntil);
  expiresAt = lasts === undefined ? undefined : Date.now() + lasts;
}

/** Notes that a request was answered just now. */
export function noteUse(): void {
  const now = Date.now();
  if (now - lastUse() >= STEP_MS) localStorage.setItem(USED_AT, String(now));
}

const lastUse = (): number => Number(localStorage.getItem(USED_AT) ?? 0);

/** Returns when and how the session ends if nobody does anything, or undefined if it does not. */
export function ending(): Ending | undefined {
  const ends: Ending[] = [];
  if (idleMs !== undefined) ends.push({ at: lastUse() + idleMs, isIdle: true });
  if (expiresAt !== undefined) ends.push({ at: expiresAt, isIdle: false });
  return ends.sort((a, b) => a.at - b.at)[0];
}
