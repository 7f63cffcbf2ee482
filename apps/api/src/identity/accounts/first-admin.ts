import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Role } from '../permissions.js';
import { Account } from '../database/access.entities.js';
import { accessOptions } from '../database/access-database.js';
import { hashPassword } from '../credentials/passwords.js';

const FIRST_ADMIN = 'admin';

/** The first account, when it was made just now. */
export interface FirstAdmin {
  readonly name: string;
  readonly password: string;
}

/**
 * Makes the account `admin` where there is no account at all, with the password given or a random one, which is told this once.
 * Undefined where there is an account. Safe when several processes do it at once: one of them makes it. `roles` are
 * `admin` alone unless said otherwise: on one machine for one person it is all of them.
 */
export async function ensureFirstAdmin(
  databaseUrl: string,
  {
    password = randomBytes(15).toString('base64url'),
    roles = ['admin'],
  }: { readonly password?: string; readonly roles?: readonly Role[] } = {},
): Promise<FirstAdmin | undefined> {
  const source = await new DataSource(accessOptions(databaseUrl, () => undefined)).initialize();
  try {
    if ((await source.getRepository(Account).count()) > 0) return undefined;
    const account = {
      name: FIRST_ADMIN,
      passwordHash: await hashPassword(password),
      roles: [...roles],
      tables: ['*'],
      createdBy: 'system/first-start',
    };
    const inserted = await source
      .createQueryBuilder()
      .insert()
      .into(Account)
      .values(account)
      .orIgnore()
      .returning('name')
      .execute();
    return (inserted.raw as readonly unknown[]).length === 0
      ? undefined
      : { name: FIRST_ADMIN, password };
  } finally {
    await source.destroy();
  }
}
