import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newClient } from '#postgres';
import { errorCode, Refusal } from '#process';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import { grant, type Grants } from './roles.js';
import { quotedSchema } from './schema.js';

/** A schema and how to bring it to its latest version. */
export interface SchemaMigration {
  readonly schema: string;
  /** The connection, for the one session that migrates. */
  readonly options: DataSourceOptions;
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** The SQL of the advisory lock that processes take, so that one migrates and others wait. */
  readonly lock: string;
  /** What the roles of the programs may do with the schema. */
  readonly grants: Grants;
}

/** Thrown if a schema is not of the latest version and the database user may not migrate it. */
export class MigrationNeeded extends Refusal {
  override readonly name = 'MigrationNeeded';

  constructor(schema: string) {
    super(
      `the schema "${schema}" must be created or migrated, which this database user may not do: run "node dist/apps/api/src/main.js migrate" with the address of the owner in DATABASE_URL`,
    );
  }
}

/** Thrown if other sessions use a table all the time, so that a migration of it cannot begin. */
class TableInUse extends Refusal {
  override readonly name = 'TableInUse';

  constructor(schema: string) {
    super(
      `the schema "${schema}" could not be migrated, because a session has used a table of it for two minutes: see pg_stat_activity, and try again when it has ended`,
    );
  }
}

/**
 * Longest wait for the lock of a table. Everything that asks for the table meanwhile waits behind
 * it, so a migration gives up soon, lets the others pass, and tries again. It must wait longer than
 * `deadlock_timeout`, by default one second: only after that does PostgreSQL end an autovacuum that
 * is in the way.
 */
const LOCK_MS_MAX = 2_500;
const LOCK_PAUSE_MS = 1_000;
/** Tries for two minutes. */
const LOCK_TRIES_MAX = Math.ceil(120_000 / (LOCK_MS_MAX + LOCK_PAUSE_MS));
/** The code of PostgreSQL for a lock that was not free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates a schema or migrates it to the latest version, and makes its grants. Processes may call
 * it concurrently. A user who does not own the schema only checks that nothing is left to do, and
 * gets `MigrationNeeded` otherwise. Each migration is a transaction, so programs that run meanwhile
 * wait for one at a time.
 */
export async function migrateSchema(url: string, wanted: SchemaMigration): Promise<void> {
  // No limit of a statement: another process may migrate for long, as a large table needs.
  const client = newClient(url, { applicationName: 'shoeprint migrate' });
  await client.connect();
  try {
    if (!(await mayMigrate(client, wanted.schema))) {
      await checkMigrated(client, wanted);
      return;
    }
    await client.query(`select pg_advisory_lock(${wanted.lock})`);
    await client.query(`create schema if not exists ${quotedSchema(wanted.schema)}`);
    await runMigrations(wanted);
    await grant(client, wanted.grants);
  } finally {
    await client.end();
  }
}

/** Runs the migrations that are left. Begins again where one did not get a lock in time. */
async function runMigrations({ schema, options }: SchemaMigration): Promise<void> {
  const extra = { ...(options.extra as object | undefined), lock_timeout: LOCK_MS_MAX };
  const source = await new DataSource({ ...options, extra }).initialize();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await source.runMigrations({ transaction: 'each' });
        return;
      } catch (error) {
        if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
        if (tries >= LOCK_TRIES_MAX) throw new TableInUse(schema);
        await pause(LOCK_PAUSE_MS);
      }
    }
  } finally {
    await source.destroy();
  }
}

/** Returns whether the user owns the schema, or may create it if it does not exist. */
async function mayMigrate(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce((select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = $1),
       has_database_privilege(current_database(), 'create')) as may`,
    [schema],
  );
  return rows[0]?.may === true;
}

/** Codes of PostgreSQL: no such schema or table, or no right to read it. */
const UNREADABLE = ['3F000', '42P01', '42501'];

async function checkMigrated(
  client: pg.Client,
  { schema, migrations }: SchemaMigration,
): Promise<void> {
  const done = await client
    .query<{ name: string }>(`select name from ${quotedSchema(schema)}.migration`)
    .then(({ rows }) => new Set(rows.map(({ name }) => name)))
    .catch((error: unknown) => {
      if (UNREADABLE.includes(errorCode(error) ?? '')) return new Set<string>();
      throw error;
    });
  if (!migrations.every((Migration) => done.has(new Migration().name ?? Migration.name)))
    throw new MigrationNeeded(schema);
}
