import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `look` returns something other than undefined, false or null, and returns that. After
 * `ms`, throws with what was awaited and the last value or error. Tests wait this way: for a
 * condition, never for a time.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T> | T,
  ms = 20_000,
): Promise<Exclude<T, undefined | null | false>> {
  const until = performance.now() + ms;
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
    if (performance.now() > until)
      throw new Error(
        `${what} never came within ${ms} ms; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
      );
    await pause(10);
  }
}
