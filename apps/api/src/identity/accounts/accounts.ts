import { Logger } from '@nestjs/common';
import {
  CommandHandler,
  Command,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import type { Role } from '../permissions.js';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { Account, PasswordReset, Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { actorOf, asker, covers, type Identity } from '../identity.js';
import { hashPassword } from '../credentials/passwords.js';
import { NAME } from '../scope-fields.js';
import { requirePassword } from '../credentials/password-rule.js';
import {
  adminOf,
  type Admin,
  isSecondAdmin,
  CONFIRMED_ROLES,
  needsConfirmation,
  requireCovered,
  requireManaged,
  type Rights,
} from './grant-rules.js';
import { askGrant, type GrantShown, withdrawGrant } from './pending-grants.js';

/** An account as answers show it, without its password. */
export interface AccountShown {
  readonly name: string;
  readonly person: string;
  readonly roles: readonly Role[];
  readonly tables: readonly string[];
  readonly disabled: boolean;
  readonly wallDisplay: boolean;
  readonly secondFactor: boolean;
  readonly mustChangePassword: boolean;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** An account after a change, and the part of the change that another admin has to confirm. */
export interface AccountChanged {
  readonly account: AccountShown;
  readonly grant?: GrantShown;
}

/** A new account. `person` is its name if absent. */
export interface NewAccount extends Rights {
  readonly name: string;
  readonly password: string;
  readonly person?: string;
  readonly wallDisplay?: boolean;
}

/**
 * Creates an account whose password its owner must change. Throws `conflict` if the name is taken,
 * `not-permitted` beyond the sender's tables or for the sender's own person, and `invalid-request`
 * for a weak password.
 */
export class CreateAccount extends Command<AccountChanged> {
  constructor(
    readonly by: Identity,
    readonly account: NewAccount,
  ) {
    super();
  }
}

/** The fields of an account to change. Absent fields stay as they are. */
export interface AccountChanges extends Partial<Rights> {
  readonly person?: string;
  readonly wallDisplay?: boolean;
  readonly disabled?: boolean;
}

/**
 * Changes an account. Throws `not-found` beyond the sender's tables, `not-permitted` for the
 * sender's own account, and `conflict` if no admin would be left or its person is set already.
 * Disabling it ends its sessions.
 */
export class ChangeAccount extends Command<AccountChanged> {
  constructor(
    readonly by: Identity,
    readonly name: string,
    readonly changes: AccountChanges,
  ) {
    super();
  }
}

/** Asks for the accounts whose tables the sender may all see, in order of name. */
export class ListAccounts extends Query<readonly AccountShown[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

/** Stores an account with the hash of its password, and logs who created it. */
@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  private readonly logger = new Logger('accounts');

  constructor(private readonly record: HouseRecord) {}

  async execute({ by, account }: CreateAccount): Promise<AccountChanged> {
    const { name, password } = account;
    requireCovered(adminOf(by), account.tables);
    requirePassword('/password', password, name);
    const passwordHash = await hashPassword(password);
    const made = await this.record.transaction(async (manager, note) => {
      const { account: shown, grant } = await create(manager, adminOf(by), account, passwordHash);
      const values = { ...valuesOf(shown), ...asked(grant) };
      await note({ type: 'account-created', by: actorOf(by), data: { account: name, values } });
      return { account: shown, ...(grant && { grant }) };
    });
    const { roles, person } = made.account;
    this.logger.log({ message: 'account created', name, person, roles, ...asker(by) });
    return made;
  }
}

/**
 * Changes an account in one transaction, logs who changed it, and applies it to open sessions at
 * once.
 */
@CommandHandler(ChangeAccount)
export class ChangeAccountHandler implements ICommandHandler<ChangeAccount> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly record: HouseRecord,
    private readonly identities: Identities,
  ) {}

  async execute({ by, name, changes }: ChangeAccount): Promise<AccountChanged> {
    const changed = await this.record.transaction(async (manager, note) => {
      const { before, after } = await change(manager, adminOf(by), name, changes);
      const differing = { ...differences(before, after.account), ...asked(after.grant) };
      await note({
        type: 'account-changed',
        by: actorOf(by),
        data: { account: name, changes: differing },
      });
      return after;
    });
    this.identities.forget({ account: name });
    this.logger.log({
      message: 'account changed',
      name,
      changed: Object.keys(changes),
      ...asker(by),
    });
    return changed;
  }
}

/** Reads the accounts that the sender manages, in order of name. */
@QueryHandler(ListAccounts)
export class ListAccountsHandler implements IQueryHandler<ListAccounts> {
  constructor(private readonly source: DataSource) {}

  async execute({ by }: ListAccounts): Promise<readonly AccountShown[]> {
    const accounts = await this.source.getRepository(Account).find({ order: { name: 'asc' } });
    return accounts.filter(({ tables }) => covers(by, tables)).map(shownAccount);
  }
}

/**
 * Returns the enabled admins and locks them in one order, so that two of them cannot remove each
 * other, or confirm for each other, at the same time.
 */
export const lockAdmins = (manager: EntityManager): Promise<Account[]> =>
  manager
    .createQueryBuilder(Account, 'account')
    .setLock('pessimistic_write')
    .where(`'admin' = any(account.roles) and not account.disabled`)
    .orderBy('account.name')
    .getMany();

/**
 * Returns and locks an account that this admin manages. Throws `not-found` or `not-permitted`
 * otherwise.
 */
export async function managedAccount(
  manager: EntityManager,
  by: Admin,
  name: string,
): Promise<Account> {
  const account = NAME.test(name)
    ? await manager.findOne(Account, { where: { name }, lock: { mode: 'pessimistic_write' } })
    : null;
  requireManaged(by, account);
  return account;
}

async function create(
  manager: EntityManager,
  by: Admin,
  { name, person = name, roles, tables, wallDisplay = false }: NewAccount,
  passwordHash: string,
): Promise<AccountChanged> {
  const admins = await lockAdmins(manager);
  const after = { roles, tables };
  const grantee = { name, person, tables: [...tables] };
  requireManaged(by, grantee);
  const isPending =
    needsConfirmation({ roles: [], tables: [] }, after) &&
    admins.some((admin) => isSecondAdmin(admin, by.person.id, grantee, after));
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(Account)
    .values({
      ...{ name, person, passwordHash, wallDisplay, mustChangePassword: true },
      roles: roles.filter((role) => !isPending || !CONFIRMED_ROLES.includes(role)),
      tables: [...tables],
      createdBy: by.id,
    })
    .orIgnore()
    .returning('name')
    .execute();
  if ((inserted.raw as readonly unknown[]).length === 0)
    throw new Problem('conflict', `an account named ${name} already exists`);
  const account = shownAccount(await manager.findOneByOrFail(Account, { name }));
  return isPending ? { account, grant: await askGrant(manager, by, name, after) } : { account };
}

async function change(
  manager: EntityManager,
  by: Admin,
  name: string,
  changes: AccountChanges,
): Promise<{ readonly before: AccountShown; readonly after: AccountChanged }> {
  const admins = await lockAdmins(manager);
  const account = await managedAccount(manager, by, name);
  const before = shownAccount(account);
  const { roles = account.roles, tables = account.tables } = changes;
  requireCovered(by, tables);
  const after = { roles, tables };
  const isPending =
    needsConfirmation(account, after) &&
    admins.some((admin) => isSecondAdmin(admin, by.person.id, account, after));
  if (changes.roles ?? changes.tables) await withdrawGrant(manager, name);
  if (!isPending) Object.assign(account, { roles: [...roles], tables: [...tables] });
  setPerson(account, changes.person);
  account.wallDisplay = changes.wallDisplay ?? account.wallDisplay;
  account.disabled = changes.disabled ?? account.disabled;
  requireAnAdmin(admins, account);
  if (account.disabled) {
    await manager.delete(Session, { accountName: name });
    await manager.delete(PasswordReset, { accountName: name });
  }
  const shown = shownAccount(await manager.save(account));
  const grant = isPending ? await askGrant(manager, by, name, after) : undefined;
  return { before, after: { account: shown, ...(grant && { grant }) } };
}

/** Returns what the record of the house keeps of an account. */
const valuesOf = ({ person, roles, tables, disabled, wallDisplay }: AccountShown): object => ({
  ...{ person, roles, tables, disabled, wallDisplay },
});

/** Returns what differs between two states of an account: for each field what it was and is. */
export function differences(
  before: AccountShown,
  after: AccountShown,
): Readonly<Record<string, unknown>> {
  const was = new Map(Object.entries(valuesOf(before)));
  return Object.fromEntries(
    Object.entries(valuesOf(after))
      .filter(([field, is]) => JSON.stringify(is) !== JSON.stringify(was.get(field)))
      .map(([field, is]) => [field, { from: was.get(field) as unknown, to: is as unknown }]),
  );
}

/** Returns what waits for another admin, as the record of the house keeps it. */
const asked = (grant: GrantShown | undefined): object =>
  grant ? { asked: { roles: grant.roles, tables: grant.tables } } : {};

/** Sets the person while it is the default. Throws `conflict` once it is not. */
function setPerson(account: Account, person = account.person): void {
  if (person !== account.person && account.person !== account.name)
    throw new Problem('conflict', `the person of ${account.name} is set, and never changes`);
  account.person = person;
}

function requireAnAdmin(admins: readonly Account[], { name, roles, disabled }: Account): void {
  const managesNoMore = disabled || !roles.includes('admin');
  if (managesNoMore && admins.length === 1 && admins[0]?.name === name)
    throw new Problem(
      'conflict',
      `${name} is the last admin, and somebody must be able to manage accounts`,
    );
}

/** Returns an account as answers show it. */
export const shownAccount = ({
  name,
  person,
  roles,
  tables,
  disabled,
  wallDisplay,
  secondFactor,
  mustChangePassword,
  createdAt,
  createdBy,
}: Account): AccountShown => ({
  ...{ name, person, roles, tables, disabled, wallDisplay, secondFactor, mustChangePassword },
  createdAt: createdAt.toISOString(),
  createdBy,
});
