import { connectionOptions } from '#postgres';
import { ROW_TYPES } from '#read-model';
import pg from 'pg';

/** The longest statement. The largest commit takes a second or two. */
const STATEMENT_MS = 30_000;
/** A sealer that sleeps in a transaction holds its rows no longer than this. */
const IDLE_IN_TRANSACTION_MS = 5_000;

/** Connections to the schema `seal`. */
export class SealPool {
  private readonly pool: pg.Pool;

  constructor(url: string, { max, applicationName }: { max: number; applicationName: string }) {
    this.pool = new pg.Pool({
      connectionString: url,
      ...connectionOptions({
        applicationName,
        types: ROW_TYPES,
        statementMs: STATEMENT_MS,
        idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
      }),
      max,
    });
    // The pool replaces a broken idle connection when it next needs one, and that query rejects.
    this.pool.on('error', () => undefined);
  }

  /** Runs one statement. A name lets a connection keep its plan: one name has always one text. */
  async query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>({ name, text, values })).rows;
  }

  /** Runs `work` in a transaction and commits. Rolls back if it rejects, and rejects the same. */
  async transaction<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const heard = (): void => undefined; // the statement under way rejects with the same error
    client.on('error', heard);
    let isBroken = true;
    try {
      await client.query('begin');
      const value = await work(client).catch(async (error: unknown) => {
        await client.query('rollback').then(() => (isBroken = false));
        throw error;
      });
      await client.query('commit');
      isBroken = false;
      return value;
    } finally {
      client.off('error', heard);
      client.release(isBroken);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
