/**
 * Codes of a database that does not answer now: of the network, of a stream that has ended, and of
 * PostgreSQL (08 connection exceptions, 57P shutdown and lost sessions, 25P03 a transaction that it
 * ended, 53300 and 53400 no connection left).
 */
const CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|ERR_STREAM_(DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE)|ERR_SOCKET_CLOSED|57P0\d|25P03|53300|53400|08\w{3})$/;
/**
 * Messages of pg, its pool and TypeORM that have no code. TypeORM releases a query runner whose
 * connection breaks, so the next query on it finds it released.
 */
const WORDS =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|Query runner already released|Driver not Connected|socket hang up)/;

/**
 * Returns whether an error, or what caused it, means that PostgreSQL is out of reach for now, and
 * not that a query was wrong. Reads fields only, because an error of another realm is not an
 * `Error` of this one.
 */
export function isDatabaseAway(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  const { code, message, cause, errors } = thrown as {
    readonly [name in 'code' | 'message' | 'cause' | 'errors']?: unknown;
  };
  return (
    (typeof code === 'string' && CODES.test(code)) ||
    (typeof message === 'string' && WORDS.test(message)) ||
    (Array.isArray(errors) && errors.some(isDatabaseAway)) ||
    (cause !== thrown && isDatabaseAway(cause))
  );
}
