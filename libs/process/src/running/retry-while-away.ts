import { setTimeout as pause } from 'node:timers/promises';
import { asError } from '../as-error.js';

/** How `retryWhileAway` tries again. */
export interface Retrying {
  /** Whether an error means that the other side is away for now. */
  readonly isAway: (thrown: unknown) => boolean;
  /** Receives each new reason for which it tries again. */
  readonly onRetry: (why: Error) => void;
  /** How long it tries. */
  readonly forMs: number;
}

const RETRY_MS = 250;
const RETRY_MS_MAX = 2_000;

/**
 * Runs work that must be safe to repeat, and runs it again while the other side is away. Throws the
 * last error if that takes too long, and any other error at once.
 */
export async function retryWhileAway<T>(
  work: () => Promise<T>,
  { isAway, onRetry, forMs }: Retrying,
): Promise<T> {
  const until = performance.now() + forMs;
  let reported = '';
  for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
    try {
      return await work();
    } catch (thrown) {
      if (!isAway(thrown) || performance.now() + waitMs > until) throw thrown;
      const why = asError(thrown);
      if (why.message !== reported) onRetry(why);
      reported = why.message;
      await pause(waitMs);
    }
  }
}
