import pg from 'pg';
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { ENTITIES } from '../entities/index.js';
import { Rows1785000000000 } from '../migrations/1785000000000-rows.js';
import { FindingRaisedAt1785100000000 } from '../migrations/1785100000000-finding-raised-at.js';
import { UnjudgeableCoup1786000000000 } from '../migrations/1786000000000-unjudgeable-coup.js';
import { quotedSchema, ROWS_SCHEMA } from './schema.js';
import { SnakeCase } from './snake-case.js';

export interface DataSourceOptions {
  readonly schema?: string;
  readonly poolSize?: number;
  /** What the database shows as the application's name. */
  readonly applicationName?: string;
}

/** A bigint as a number. Throws where a number cannot hold it: no row has one, so only a sum can be it, and sums are to be cast to text. */
function safeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is more than a number holds exactly`);
  return value;
}

const dateOf = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [pg.types.builtins.INT8, safeNumber],
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.TIMESTAMPTZ, (text) => dateOf(text).toISOString()],
]);

/**
 * How values come out of the database on every connection: bigint as a number, a date as its text `YYYY-MM-DD`, a time as an
 * RFC 3339 text in UTC with milliseconds, and everything else as pg parses it (numeric, which sums of bigint are, as text).
 */
export const ROW_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    (format !== 'binary' && PARSERS.get(oid)) ||
    (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

/**
 * A data source over a schema of rows, for reading by entities or by SQL of one's own: the caller initialises and destroys
 * it. It migrates nothing: `migrate` does.
 */
export function readModelDataSource(
  url: string,
  { schema = ROWS_SCHEMA, poolSize = 10, applicationName = 'shoeprint' }: DataSourceOptions = {},
): DataSource {
  quotedSchema(schema);
  return new DataSource({
    type: 'postgres',
    url,
    schema,
    entities: ENTITIES,
    migrations: [Rows1785000000000, FindingRaisedAt1785100000000, UnjudgeableCoup1786000000000],
    migrationsTableName: 'migration',
    migrationsRun: false,
    synchronize: false,
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    namingStrategy: new SnakeCase(),
    poolSize,
    applicationName,
    extra: { types: ROW_TYPES },
  });
}

/** One key for all who migrate this database, whatever schema. */
const MIGRATING = 'shoeprint migrate';

/**
 * Brings a schema of rows up to the newest tables, making it where there is none. Any number of processes may call it at
 * once: one migrates, the others wait and find it done.
 */
export async function migrate(url: string, schema: string = ROWS_SCHEMA): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'shoeprint migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [MIGRATING]);
    await client.query(`create schema if not exists ${quotedSchema(schema)}`);
    const source = readModelDataSource(url, {
      schema,
      poolSize: 1,
      applicationName: 'shoeprint migrate',
    });
    await source.initialize();
    try {
      await source.runMigrations({ transaction: 'all' });
    } finally {
      await source.destroy();
    }
  } finally {
    await client.end();
  }
}
