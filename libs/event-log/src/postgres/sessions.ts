import { type ConnectionOptions, connectionOptions } from '#postgres';
import { hedged } from '#process';
import pg from 'pg';
import { BrokenLog } from '../port.js';
import { logIdentityOf, LOG_ROLE, type LogIdentity } from './schema.js';

/**
 * The limits of every connection of a log. A statement takes milliseconds, unless the disk stalls
 * or another process creates the log.
 */
export const LOG_CONNECTION: ConnectionOptions = {
  applicationName: 'shoeprint log',
  statementMs: 30_000,
};

/** How long the server may be silent on a new connection before another one is made beside it. */
const BESIDE_MS = 1_000;
const BESIDE_MAX = 3;

/**
 * A pool of connections to one log. Checks that each new connection reaches that log, and limits it
 * to the log's role if there is one.
 */
export class Sessions {
  private readonly pool: pg.Pool;
  private readonly taken = new Set<pg.PoolClient>();
  private closing = false;

  constructor(
    url: string,
    private readonly identity: LogIdentity,
    private readonly settings: {
      readonly max: number;
      readonly limited: boolean;
      readonly onNotice: (text: string) => void;
    },
  ) {
    this.pool = new pg.Pool({
      connectionString: url,
      ...connectionOptions(LOG_CONNECTION),
      max: settings.max,
      idleTimeoutMillis: 0,
      verify: (client, done) => void this.prepare(client).then(() => done(), done),
    });
    // The pool drops an idle connection that breaks, and the next use opens another or rejects.
    // While the pool closes, a server that ends is not worth a notice.
    this.pool.on('error', (error) => {
      if (!this.closing)
        settings.onNotice(`an idle connection to the log was lost: ${error.message}`);
    });
    this.pool.on('acquire', (client) => this.taken.add(client));
    this.pool.on('release', (_, client) => this.taken.delete(client));
  }

  /**
   * Takes a connection. The caller must release it, with `true` if it must not be used again. While
   * one is made and the server says nothing, another is made beside it, if the pool has room.
   */
  take(): Promise<pg.PoolClient> {
    return hedged(() => this.pool.connect(), {
      everyMs: BESIDE_MS,
      most: BESIDE_MAX,
      discard: (client) => client.release(),
    });
  }

  /** Closes all connections. A statement under way has an unknown outcome. */
  async close(): Promise<void> {
    this.closing = true;
    for (const client of this.taken) void client.end().catch(() => undefined); // its query rejects
    await this.pool.end();
  }

  async query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]> {
    const client = await this.take();
    try {
      const { rows } = await client.query<R>(query);
      client.release();
      return rows;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  private async prepare(client: pg.ClientBase): Promise<void> {
    const found = await logIdentityOf(client);
    if (found?.id !== this.identity.id)
      throw new BrokenLog(
        `the database holds ${found ? 'another log' : 'no log'}, not ${this.identity.id}`,
      );
    // A session keeps its plans. One that was made while the log was small would read all of it.
    // Left to itself, PostgreSQL plans each statement again, which takes longer than to run it.
    await client.query(
      `set jit = off; set enable_seqscan = off; set plan_cache_mode = force_generic_plan; set default_transaction_isolation = 'read committed'${this.settings.limited ? `; set role ${LOG_ROLE}` : ''}`,
    );
  }
}
