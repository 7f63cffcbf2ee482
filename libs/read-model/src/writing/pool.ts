import pg from 'pg';
import { asError } from '#process';
import { ROW_TYPES } from '../database/data-source.js';
import { quotedSchema, ROWS_SCHEMA } from '../database/schema.js';

export interface RowStoreOptions {
  readonly schema?: string;
  readonly poolSize?: number;
  /** What the database shows as the application's name. */
  readonly applicationName?: string;
}

/** Nothing of a transaction was written, and why. */
export class RowsNotWritten extends Error {
  override readonly name = 'RowsNotWritten';

  constructor(
    override readonly cause: Error,
    /** Whether the same may succeed later: a lost connection, a deadlock, a full disk; not a value that the tables refuse, which is our bug. */
    readonly retryable: boolean,
  ) {
    super(`nothing was written: ${cause.message}`);
  }
}

/** The connection broke while a transaction was being committed: only the positions tell whether it was. */
export class RowsOutcomeUnknown extends Error {
  override readonly name = 'RowsOutcomeUnknown';

  constructor(override readonly cause: Error) {
    super(`it is not known whether the rows were written: ${cause.message}`);
  }
}

/** Longest that a session may idle in a transaction: an owner that sleeps in one holds its positions no longer than this. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** A statement of the largest batch takes a second or two; a lock that takes longer is not going to come. */
const STATEMENT_MS = 30_000;
/** The server answers a cancelled statement; beyond that the connection is dead. */
const ANSWER_MS = STATEMENT_MS + 5_000;

/** What PostgreSQL's classes of errors (appendix A of its manual) say of our own statements and values. */
const OUR_FAULT = /^(0A|2|42|P0|XX)/;

/** Among them, what passes by itself: a server that is not written for now (a standby), a session that was ended because its process slept. */
const PASSES = /^25(006|P03|P04)$/;

const isRetryable = ({ code = '' }: Error & { readonly code?: string }): boolean =>
  PASSES.test(code) || !OUR_FAULT.test(code);

/** Settings of every session that writes rows. */
export const sessionOf = (url: string, applicationName: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  types: ROW_TYPES,
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  statement_timeout: STATEMENT_MS,
  query_timeout: ANSWER_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
});

/** Connections of a writer, bound to a schema. */
export class WriterPool {
  /** The schema's name as SQL has it. */
  readonly sql: string;
  private readonly pool: pg.Pool;

  constructor(
    url: string,
    readonly schema: string = ROWS_SCHEMA,
    poolSize = 4,
    applicationName = 'shoeprint rows',
  ) {
    this.sql = quotedSchema(schema);
    this.pool = new pg.Pool({ ...sessionOf(url, applicationName), max: poolSize, pipeline: true });
    // An idle connection that breaks is replaced when one is next needed, and whoever needs it learns what is wrong.
    this.pool.on('error', () => undefined);
  }

  /** One statement, a transaction of its own. Its name lets a connection keep its plan; one name is one text. */
  async query<Row extends object>(
    name: string,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    return (await this.pool.query<Row & pg.QueryResultRow>({ name, text, values })).rows;
  }

  /**
   * Runs `work` in a transaction and commits where it says so, else rolls back. Throws `RowsNotWritten` where anything failed before the
   * commit, `RowsOutcomeUnknown` where the commit itself did.
   */
  async transaction<T>(
    work: (client: pg.ClientBase) => Promise<{ readonly commit: boolean; readonly value: T }>,
  ): Promise<T> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw new RowsNotWritten(asError(error), true);
    });
    // A connection that breaks between two statements says so here; the next statement rejects with the same.
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

/** Rolls back; gives the error where not even that can be said, and the connection is to be thrown away, which rolls back too. */
async function rolledBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return asError(error);
  }
}
