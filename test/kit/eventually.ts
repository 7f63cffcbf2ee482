import { setTimeout as pause } from 'node:timers/promises';

/**
 * Milliseconds between two looks: a tenth of what was waited so far, within these. A look is often
 * a request or a query, and what is waited for needs the processor too.
 */
const LOOK_MS = 10;
const LOOK_MS_MAX = 50;
/** Nearly what a test may take (`testTimeout`), for a busy machine: so it says what never came. */
const WAIT_MS_MAX = 50_000;

/**
 * Waits until `look` returns something other than undefined, false or null, and returns that. After
 * `ms`, throws with what was awaited and the last value or error. Tests wait this way: for a
 * condition, never for a time.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T> | T,
  ms = WAIT_MS_MAX,
): Promise<Exclude<T, undefined | null | false>> {
  const since = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== null && seen !== false)
        return seen as Exclude<T, undefined | null | false>;
      last = seen;
    } catch (error) {
      last = error;
    }
    const waited = performance.now() - since;
    if (waited > ms)
      throw new Error(
        `${what} never came within ${ms} ms; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
      );
    await pause(Math.min(Math.max(LOOK_MS, waited / 10), LOOK_MS_MAX));
  }
}
