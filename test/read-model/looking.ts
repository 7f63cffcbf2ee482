import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import pg from 'pg';
import { migrate, ROW_TYPES, type RowStore } from '#read-model';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';

const TABLES = [
  'table_state',
  'shoe',
  'coup',
  'finding',
  'unjudgeable',
  'ledger',
  'commission',
  'dealt',
  'bet_total',
  'device',
  'delivery',
  'parked',
  'released',
];

/** Reads a database without the code under test, and interferes with its sessions. */
export class Rows {
  private readonly sessions: pg.Client[] = [];

  private constructor(
    private readonly url: string,
    private readonly client: pg.Client,
  ) {}

  static async of(url: string): Promise<Rows> {
    const rows = new Rows(url, new pg.Client({ connectionString: url, types: ROW_TYPES }));
    await rows.client.connect();
    return rows;
  }

  async ask<T extends pg.QueryResultRow = Record<string, unknown>>(
    sql: string,
    values: unknown[] = [],
  ): Promise<T[]> {
    return (await this.client.query<T>(sql, values)).rows;
  }

  async counts(schema = 'rows'): Promise<Record<string, number>> {
    const [counts] = await this.ask<Record<string, number>>(
      `select ${TABLES.map((table) => `(select count(*) from ${schema}.${table}) as ${table}`).join(', ')}`,
    );
    return counts as Record<string, number>;
  }

  /** Returns every row of every table, as JSON. */
  async all(schema = 'rows'): Promise<Record<string, unknown[]>> {
    const all: Record<string, unknown[]> = {};
    for (const table of TABLES)
      all[table] = (
        await this.ask<{ row: unknown }>(
          `select to_jsonb(t) as row from ${schema}.${table} t order by to_jsonb(t)::text`,
        )
      ).map(({ row }) => row);
    return all;
  }

  /** Opens a separate session, which `close` ends. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, types: ROW_TYPES });
    await client.connect();
    this.sessions.push(client);
    return client;
  }

  /** Holds the locks of `sql` until the returned function is called. */
  async holding(sql: string): Promise<() => Promise<void>> {
    const client = await this.session();
    await client.query('begin');
    await client.query(sql);
    return async () => void (await client.query('rollback'));
  }

  /**
   * Waits until a session waits for a lock in a statement with this beginning. Returns its process
   * id.
   */
  async waiting(beginning: string): Promise<number> {
    return eventually(`a session that waits in "${beginning}"`, async () => {
      const [found] = await this.ask<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and starts_with(ltrim(query), $1)`,
        [beginning],
      );
      return found?.pid;
    });
  }

  /** Ends such a session, as a network failure would. */
  async terminate(beginning: string): Promise<void> {
    await this.ask('select pg_terminate_backend($1)', [await this.waiting(beginning)]);
  }

  /** Returns the next notification on a channel. */
  async listen(channel: string): Promise<{ readonly told: Promise<string> }> {
    const client = await this.session();
    const told = new Promise<string>((resolve) =>
      client.once('notification', ({ payload }: pg.Notification) => resolve(payload ?? '')),
    );
    await client.query(`listen ${channel}`);
    return { told };
  }

  /** Returns the limits of a store's sessions. */
  async settingsOf(store: RowStore): Promise<{ idle: string; statement: string }> {
    const { pool } = store as unknown as {
      pool: {
        query: (name: string, text: string) => Promise<{ idle: string; statement: string }[]>;
      };
    };
    const [seen] = await pool.query(
      'settings',
      `select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('statement_timeout') as statement`,
    );
    return seen as { idle: string; statement: string };
  }

  /** Ends the sessions that hold locks or listen. */
  async letGo(): Promise<void> {
    await Promise.all(this.sessions.splice(0).map((client) => client.end()));
  }

  async close(): Promise<void> {
    await this.letGo();
    await this.client.end();
  }
}

/**
 * Creates one database for all tests of a file and recreates an empty schema of rows before each.
 * `begin` runs before each test, after that.
 */
export function eachOnFreshRows(begin: (rows: Rows, url: string) => Promise<void>): void {
  let database: TestDatabase;
  let rows: Rows;
  beforeAll(async () => {
    database = await createDatabase();
    rows = await Rows.of(database.url);
  });
  beforeEach(async () => {
    await rows.ask(
      'drop schema if exists rows cascade; drop schema if exists rows_next cascade; drop schema if exists rows_old cascade',
    );
    await migrate(database.url);
    await begin(rows, database.url);
  });
  afterEach(() => rows.letGo());
  afterAll(async () => {
    await rows.close();
    await database.drop();
  });
}
