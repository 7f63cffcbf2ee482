import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { lockedAccount } from '../accounts/locked-account.js';
import { type ShownToken, tokenFits } from '../credentials/bearer-token.js';
import { UNUSED_HASH, passwordFits } from '../credentials/passwords.js';
import { Account, Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { NAME } from '../scope-fields.js';
import { Attempts, whoTries, type Tried } from './attempts.js';
import { addressShown } from './client-address.js';
import { openSession, type Opened, type SignedIn } from './open-session.js';
import { requireCode } from './second-factor.js';

/** What a person signs in with. `code` is of the second factor, where the account has one. */
export interface SignInWith {
  readonly name: string;
  readonly password: string;
  readonly code?: string;
}

/**
 * Signs a person in. Throws `wrong-password` for a wrong name, a wrong password and a disabled
 * account alike, `second-factor-required` and `wrong-code` if the password is right, and what
 * `Attempts` throws.
 */
export class SignIn extends Command<SignedIn> {
  constructor(
    readonly who: SignInWith,
    readonly address: string,
    /** The id of the request, for the log. */
    readonly instance: string,
  ) {
    super();
  }
}

/** Ends the session of a token. Throws `invalid-request` for a device key. */
export class SignOut extends Command<void> {
  constructor(readonly token: ShownToken | undefined) {
    super();
  }
}

/** Checks a name, password and code within the limits on failed attempts, and opens a session. */
@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
    private readonly attempts: Attempts,
    private readonly record: HouseRecord,
  ) {}

  async execute({ who, address, instance }: SignIn): Promise<SignedIn> {
    const tried = { name: who.name, address };
    const { result, noted } = await limited(this.attempts, tried, async () => {
      const account = await accountWith(this.source, who);
      return this.record.noting(async (manager, note) => {
        const opened = await this.open(manager, account, who.code, tried);
        await note({
          type: 'person-signed-in',
          by: `person/${account.person}`,
          data: { account: account.name, session: opened.session, address: addressShown(address) },
        });
        return opened.signedIn;
      });
    });
    await this.record.sent(noted);
    this.logger.log({ message: 'signed in', name: who.name, instance });
    return result;
  }

  /** Opens a session if the account still has the password, and the code is right. */
  private async open(
    manager: EntityManager,
    proved: Account,
    code: string | undefined,
    tried: Tried,
  ): Promise<Opened> {
    const account = await lockedAs(manager, proved);
    if (account.secondFactor)
      await this.attempts.checkCode(tried, code, () => requireCode(manager, account.name, code));
    account.passwordUsedAt ??= new Date();
    await manager.save(account);
    return openSession(manager, account.name, this.settings);
  }
}

const wrongPassword = (name: string): Problem =>
  new Problem('wrong-password', undefined, { who: whoTries(name) });

/**
 * Returns the enabled account of a name if the password is its own. Throws `wrong-password`
 * otherwise, in the same time. Call it within `limited`.
 */
export async function accountWith(
  source: DataSource,
  { name, password }: Pick<SignInWith, 'name' | 'password'>,
): Promise<Account> {
  const account = NAME.test(name) ? await source.getRepository(Account).findOneBy({ name }) : null;
  const fits = await passwordFits(password, account?.passwordHash ?? UNUSED_HASH);
  if (!account || !fits || account.disabled) throw wrongPassword(name);
  return account;
}

/**
 * Returns and locks an account whose password was right, if it is still enabled with that password.
 * Throws `wrong-password` otherwise.
 */
export async function lockedAs(
  manager: EntityManager,
  { name, passwordHash }: Account,
): Promise<Account> {
  const account = await lockedAccount(manager, name);
  if (!account || account.disabled || account.passwordHash !== passwordHash)
    throw wrongPassword(name);
  return account;
}

/**
 * Runs a check of a password or code within the limits on failed attempts, and returns its result.
 * A problem that it throws counts as a failed attempt, but for a code that is missing.
 */
export async function limited<Result>(
  attempts: Attempts,
  tried: Tried,
  check: () => Promise<Result>,
): Promise<Result> {
  let refused: unknown;
  const passed = await attempts.check(tried, async () => {
    try {
      return { result: await check() };
    } catch (error) {
      if (!(error instanceof Problem) || error.problem === 'second-factor-required') throw error;
      refused = error;
      return undefined;
    }
  });
  if (!passed) throw refused;
  return passed.result;
}

/** Deletes the session of a token, so that this process refuses it at once. */
@CommandHandler(SignOut)
export class SignOutHandler implements ICommandHandler<SignOut> {
  constructor(
    private readonly record: HouseRecord,
    private readonly identities: Identities,
  ) {}

  async execute({ token }: SignOut): Promise<void> {
    if (token?.kind !== 'sps')
      throw new Problem('invalid-request', 'a device key cannot sign out: revoke it instead');
    const account = await this.record.transaction(async (manager, note) => {
      const session = await manager.findOne(Session, {
        where: { id: token.id },
        relations: { account: true },
      });
      if (!session || !tokenFits(token.text, session.tokenHash)) return undefined;
      const { affected } = await manager.delete(Session, { id: session.id });
      if (affected === 1)
        await note({
          type: 'person-signed-out',
          by: `person/${session.account.person}`,
          data: { account: session.accountName, session: session.id },
        });
      return session.accountName;
    });
    if (account !== undefined) this.identities.forget({ account });
  }
}
