import { connectionOptions } from '#postgres';
import pg from 'pg';
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { ENTITIES } from '../entities/index.js';
import { Rows1785000000000 } from '../migrations/1785000000000-rows.js';
import { FindingRaisedAt1785100000000 } from '../migrations/1785100000000-finding-raised-at.js';
import { UnjudgeableCoup1786000000000 } from '../migrations/1786000000000-unjudgeable-coup.js';
import { FindingStays1787000000000 } from '../migrations/1787000000000-finding-stays.js';
import { HouseEvents1788500000000 } from '../migrations/1788500000000-house-events.js';
import { migrateSchema } from './migrate-schema.js';
import { rowGrants } from './roles.js';
import { Delivery1789000000000 } from '../migrations/1789000000000-delivery.js';
import { ShoeLeft1789500000000 } from '../migrations/1789500000000-shoe-left.js';
import { Review1790000000000 } from '../migrations/1790000000000-review.js';
import { ClaimKey1790000000010 } from '../migrations/1790000000010-claim-key.js';
import { VideoHeld1790000000020 } from '../migrations/1790000000020-video-held.js';
import { ShoeBurn1790000000030 } from '../migrations/1790000000030-shoe-burn.js';
import { PassedRecord1790000000040 } from '../migrations/1790000000040-passed-record.js';
import { SnapshotWaits1790000000050 } from '../migrations/1790000000050-snapshot-waits.js';
import { RowsInPlace1790000000060 } from '../migrations/1790000000060-rows-in-place.js';
import { quotedSchema, ROWS_SCHEMA } from './schema.js';
import { SnakeCase } from './snake-case.js';

/** The migrations, in the order in which they are applied. A published one never changes. */
const MIGRATIONS = [
  Rows1785000000000,
  FindingRaisedAt1785100000000,
  UnjudgeableCoup1786000000000,
  FindingStays1787000000000,
  HouseEvents1788500000000,
  Delivery1789000000000,
  ShoeLeft1789500000000,
  Review1790000000000,
  ClaimKey1790000000010,
  VideoHeld1790000000020,
  ShoeBurn1790000000030,
  PassedRecord1790000000040,
  SnapshotWaits1790000000050,
  RowsInPlace1790000000060,
];

/** Options of a connection for reading rows. */
export interface DataSourceOptions {
  readonly schema?: string;
  readonly poolSize?: number;
  /** The longest statement. Undefined has no limit. */
  readonly statementMs?: number;
  /** The application name that PostgreSQL shows for the connections. */
  readonly applicationName?: string;
}

/**
 * Returns a bigint as a number. Throws if a number cannot hold it exactly. No stored value is that
 * large; only a sum can be, so queries must cast sums to text.
 */
function safeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is too large for a number to hold exactly`);
  return value;
}

const dateOf = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

/** The text of a time in UTC up to its seconds, and its offset, as PostgreSQL writes both. */
const SECONDS_LENGTH = '2026-11-20 12:00:00'.length;
const UTC = '+00';

/**
 * Returns a time as RFC 3339 text, with milliseconds. A session in UTC has nearly all it needs in
 * the text of PostgreSQL, and there are several times in a row.
 */
function timeOf(text: string): string {
  if (text[10] !== ' ' || !text.endsWith(UTC)) return dateOf(text).toISOString();
  const fraction = text.slice(SECONDS_LENGTH + 1, -UTC.length);
  return `${text.slice(0, 10)}T${text.slice(11, SECONDS_LENGTH)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [pg.types.builtins.INT8, safeNumber],
  [pg.types.builtins.DATE, (text) => text],
  [pg.types.builtins.TIMESTAMPTZ, timeOf],
]);

/**
 * Parses values from the database, on every connection:
 *
 * - a bigint as a number;
 * - a date as text, `YYYY-MM-DD`;
 * - a time as RFC 3339 text in UTC, with milliseconds;
 * - everything else as pg does. A sum of bigints is a numeric, which pg returns as text.
 */
export const ROW_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    (format !== 'binary' && PARSERS.get(oid)) ||
    (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

/**
 * Returns a data source for a schema of rows, to read by entity or by SQL. The caller initializes
 * and destroys it. It does not migrate: call `migrate` first.
 */
export function readModelDataSource(
  url: string,
  {
    schema = ROWS_SCHEMA,
    poolSize = 10,
    applicationName = 'shoeprint',
    statementMs,
  }: DataSourceOptions = {},
): DataSource {
  quotedSchema(schema);
  return new DataSource({
    type: 'postgres',
    url,
    schema,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    migrationsRun: false,
    synchronize: false,
    installExtensions: false,
    uuidExtension: 'pgcrypto',
    namingStrategy: new SnakeCase(),
    poolSize,
    extra: connectionOptions({
      applicationName,
      types: ROW_TYPES,
      ...(statementMs !== undefined && { statementMs }),
    }),
  });
}

/** The lock of a migration. All schemas of rows in a database share it. */
const MIGRATING = `hashtextextended('shoeprint migrate', 0)`;

/**
 * Migrates a schema of rows to the newest version and creates the schema if it does not exist.
 * Processes may call it concurrently: one migrates, and the others wait until it is done. Throws
 * `MigrationNeeded` if the user may not and it is not done.
 */
export async function migrate(url: string, schema: string = ROWS_SCHEMA): Promise<void> {
  const { options } = readModelDataSource(url, {
    schema,
    poolSize: 1,
    applicationName: 'shoeprint migrate',
  });
  await migrateSchema(url, {
    schema,
    options,
    migrations: MIGRATIONS,
    lock: MIGRATING,
    grants: rowGrants(quotedSchema(schema)),
  });
}
