import { asError, Refusal, retryWhileAway } from '#process';
import { isDatabaseAway } from './database-away.js';

/** Thrown if PostgreSQL could not be reached while a program started. */
export class DatabaseAway extends Refusal {
  override readonly name = 'DatabaseAway';

  constructor(override readonly cause: Error) {
    super(
      `PostgreSQL cannot be reached (${cause.message}): check the address in DATABASE_URL, and that PostgreSQL runs and takes connections from this machine; then start again`,
    );
  }
}

/** How `onceReachable` tries again. */
export interface Reaching {
  /** Receives each new reason for which it tries again. */
  readonly onRetry: (why: Error) => void;
  /** How long it tries; default two minutes. */
  readonly forMs?: number;
}

const REACHING_MS = 120_000;

/**
 * Runs a part of a start that needs PostgreSQL, which must be safe to repeat. Runs it again while
 * PostgreSQL refuses or breaks connections, as while it restarts, and throws `DatabaseAway` if that
 * takes too long. Throws any other error at once.
 */
export async function onceReachable<T>(
  work: () => Promise<T>,
  { onRetry, forMs = REACHING_MS }: Reaching,
): Promise<T> {
  try {
    return await retryWhileAway(work, { isAway: isDatabaseAway, onRetry, forMs });
  } catch (thrown) {
    throw isDatabaseAway(thrown) ? new DatabaseAway(asError(thrown)) : thrown;
  }
}
