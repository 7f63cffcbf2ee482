import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ACCESS_ENTITIES, ACCESS_SCHEMA } from './access.entities.js';
import { ACCESS_MIGRATIONS } from './access-migrations.js';

/** Connections for accounts and keys: tokens are looked up once a second each, so few are enough. */
const POOL_MAX = 4;
/** No question about accounts takes so long on a database that is well. */
const STATEMENT_MS_MAX = 5000;
const CONNECT_MS_MAX = 2000;

/** Any number of processes may start at once: one migrates, the others wait for it. The number is ours alone in a database. */
const MIGRATION_LOCK = 7_203_114_001;

/** How TypeORM reaches the schema `access`. `lost` hears of a connection that broke while nobody used it. */
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
      // A process that sleeps in a transaction holds its locks no longer than this.
      idle_in_transaction_session_timeout: STATEMENT_MS_MAX,
    },
  };
}

/** Makes the schema `access`, or brings it up to date. Safe to call from many processes at once. Throws where the database refuses. */
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
