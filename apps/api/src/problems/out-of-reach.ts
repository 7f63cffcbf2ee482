const CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|57P0[123]|53300|53400|08\d\d\d)$/;
const WORDS =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Driver not Connected)/;

/** Whether an error says that the database does not answer now, rather than that a question to it was wrong. */
export function outOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as Error & { readonly code?: unknown };
  if ((typeof code === 'string' && CODES.test(code)) || WORDS.test(error.message)) return true;
  if (error instanceof AggregateError) return error.errors.some(outOfReach);
  return cause !== undefined && cause !== error && outOfReach(cause);
}
