import { randomBytes } from 'node:crypto';
import { DataSource, type EntityManager, In, IsNull } from 'typeorm';
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

/** A person to make an account for, who sees all tables. */
export interface NewPerson {
  readonly name: string;
  /** The id in the record. Default: the name. */
  readonly person?: string;
  readonly roles: readonly Role[];
}

/** How the first account is made. */
export interface FirstAdminOptions {
  /** By default a random one. */
  readonly password?: string;
  /** By default `admin` only. On one machine for one person it has all roles. */
  readonly roles?: readonly Role[];
  /** Whether the first sign-in leads only to changing the password. Default: true. */
  readonly mustChangePassword?: boolean;
  /** Further people, each with a random password that need not be changed. */
  readonly people?: readonly NewPerson[];
}

/** The first accounts, with the passwords that only this returns. */
export interface FirstAccounts extends FirstAdmin {
  readonly people: readonly FirstAdmin[];
}

const randomPassword = (): string => randomBytes(15).toString('base64url');

/**
 * Creates the account `admin`, and those of `people`, if no account exists. Random passwords are
 * returned only here. Returns undefined if an account exists. Several processes may call it at
 * once: one of them creates the accounts.
 */
export async function ensureFirstAdmin(
  databaseUrl: string,
  {
    password = randomPassword(),
    roles = ['admin'],
    mustChangePassword = true,
    people = [],
  }: FirstAdminOptions = {},
): Promise<FirstAccounts | undefined> {
  return withAccounts(databaseUrl, async (source) => {
    if ((await source.getRepository(Account).count()) > 0) return undefined;
    const made = [
      { name: FIRST_ADMIN, roles, password, mustChangePassword },
      ...people.map((each) => ({
        ...each,
        password: randomPassword(),
        mustChangePassword: false,
      })),
    ];
    const accounts = await Promise.all(made.map(newAccount));
    const isMade = await source.transaction((manager) => created(manager, accounts));
    if (!isMade) return undefined;
    const [first, ...rest] = made.map((each) => ({ name: each.name, password: each.password }));
    return { ...(first as FirstAdmin), people: rest };
  });
}

type NewAccount = Awaited<ReturnType<typeof newAccount>>;

/** Creates accounts and notes it, unless the first one exists. Returns whether it did. */
async function created(manager: EntityManager, accounts: readonly NewAccount[]): Promise<boolean> {
  const [admin, ...others] = accounts as [NewAccount, ...NewAccount[]];
  const insert = (values: readonly NewAccount[]) =>
    manager
      .createQueryBuilder()
      .insert()
      .into(Account)
      .values([...values])
      .orIgnore();
  const inserted = await insert([admin]).returning('name').execute();
  if ((inserted.raw as readonly unknown[]).length === 0) return false;
  if (others.length > 0) await insert(others).execute();
  for (const { name, person, roles, tables, createdBy } of accounts)
    await insertAct(manager, {
      type: 'account-created',
      by: createdBy,
      data: { account: name, values: { person, roles, tables } },
    });
  return true;
}

const newAccount = async ({
  name,
  person = name,
  password,
  mustChangePassword,
  roles,
}: NewPerson & FirstAdmin & { readonly mustChangePassword: boolean }) => ({
  name,
  person,
  passwordHash: await hashPassword(password),
  mustChangePassword,
  roles: [...roles],
  tables: ['*'],
  createdBy: 'system/first-start',
});

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

/**
 * Returns those of these accounts whose passwords nobody has used or changed. All were made at
 * once, so one password that fits shows that they are this database's: each hash costs a quarter of
 * a second of the processor.
 */
export const unusedPasswords = (
  databaseUrl: string,
  accounts: readonly FirstAdmin[],
): Promise<readonly FirstAdmin[]> =>
  withAccounts(databaseUrl, async (source) => {
    const names = accounts.map(({ name }) => name);
    const unused = await source
      .getRepository(Account)
      .findBy({ name: In(names), passwordUsedAt: IsNull() });
    const hashes = new Map(unused.map(({ name, passwordHash }) => [name, passwordHash]));
    const made = accounts.filter(({ name }) => hashes.has(name));
    const [first] = made;
    if (!first) return [];
    return (await passwordFits(first.password, hashes.get(first.name) as string)) ? made : [];
  });

async function withAccounts<Result>(
  databaseUrl: string,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const source = await new DataSource(accessOptions(databaseUrl, () => undefined)).initialize();
  return work(source).finally(() => source.destroy());
}
