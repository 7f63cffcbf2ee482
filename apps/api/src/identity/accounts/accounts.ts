import {
  CommandHandler,
  Command,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Role } from '../permissions.js';
import { Problem } from '../../problems/problems.js';
import { Account, Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { hashPassword } from '../credentials/passwords.js';
import { NAME } from '../scope-fields.js';

/** An account as answers show it, without its password. */
export interface AccountShown {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly tables: readonly string[];
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly createdBy: string;
}

/** Creates an account. Throws `conflict` if the name is taken. */
export class CreateAccount extends Command<AccountShown> {
  constructor(
    readonly by: string,
    readonly account: {
      readonly name: string;
      readonly password: string;
      readonly roles: readonly Role[];
      readonly tables: readonly string[];
    },
  ) {
    super();
  }
}

/** The fields of an account to change. Absent fields stay as they are. */
export interface AccountChanges {
  readonly password?: string;
  readonly roles?: readonly Role[];
  readonly tables?: readonly string[];
  readonly disabled?: boolean;
}

/**
 * Changes an account. Throws `not-found`, or `conflict` if no admin would be left. A new password
 * ends its sessions, and so does disabling it.
 */
export class ChangeAccount extends Command<AccountShown> {
  constructor(
    readonly by: string,
    readonly name: string,
    readonly changes: AccountChanges,
  ) {
    super();
  }
}

/** Asks for all accounts, in order of name. */
export class ListAccounts extends Query<readonly AccountShown[]> {}

/** Stores an account with the hash of its password, and logs who created it. */
@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  private readonly logger = new Logger('accounts');

  constructor(private readonly source: DataSource) {}

  async execute({
    by,
    account: { name, password, roles, tables },
  }: CreateAccount): Promise<AccountShown> {
    const passwordHash = await hashPassword(password);
    const inserted = await this.source
      .createQueryBuilder()
      .insert()
      .into(Account)
      .values({ name, passwordHash, roles: [...roles], tables: [...tables], createdBy: by })
      .orIgnore()
      .returning('name')
      .execute();
    if ((inserted.raw as readonly unknown[]).length === 0)
      throw new Problem('conflict', `an account named ${name} already exists`);
    this.logger.log({ message: 'account created', name, roles, by });
    return shown(await this.source.getRepository(Account).findOneByOrFail({ name }));
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
    private readonly source: DataSource,
    private readonly identities: Identities,
  ) {}

  async execute({ by, name, changes }: ChangeAccount): Promise<AccountShown> {
    const { password, ...others } = changes;
    const passwordHash = password === undefined ? undefined : await hashPassword(password);
    const account = await this.source.transaction((manager) =>
      change(manager, name, { ...others, passwordHash }),
    );
    this.identities.forget();
    this.logger.log({ message: 'account changed', name, changed: Object.keys(changes), by });
    return shown(account);
  }
}

/** Reads all accounts, in order of name. */
@QueryHandler(ListAccounts)
export class ListAccountsHandler implements IQueryHandler<ListAccounts> {
  constructor(private readonly source: DataSource) {}

  async execute(): Promise<readonly AccountShown[]> {
    return (await this.source.getRepository(Account).find({ order: { name: 'asc' } })).map(shown);
  }
}

async function change(
  manager: EntityManager,
  name: string,
  {
    passwordHash,
    roles,
    tables,
    disabled,
  }: Omit<AccountChanges, 'password'> & { readonly passwordHash: string | undefined },
): Promise<Account> {
  const accounts = manager.getRepository(Account);
  // Locks all admins in one order, so that two of them cannot remove each other at the same time.
  const admins = await accounts
    .createQueryBuilder('account')
    .setLock('pessimistic_write')
    .where(`'admin' = any(account.roles) and not account.disabled`)
    .orderBy('account.name')
    .getMany();
  const account = NAME.test(name) ? await accounts.findOneBy({ name }) : null;
  if (!account) throw new Problem('not-found', 'no account has this name');
  if (passwordHash !== undefined) account.passwordHash = passwordHash;
  if (roles) account.roles = [...roles];
  if (tables) account.tables = [...tables];
  if (disabled !== undefined) account.disabled = disabled;
  const managesNoMore = account.disabled || !account.roles.includes('admin');
  if (managesNoMore && admins.length === 1 && admins[0]?.name === name)
    throw new Problem(
      'conflict',
      `${name} is the last admin, and somebody must be able to manage accounts`,
    );
  if (passwordHash !== undefined || account.disabled)
    await manager.getRepository(Session).delete({ accountName: name });
  return accounts.save(account);
}

const shown = ({ name, roles, tables, disabled, createdAt, createdBy }: Account): AccountShown => ({
  name,
  roles,
  tables,
  disabled,
  createdAt: createdAt.toISOString(),
  createdBy,
});
