import { connectionOptions } from '#postgres';
import { API_ROLE, migrateSchema } from '#read-model';
import { Cosignatures1793600000000 } from './cosignatures-migration.js';
import { Outbox1793700000000 } from './outbox-migration.js';
import { ReadingAgain1793500000000 } from './reading-again-migration.js';
import { Seal1793000000000 } from './seal-migrations.js';

/** The schema of what was sealed. Only the sealer writes it. */
const SEAL_SCHEMA = 'seal';
/** The database role of a sealer. */
export const SEALER_ROLE = 'shoeprint_sealer';

/** The migrations, in the order in which they are applied. A published one never changes. */
const MIGRATIONS = [
  Seal1793000000000,
  ReadingAgain1793500000000,
  Cosignatures1793600000000,
  Outbox1793700000000,
];

/** The lock of a migration. Nothing else in a database uses this text. */
const MIGRATING = `hashtextextended('shoeprint migrate seal', 0)`;

const READS = [
  `grant usage on schema ${SEAL_SCHEMA} to`,
  `grant select on all tables in schema ${SEAL_SCHEMA} to`,
];

/** What was sealed is only added to, so the sealer may not change or delete it. */
const SEALER_MAY = [
  'grant insert, update on seal.site, seal.position, seal.tree, seal.reading to',
  'grant insert on seal.tile, seal.entry, seal.checkpoint, seal.grown, seal.mismatch, seal.cosignature to',
  'grant insert, delete on seal.tail, seal.outbox to',
  'grant update (held_until) on seal.outbox to',
];

/**
 * Creates the schema `seal`, or migrates it to the latest version, and makes its grants. Processes
 * may call it at once: one migrates, and the others wait. Throws `MigrationNeeded` if the user may
 * not and it is not done.
 */
export async function migrateSeal(url: string): Promise<void> {
  await migrateSchema(url, {
    schema: SEAL_SCHEMA,
    options: {
      type: 'postgres',
      url,
      schema: SEAL_SCHEMA,
      migrations: MIGRATIONS,
      migrationsTableName: 'migration',
      installExtensions: false,
      poolSize: 1,
      extra: connectionOptions({ applicationName: 'shoeprint migrate' }),
    },
    migrations: MIGRATIONS,
    lock: MIGRATING,
    grants: {
      [API_ROLE]: READS.map((may) => `${may} ${API_ROLE}`),
      [SEALER_ROLE]: [...READS, ...SEALER_MAY].map((may) => `${may} ${SEALER_ROLE}`),
    },
  });
}
