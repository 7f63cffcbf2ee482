import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { codeHash, newCode } from '../credentials/one-time-code.js';
import { requirePassword } from '../credentials/password-rule.js';
import { hashPassword } from '../credentials/passwords.js';
import { PasswordReset, Session } from '../database/access.entities.js';
import { notExpired } from '../database/not-expired.js';
import { Identities } from '../identities.js';
import { actorOf, asker, type Identity } from '../identity.js';
import { storePassword } from '../me/change-password.js';
import { Attempts } from '../sessions/attempts.js';
import { removeFactor } from '../sessions/second-factor.js';
import { limited } from '../sessions/sign-in.js';
import { managedAccount } from './accounts.js';
import { adminOf } from './grant-rules.js';
import { lockedAccount } from './locked-account.js';

const RESET_MS_MAX = 24 * 3_600_000;

/** A one-time code with which a person sets a new password. It is shown only here. */
export interface ResetIssued {
  readonly code: string;
  readonly expiresAt: string;
}

/**
 * Issues a one-time code for an account, valid for 24 hours and in place of an earlier one. The
 * account keeps its password until the code is used. Throws as `ChangeAccount` does.
 */
export class IssueReset extends Command<ResetIssued> {
  constructor(
    readonly by: Identity,
    readonly name: string,
    readonly removesSecondFactor: boolean,
  ) {
    super();
  }
}

/** A person's one-time code and new password. */
export interface ResetUse {
  readonly name: string;
  readonly code: string;
  readonly newPassword: string;
}

/**
 * Sets a new password with a one-time code, and ends all sessions of the account. Throws
 * `wrong-code` for a wrong name and a wrong code alike, `invalid-request` for a weak password, and
 * `too-many-attempts` as sign-in does.
 */
export class UseReset extends Command<void> {
  constructor(
    readonly use: ResetUse,
    readonly address: string,
    /** The id of the request, for the log. */
    readonly instance: string,
  ) {
    super();
  }
}

/** Stores the hash of a new code, and logs who issued it for whom. */
@CommandHandler(IssueReset)
export class IssueResetHandler implements ICommandHandler<IssueReset> {
  private readonly logger = new Logger('accounts');

  constructor(private readonly record: HouseRecord) {}

  async execute({ by, name, removesSecondFactor }: IssueReset): Promise<ResetIssued> {
    const { text, hash } = newCode();
    const expiresAt = new Date(Date.now() + RESET_MS_MAX);
    await this.record.transaction(async (manager, note) => {
      await managedAccount(manager, adminOf(by), name);
      await manager.save(PasswordReset, {
        ...{ accountName: name, codeHash: hash, removesSecondFactor, expiresAt },
      });
      await note({
        type: 'account-changed',
        by: actorOf(by),
        data: { account: name, changes: { password: 'reset issued', removesSecondFactor } },
      });
    });
    this.logger.log({ message: 'password reset issued', name, removesSecondFactor, ...asker(by) });
    return { code: text, expiresAt: expiresAt.toISOString() };
  }
}

/** Uses up a code, stores the hash of the new password, and logs whose it is. */
@CommandHandler(UseReset)
export class UseResetHandler implements ICommandHandler<UseReset> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
    private readonly attempts: Attempts,
    private readonly record: HouseRecord,
  ) {}

  async execute({ use: { name, code, newPassword }, address, instance }: UseReset): Promise<void> {
    requirePassword('/newPassword', newPassword, name);
    await limited(this.attempts, { name, address }, () => resetOf(this.source.manager, name, code));
    const passwordHash = await hashPassword(newPassword);
    await this.record.transaction(async (manager, note) => {
      const account = await lockedAccount(manager, name);
      const { removesSecondFactor } = await resetOf(manager, name, code);
      if (!account || account.disabled) throw new Problem('wrong-code');
      await storePassword(manager, account, passwordHash);
      await manager.delete(PasswordReset, { accountName: name });
      await manager.delete(Session, { accountName: name });
      if (removesSecondFactor) await removeFactor(manager, name);
      await note({
        type: 'account-changed',
        by: `person/${account.person}`,
        data: { account: name, changes: { password: 'reset used', removesSecondFactor } },
      });
    });
    this.identities.forget({ account: name });
    this.logger.log({ message: 'password reset used', name, instance });
  }
}

/** Returns the reset of an account that has this code. Throws `wrong-code` if there is none. */
async function resetOf(
  manager: EntityManager,
  accountName: string,
  code: string,
): Promise<PasswordReset> {
  const reset = await manager.findOneBy(PasswordReset, {
    accountName: accountName.replaceAll('\u0000', ''),
    codeHash: codeHash(code),
    expiresAt: notExpired(),
  });
  if (!reset) throw new Problem('wrong-code');
  return reset;
}
