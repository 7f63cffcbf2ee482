import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, LessThan } from 'typeorm';
import { CHALLENGE, Problem } from '../../problems/problems.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { bearerOf, newToken, tokenFits } from '../credentials/bearer-token.js';
import { UNUSED_HASH, passwordFits } from '../credentials/passwords.js';
import { Account, Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { NAME } from '../scope-fields.js';
import { Attempts, whoTries } from './attempts.js';

/** A new session: its token, sent as `Authorization: Bearer ...`, and when it expires. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Signs a person in. Throws `wrong-password` for a wrong name, a wrong password and a disabled
 * account alike, and what `Attempts` throws.
 */
export class SignIn extends Command<SignedIn> {
  constructor(
    readonly name: string,
    readonly password: string,
    readonly address: string,
  ) {
    super();
  }
}

/** Ends the session of the token in the header. Throws `invalid-request` for a device key. */
export class SignOut extends Command<void> {
  constructor(readonly authorization: string | undefined) {
    super();
  }
}

/** Checks a name and password within the limits on failed attempts, and opens a session. */
@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
    private readonly attempts: Attempts,
  ) {}

  async execute({ name, password, address }: SignIn): Promise<SignedIn> {
    const tried = { name, address };
    const account = await this.attempts.check(tried, () => this.accountOf(name, password));
    if (account) return this.open(account);
    throw new Problem('wrong-password', undefined, { headers: CHALLENGE, who: whoTries(tried) });
  }

  /** Returns the account if it is active and has the password, after the same time for any name. */
  private async accountOf(name: string, password: string): Promise<Account | undefined> {
    const account = NAME.test(name)
      ? await this.source.getRepository(Account).findOneBy({ name })
      : null;
    const fits = await passwordFits(password, account?.passwordHash ?? UNUSED_HASH);
    return account && fits && !account.disabled ? account : undefined;
  }

  private async open({ name }: Account): Promise<SignedIn> {
    const { id, text, hash } = newToken('sps');
    const expiresAt = new Date(Date.now() + this.settings.sessionHours * 3_600_000);
    await this.source.transaction(async (manager) => {
      await manager.delete(Session, { expiresAt: LessThan(new Date()) });
      await manager.insert(Session, { id, accountName: name, tokenHash: hash, expiresAt });
    });
    this.logger.log({ message: 'signed in', name });
    return { token: text, expiresAt: expiresAt.toISOString() };
  }
}

/** Deletes the session of a token, so that this process refuses it at once. */
@CommandHandler(SignOut)
export class SignOutHandler implements ICommandHandler<SignOut> {
  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
  ) {}

  async execute({ authorization }: SignOut): Promise<void> {
    const token = bearerOf(authorization);
    if (token?.kind !== 'sps')
      throw new Problem('invalid-request', 'a device key cannot sign out: revoke it instead');
    const sessions = this.source.getRepository(Session);
    const session = await sessions.findOneBy({ id: token.id });
    if (session && tokenFits(token.text, session.tokenHash))
      await sessions.delete({ id: session.id });
    this.identities.forget();
  }
}
