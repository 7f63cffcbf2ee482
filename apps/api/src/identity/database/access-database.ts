import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ACCESS_ENTITIES, ACCESS_SCHEMA } from './access.entities.js';
import { ACCESS_MIGRATIONS } from './access-migrations.js';

/**
 * Connections for accounts and keys. Each token is looked up at most once a second, so few are
 * enough.
 */
const POOL_MAX = 4;
/** No query about accounts takes this long on a healthy database. */
const STATEMENT_MS_MAX = 5000;
const CONNECT_MS_MAX = 2000;

/**
 * The key of the advisory lock that processes take to migrate. If many start at once, one migrates
 * and the others wait. Nothing else in a database uses this number.
 */
const MIGRATION_LOCK = 7_203_114_001;

/**
 * Returns how TypeORM connects to the schema `access`. Calls `lost` when an idle connection breaks.
 */
export function accessOptions(
  databaseUrl: string,
  lost: (error: Error) => void,
): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    schema: ACCESS_SCHEMA,
    entities: ACCESS_ENTITIES,
    migrations: ACCESS_MIGRATIONS,
    migrationsTableName: 'migration',
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    poolSize: POOL_MAX,
    applicationName: 'shoeprint-access',
    connectTimeoutMS: CONNECT_MS_MAX,
    poolErrorHandler: lost,
    extra: {
      statement_timeout: STATEMENT_MS_MAX,
      // A process that hangs in a transaction holds its locks no longer than this.
      idle_in_transaction_session_timeout: STATEMENT_MS_MAX,
    },
  };
}

/**
 * Creates the schema `access`, or migrates it to the latest version. Many processes may call it at
 * once. Throws if the database refuses.
 */
export async function migrateAccess(databaseUrl: string): Promise<void> {
  const turn = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await turn.connect();
  try {
    await turn.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await turn.query(`create schema if not exists ${ACCESS_SCHEMA}`);
    const source = await new DataSource({
      ...accessOptions(databaseUrl, () => undefined),
      extra: {},
    }).initialize();
    await source.runMigrations({ transaction: 'each' }).finally(() => source.destroy());
  } finally {
    await turn.end();
  }
}
