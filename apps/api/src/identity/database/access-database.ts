import type { DataSourceOptions } from 'typeorm';
import { connectionOptions } from '#postgres';
import { API_ROLE, migrateSchema, writes } from '#read-model';
import { ACCESS_ENTITIES, ACCESS_SCHEMA } from './access.entities.js';
import { ACCESS_MIGRATIONS } from './access-migrations.js';

/**
 * Connections for accounts and keys. Each token is looked up at most once a second, so few are
 * enough.
 */
const POOL_MAX = 4;
const APPLICATION = 'shoeprint-access';
/** No query about accounts takes this long on a healthy database. */
const STATEMENT_MS_MAX = 5000;

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
    poolErrorHandler: lost,
    extra: connectionOptions({
      applicationName: APPLICATION,
      statementMs: STATEMENT_MS_MAX,
      idleInTransactionMs: STATEMENT_MS_MAX,
    }),
  };
}

/**
 * Creates the schema `access`, or migrates it to the latest version. Many processes may call it at
 * once. Throws `MigrationNeeded` if the user may not and it is not done.
 */
export async function migrateAccess(databaseUrl: string): Promise<void> {
  await migrateSchema(databaseUrl, {
    schema: ACCESS_SCHEMA,
    // A migration may take longer than a query about accounts.
    options: {
      ...accessOptions(databaseUrl, () => undefined),
      extra: connectionOptions({ applicationName: APPLICATION }),
    },
    migrations: ACCESS_MIGRATIONS,
    lock: String(MIGRATION_LOCK),
    grants: { [API_ROLE]: writes(ACCESS_SCHEMA, API_ROLE) },
  });
}
