import type pg from 'pg';
import { BoundedClient } from './bounded-client.js';

/**
 * The longest that a connection may take to be there: to be made, or to become free in a pool whose
 * connections are all in use.
 */
const CONNECT_MS_MAX = 3000;
/** After so long without traffic, the system asks whether the other side is still there. */
const KEEP_ALIVE_MS = 5000;

/** What differs between the connections of a program. */
export interface ConnectionOptions {
  /** The name that PostgreSQL shows for the connection. */
  readonly applicationName: string;
  /** The longest statement. PostgreSQL cancels a longer one. Undefined has no limit. */
  readonly statementMs?: number;
  /**
   * The longest that a session may rest in a transaction. A process that sleeps in one holds its
   * locks no longer than this.
   */
  readonly idleInTransactionMs?: number;
  /** The longest wait for the lock of a table. Undefined waits as long as a statement may take. */
  readonly lockMs?: number;
  readonly types?: pg.CustomTypesConfig;
}

/** Options of node-postgres, for a connection or a pool. */
type PgOptions = Omit<pg.PoolConfig, 'connectionString'>;

/**
 * Returns the options that every connection to PostgreSQL has, without its address: how long it may
 * take to be made, how long a statement may take, and when a silent connection is closed. They are
 * for `pg.Pool`, and for TypeORM's `extra`. `newClient` makes a single connection.
 */
export const connectionOptions = ({
  applicationName,
  statementMs,
  idleInTransactionMs,
  lockMs,
  types,
}: ConnectionOptions): PgOptions => ({
  application_name: applicationName,
  connectionTimeoutMillis: CONNECT_MS_MAX,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  Client: BoundedClient,
  ...(statementMs !== undefined && { statement_timeout: statementMs }),
  ...(idleInTransactionMs !== undefined && {
    idle_in_transaction_session_timeout: idleInTransactionMs,
  }),
  ...(lockMs !== undefined && { lock_timeout: lockMs }),
  ...(types && { types }),
});

/**
 * Returns a single connection, not yet made. The caller connects and ends it. If it breaks, its
 * queries reject; add a listener for `end` to notice it without a query.
 */
export const newClient = (url: string, options: ConnectionOptions): pg.Client =>
  new BoundedClient({ connectionString: url, ...connectionOptions(options) });
