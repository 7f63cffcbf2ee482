import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Role } from '../permissions.js';
import { Account } from '../database/access.entities.js';
import { accessOptions } from '../database/access-database.js';
import { hashPassword } from '../credentials/passwords.js';

const FIRST_ADMIN = 'admin';

/** The first account, if this call created it. */
export interface FirstAdmin {
  readonly name: string;
  readonly password: string;
}

/**
 * Creates the account `admin` if no account exists. Its password is the one passed, or a random one
 * that is returned only here. Returns undefined if an account exists. Several processes may call it
 * at once: one of them creates the account. By default it has the role `admin` only. On one machine
 * for one person it has all roles.
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
