import { randomBytes } from 'node:crypto';
import { LOG_ROLE } from '#event-log';
import { newClient } from '#postgres';
import { API_ROLE, AUDITOR_ROLE } from '#read-model';
import { SEALER_ROLE } from '#seal-store';

/** Addresses of one database, each for a user with the rights of one part of the server. */
export interface DatabaseAddresses {
  /** Owns the schemas. It migrates them and rebuilds rows. */
  readonly owner: string;
  readonly api: string;
  readonly auditor: string;
  /** Writes what was sealed, reads the log, and appends to the record of the house. */
  readonly sealer: string;
  /** Appends to the log and reads it. */
  readonly log: string;
}

const RIGHTS = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/**
 * Makes the database users of the server's parts, each with a new password, which only this process
 * knows. The schemas grant their rights when they are migrated. The caller must be the only server
 * on the database: another one would lose its passwords.
 */
export async function databaseRoles(owner: string): Promise<DatabaseAddresses> {
  const client = newClient(owner, { applicationName: 'shoeprint-standalone' });
  await client.connect();
  try {
    const addressOf = async (role: string): Promise<string> => {
      const password = randomBytes(24).toString('base64url');
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
      await client.query(
        `${rowCount === 0 ? 'create' : 'alter'} role ${role} ${RIGHTS} password '${password}'`,
      );
      const url = new URL(owner);
      url.username = role;
      url.password = password;
      return url.href;
    };
    const addresses = {
      owner,
      api: await addressOf(API_ROLE),
      auditor: await addressOf(AUDITOR_ROLE),
      sealer: await addressOf(SEALER_ROLE),
      log: await addressOf(LOG_ROLE),
    };
    // The sealer's log signs in as the sealer, so that its limit holds.
    await client.query(`grant ${LOG_ROLE} to ${SEALER_ROLE}`);
    return addresses;
  } finally {
    await client.end();
  }
}
