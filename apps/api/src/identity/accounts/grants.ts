import { Logger } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { Account, PendingGrant } from '../database/access.entities.js';
import { notExpired } from '../database/not-expired.js';
import { Identities } from '../identities.js';
import { actorOf, asker, covers, type Identity, seenBy } from '../identity.js';
import {
  type AccountShown,
  lockAdmins,
  managedAccount,
  differences,
  shownAccount,
} from './accounts.js';
import { type Admin, adminOf, isSecondAdmin, requireCovered } from './grant-rules.js';
import { type GrantShown, openGrants, shownGrant } from './pending-grants.js';

/** Asks for the pending grants within the sender's tables, oldest first. */
export class ListGrants extends Query<readonly GrantShown[]> {
  constructor(readonly by: Identity) {
    super();
  }
}

/**
 * Gives an account what another admin asked for. Throws `not-found` if nothing within the sender's
 * tables has the id, `not-permitted` for the one who asked and for the account itself, and
 * `conflict` if the one who asked may no longer ask for it.
 */
export class ConfirmGrant extends Command<AccountShown> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

/** Drops a pending grant. The one who asked may do it too. Throws as `ConfirmGrant` does. */
export class RefuseGrant extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly id: string,
  ) {
    super();
  }
}

/** Reads the pending grants that the sender may see. */
@QueryHandler(ListGrants)
export class ListGrantsHandler implements IQueryHandler<ListGrants> {
  constructor(private readonly source: DataSource) {}

  async execute({ by }: ListGrants): Promise<readonly GrantShown[]> {
    const grants = await openGrants(this.source.manager);
    return grants.filter((grant) => mayKnow(by, grant)).map(shownGrant);
  }
}

/** Applies a grant in one transaction, logs who confirmed it, and applies it to sessions at once. */
@CommandHandler(ConfirmGrant)
export class ConfirmGrantHandler implements ICommandHandler<ConfirmGrant> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly record: HouseRecord,
    private readonly identities: Identities,
  ) {}

  async execute({ by, id }: ConfirmGrant): Promise<AccountShown> {
    const { account, grant } = await this.record.transaction(async (manager, note) => {
      const confirmed = await confirm(manager, adminOf(by), id);
      const { before, account: after, grant: given } = confirmed;
      const changes = { ...differences(before, after), confirmed: { askedBy: given.askedBy } };
      await note({
        type: 'account-changed',
        by: actorOf(by),
        data: { account: after.name, changes },
      });
      return confirmed;
    });
    this.identities.forget({ account: account.name });
    const { askedBy, roles } = grant;
    const name = account.name;
    this.logger.log({ message: 'grant confirmed', name, roles, askedBy, ...asker(by) });
    return account;
  }
}

/** Deletes a grant and logs who refused it. */
@CommandHandler(RefuseGrant)
export class RefuseGrantHandler implements ICommandHandler<RefuseGrant> {
  private readonly logger = new Logger('accounts');

  constructor(private readonly record: HouseRecord) {}

  async execute({ by, id }: RefuseGrant): Promise<void> {
    const { accountName, askedBy } = await this.record.transaction(async (manager, note) => {
      await lockAdmins(manager);
      const grant = await lockedGrant(manager, by, id);
      if (grant.askedBy !== by.person?.account)
        await managedAccount(manager, adminOf(by), grant.accountName);
      await manager.delete(PendingGrant, { id });
      const { roles, tables } = grant;
      await note({
        type: 'account-changed',
        by: actorOf(by),
        data: {
          account: grant.accountName,
          changes: { refused: { roles, tables, askedBy: grant.askedBy } },
        },
      });
      return grant;
    });
    this.logger.log({ message: 'grant refused', name: accountName, askedBy, ...asker(by) });
  }
}

const mayKnow = (by: Identity, { account, tables }: PendingGrant): boolean =>
  covers(by, [...account.tables, ...tables]);

async function lockedGrant(
  manager: EntityManager,
  by: Identity,
  id: string,
): Promise<PendingGrant> {
  const grant = /^[0-9a-f]{16}$/.test(id)
    ? await manager.findOne(PendingGrant, {
        where: { id, expiresAt: notExpired() },
        relations: { account: true },
        lock: { mode: 'pessimistic_write', tables: ['pending_grant'] },
      })
    : null;
  if (!grant || !mayKnow(by, grant)) throw new Problem('not-found', 'no pending grant has this id');
  return grant;
}

async function confirm(
  manager: EntityManager,
  by: Admin,
  id: string,
): Promise<{
  readonly before: AccountShown;
  readonly account: AccountShown;
  readonly grant: PendingGrant;
}> {
  const admins = await lockAdmins(manager);
  const grant = await lockedGrant(manager, by, id);
  const account = await managedAccount(manager, by, grant.accountName);
  const asker = admins.find(({ name }) => name === grant.askedBy);
  if (asker?.person === by.person.id || grant.askedBy === by.person.account)
    throw new Problem('not-permitted', 'another admin must confirm what you asked for');
  const me = admins.find(({ name }) => name === by.person.account);
  if (!me || !asker || !mayStillAsk(asker, account, grant))
    throw new Problem('conflict', `${grant.askedBy} may no longer ask for this`);
  requireCovered(by, grant.tables);
  if (!isSecondAdmin(me, asker.person, account, grant))
    throw new Problem('not-permitted', 'your account may not confirm this');
  const before = shownAccount(account);
  Object.assign(account, { roles: grant.roles, tables: grant.tables });
  const shown = shownAccount(await manager.save(account));
  await manager.delete(PendingGrant, { id });
  return { before, account: shown, grant };
}

/** Returns whether the asker still covers the account and what was asked for it. */
const mayStillAsk = (asker: Account, account: Account, { tables }: PendingGrant): boolean =>
  covers({ tables: seenBy(asker.tables) }, [...account.tables, ...tables]);
