import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { FIRST_ADMIN, type Role } from '../permissions.js';
import { Account } from '../database/access.entities.js';
import { insertAct } from '../../house/house-outbox.js';
import { accessOptions } from '../database/access-database.js';
import { hashPassword, passwordFits } from '../credentials/passwords.js';

/** The name and password of the first account. */
export interface FirstAdmin {
  readonly name: string;
  readonly password: string;
}

/** How the first account is made. */
export interface FirstAdminOptions {
  /** By default a random one. */
  readonly password?: string;
  /** By default `admin` only. On one machine for one person it has all roles. */
  readonly roles?: readonly Role[];
  /** Whether the first sign-in leads only to changing the password. Default: true. */
  readonly mustChangePassword?: boolean;
}

/**
 * Creates the account `admin` if no account exists. A random password is returned only here.
 * Returns undefined if an account exists. Several processes may call it at once: one of them
 * creates the account.
 */
export async function ensureFirstAdmin(
  databaseUrl: string,
  {
    password = randomBytes(15).toString('base64url'),
    roles = ['admin'],
    mustChangePassword = true,
  }: FirstAdminOptions = {},
): Promise<FirstAdmin | undefined> {
  return withAccounts(databaseUrl, async (source) => {
    if ((await source.getRepository(Account).count()) > 0) return undefined;
    const account = {
      name: FIRST_ADMIN,
      person: FIRST_ADMIN,
      passwordHash: await hashPassword(password),
      mustChangePassword,
      roles: [...roles],
      tables: ['*'],
      createdBy: 'system/first-start',
    };
    const isMade = await source.transaction(async (manager) => {
      const inserted = await manager
        .createQueryBuilder()
        .insert()
        .into(Account)
        .values(account)
        .orIgnore()
        .returning('name')
        .execute();
      if ((inserted.raw as readonly unknown[]).length === 0) return false;
      const { name, createdBy, person, tables } = account;
      await insertAct(manager, {
        type: 'account-created',
        by: createdBy,
        data: { account: name, values: { person, roles: account.roles, tables } },
      });
      return true;
    });
    return isMade ? { name: FIRST_ADMIN, password } : undefined;
  });
}

/**
 * Returns whether the account still has this password: `unused` until somebody first signs in with
 * it, `changed` if it has another or does not exist.
 */
export const passwordState = (
  databaseUrl: string,
  { name, password }: FirstAdmin,
): Promise<'unused' | 'used' | 'changed'> =>
  withAccounts(databaseUrl, async (source) => {
    const account = await source.getRepository(Account).findOneBy({ name });
    if (!account || !(await passwordFits(password, account.passwordHash))) return 'changed';
    return account.passwordUsedAt ? 'used' : 'unused';
  });

async function withAccounts<Result>(
  databaseUrl: string,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const source = await new DataSource(accessOptions(databaseUrl, () => undefined)).initialize();
  return work(source).finally(() => source.destroy());
}
