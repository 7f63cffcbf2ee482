import { setTimeout as pause } from 'node:timers/promises';

/** How work is hedged. */
export interface Hedge<T> {
  /** How long it may be under way before it is begun again beside itself. */
  readonly everyMs: number;
  /** How often it is begun at most. */
  readonly most: number;
  /** Receives what came after something else had ended already. */
  readonly discard: (late: T) => void;
}

/**
 * Begins some work, and begins it again beside itself while none of it has ended. Resolves or
 * rejects as the first that ends. For work that may stay silent for ever on one way and be answered
 * at once on another, and of which several may be done (J. Dean, L. A. Barroso, The Tail at Scale,
 * 2013: hedged requests).
 */
export async function hedged<T>(begin: () => Promise<T>, hedge: Hedge<T>): Promise<T> {
  const { everyMs, most, discard } = hedge;
  const isOver = new AbortController();
  const { signal } = isOver;
  const begun = Array.from({ length: most }, async (_, at) => {
    if (at > 0) await pause(at * everyMs, undefined, { signal });
    const done = await begin();
    if (signal.aborted) discard(done);
    return done;
  });
  try {
    return await Promise.race(begun);
  } finally {
    isOver.abort();
  }
}
