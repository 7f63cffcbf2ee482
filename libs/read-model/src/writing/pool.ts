import pg from 'pg';
import { connectionOptions } from '#postgres';
import { asError, within } from '#process';
import { ROW_TYPES } from '../database/data-source.js';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';

/** Options of a `RowStore`. */
export interface RowStoreOptions {
  readonly schema?: string;
  readonly poolSize?: number;
  /** The application name that PostgreSQL shows for the connections. */
  readonly applicationName?: string;
}

/** Thrown if a transaction wrote nothing. */
export class RowsNotWritten extends Error {
  override readonly name = 'RowsNotWritten';

  constructor(
    override readonly cause: Error,
    /**
     * Whether a retry may succeed, as after a lost connection, a deadlock or a full disk. A value
     * that the tables refuse is a bug here, and a retry cannot help.
     */
    readonly retryable: boolean,
  ) {
    super(`nothing was written: ${cause.message}`);
  }
}

/** Thrown if the connection broke during a commit. Only the positions show whether it succeeded. */
export class RowsOutcomeUnknown extends Error {
  override readonly name = 'RowsOutcomeUnknown';

  constructor(override readonly cause: Error) {
    super(`unknown whether the rows were written: ${cause.message}`);
  }
}

/**
 * The longest that a session may idle in a transaction. An owner that sleeps in one holds its
 * positions no longer than this.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;
/**
 * The limit of a statement. The largest batch takes a second or two. A lock that takes longer is
 * not going to come.
 */
const STATEMENT_MS = 30_000;
/**
 * The classes of errors (PostgreSQL manual, appendix A) that our own statements and values cause.
 */
const OUR_FAULT = /^(0A|2|42|P0|XX)/;

/**
 * The codes in those classes that pass without a change: the server is read-only for now (a
 * standby), or it ended a session whose process slept.
 */
const PASSES = /^25(006|P03|P04)$/;

const isRetryable = ({ code = '' }: Error & { readonly code?: string }): boolean =>
  PASSES.test(code) || !OUR_FAULT.test(code);

/** The limits of every session that writes rows. */
export const WRITER_LIMITS = {
  types: ROW_TYPES,
  statementMs: STATEMENT_MS,
  idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
} as const;

/** The connections of a writer to one schema. */
export class WriterPool {
  /** The schema's name, quoted for SQL. */
  readonly sql: string;
  private readonly pool: pg.Pool;

  constructor(
    url: string,
    readonly schema: string = ROWS_SCHEMA,
    poolSize = 4,
    applicationName = 'shoeprint rows',
  ) {
    this.sql = quotedSchema(schema);
    this.pool = new pg.Pool({
      connectionString: url,
      ...connectionOptions({ ...WRITER_LIMITS, applicationName }),
      max: poolSize,
      pipeline: true,
    });
    // The pool replaces a broken idle connection when it next needs one. That caller then gets the
    // error.
    this.pool.on('error', () => undefined);
  }

  /**
   * Runs one statement in its own transaction. Its name lets a connection keep its plan, so one
   * name must always have the same text. Rejects if `answerMs` is given, and a connection and the
   * answer take longer.
   */
  async query<Row extends object>(
    name: string,
    text: string,
    values: unknown[] = [],
    answerMs?: number,
  ): Promise<Row[]> {
    const query = { name, text, values };
    if (answerMs === undefined) return (await this.pool.query<Row & pg.QueryResultRow>(query)).rows;
    // the pool discards a connection whose query misses its limit
    const limited = { ...query, query_timeout: answerMs };
    return (await within(answerMs, this.pool.query<Row & pg.QueryResultRow>(limited))).rows;
  }

  /**
   * Runs `work` in a transaction. Commits if `work` returns `commit: true`, else rolls back. Throws
   * `RowsNotWritten` if anything fails before the commit, and `RowsOutcomeUnknown` if the commit
   * itself fails.
   */
  async transaction<T>(
    work: (client: pg.ClientBase) => Promise<{ readonly commit: boolean; readonly value: T }>,
  ): Promise<T> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw new RowsNotWritten(asError(error), true);
    });
    // A connection that breaks between two statements emits this error. The next statement rejects
    // with the same one.
    const heard = (): void => undefined;
    client.on('error', heard);
    const letGo = (broken?: Error): void => {
      client.off('error', heard);
      client.release(broken);
    };
    let done: { readonly commit: boolean; readonly value: T };
    try {
      await client.query('begin');
      done = await work(client);
      if (!done.commit) await client.query('rollback');
    } catch (thrown) {
      const error = asError(thrown);
      letGo(await rolledBack(client));
      throw new RowsNotWritten(error, isRetryable(error));
    }
    try {
      if (done.commit) await client.query('commit');
    } catch (thrown) {
      letGo(asError(thrown));
      throw new RowsOutcomeUnknown(asError(thrown));
    }
    letGo();
    return done.value;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/**
 * Rolls back. Returns the error if the rollback fails. The connection must then be discarded, which
 * also rolls back.
 */
async function rolledBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return asError(error);
  }
}
