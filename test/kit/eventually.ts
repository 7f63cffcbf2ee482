import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `look` gives something other than undefined, false or null, and gives that back. Throws what never came, and
 * the last thing seen or thrown, after `ms`. This is how a test waits: never for a time, always for a thing.
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
