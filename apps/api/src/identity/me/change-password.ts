import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager, Not } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { lockedAccount } from '../accounts/locked-account.js';
import { requirePassword } from '../credentials/password-rule.js';
import { hashPassword } from '../credentials/passwords.js';
import { type Account, Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import type { Person } from '../identity.js';
import { Attempts } from '../sessions/attempts.js';
import { accountWith, limited } from '../sessions/sign-in.js';

/** The old and the new password of a person. */
export interface PasswordChange {
  readonly password: string;
  readonly newPassword: string;
}

/**
 * Changes a person's own password and ends their other sessions. Throws `wrong-password` for a
 * wrong old one, `invalid-request` for a weak new one, and `too-many-attempts` as sign-in does.
 */
export class ChangePassword extends Command<void> {
  constructor(
    readonly by: Person,
    readonly change: PasswordChange,
    readonly address: string,
  ) {
    super();
  }
}

/** Checks the old password, stores the hash of the new one, and logs whose it is. */
@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
    private readonly attempts: Attempts,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, change, address }: ChangePassword): Promise<void> {
    const { account: name, session } = by;
    const { password, newPassword } = change;
    requirePassword('/newPassword', newPassword, name);
    if (newPassword === password)
      throw new Problem('invalid-request', undefined, {
        errors: [{ pointer: '/newPassword', reason: 'must not be the old password' }],
      });
    const { passwordHash } = await limited(this.attempts, { name, address }, () =>
      accountWith(this.source, { name, password }),
    );
    const newHash = await hashPassword(newPassword);
    await this.record.transaction(async (manager, note) => {
      const account = await lockedAccount(manager, name);
      if (account?.passwordHash !== passwordHash) throw new Problem('wrong-password');
      await storePassword(manager, account, newHash);
      await manager.delete(Session, { accountName: name, id: Not(session) });
      await note({
        type: 'account-changed',
        by: `person/${by.id}`,
        data: { account: name, changes: { password: 'changed' } },
      });
    });
    this.identities.forget({ account: name });
    this.logger.log({ message: 'password changed', name, instance: by.instance });
  }
}

/** Stores the hash of a password that the owner of a locked account chose. */
export async function storePassword(
  manager: EntityManager,
  account: Account,
  passwordHash: string,
): Promise<void> {
  Object.assign(account, { passwordHash, mustChangePassword: false, passwordUsedAt: new Date() });
  await manager.save(account);
}
