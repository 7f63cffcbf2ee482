import { asError, Refusal, retryWhileAway } from '#process';

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

/** Errors of the network, by their codes. */
const OF_THE_NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/**
 * Codes of PostgreSQL (manual, appendix A): lost connections, a server that stops or starts, and
 * too many connections.
 */
const OF_THE_SERVER = /^(08...|57P0[123]|53300)$/;

/** Errors that node-postgres throws without a code. */
const OF_THE_CLIENT =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** Returns whether an error, or what caused it, means that PostgreSQL is out of reach for now. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { code, message, cause } = thrown as Readonly<Record<string, unknown>>;
  const isOne =
    (typeof code === 'string' && (OF_THE_NETWORK.test(code) || OF_THE_SERVER.test(code))) ||
    (typeof message === 'string' && OF_THE_CLIENT.test(message));
  return isOne || isDatabaseAway(cause);
}
