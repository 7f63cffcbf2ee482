import pg from 'pg';
import { BrokenLog } from '../port.js';
import { identityOf, LOG_ROLE, type LogIdentity } from './schema.js';

const CONNECT_MS_MAX = 5000;
/** A statement that has no answer by then has an unknown outcome; the connection is dropped. */
const STATEMENT_MS_MAX = 30_000;

/** The options of every connection of a log. */
export const connection = (url: string): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_MS_MAX,
  query_timeout: STATEMENT_MS_MAX,
  keepAlive: true,
  application_name: 'shoeprint log',
});

/** Connections to one log, each checked to be to that log and limited to the log's role where there is one. */
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
      readonly onNotice?: (text: string) => void;
    },
  ) {
    this.pool = new pg.Pool({
      ...connection(url),
      max: settings.max,
      idleTimeoutMillis: 0,
      verify: (client, done) => void this.prepare(client).then(() => done(), done),
    });
    // An idle connection that breaks is dropped by the pool; the next use makes another, and says so if it cannot.
    // While the pool closes nobody needs it any more: a server that ends right after is no news.
    this.pool.on('error', (error) => {
      if (!this.closing)
        settings.onNotice?.(`an idle connection to the log was lost: ${error.message}`);
    });
    // One that breaks while it is used says so to whoever waits for its answer, or to the next who asks.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.pool.on('acquire', (client) => this.taken.add(client));
    this.pool.on('release', (_, client) => this.taken.delete(client));
  }

  /** A connection; whoever takes it gives it back, with `true` where it must not be used again. */
  take(): Promise<pg.PoolClient> {
    return this.pool.connect();
  }

  /** Ends also what is under way: its statement then has an unknown outcome. */
  async close(): Promise<void> {
    this.closing = true;
    for (const client of this.taken) void client.end().catch(() => undefined); // whoever took it hears of it
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
    const found = await identityOf(client);
    if (found?.id !== this.identity.id)
      throw new BrokenLog(
        `the database holds ${found ? 'another log' : 'no log'}, not ${this.identity.id}`,
      );
    await client.query(
      `set jit = off; set default_transaction_isolation = 'read committed'${this.settings.limited ? `; set role ${LOG_ROLE}` : ''}`,
    );
  }
}
