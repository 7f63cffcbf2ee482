import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, LessThan, MoreThan } from 'typeorm';
import { Problem } from '../../problems/problems.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { bearerOf, newToken, tokenFits } from '../credentials/bearer-token.js';
import { UNUSED_HASH, passwordFits } from '../credentials/passwords.js';
import { Account, Session, SignInAttempt } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { NAME } from '../scope-fields.js';

/** A new session: its token, sent as `Authorization: Bearer ...`, and when it expires. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Signs a person in. Throws `wrong-password` for a wrong name, a wrong password and a disabled
 * account alike, and `too-many-attempts` beyond the limits below.
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

/** How long a failed attempt counts. */
const WINDOW_S = 60;
/**
 * The most failed attempts for one name from one address, for one name from all addresses, and for
 * all names from one address.
 */
const FAILED_MAX = { nameAndAddress: 5, name: 30, address: 30 };
/** The most characters of an address that are kept. Any IPv6 address with a zone fits. */
const ADDRESS_LENGTH_MAX = 64;
/** The key of the advisory lock that attempts take in turn, in all processes of a database. */
const ATTEMPT_LOCK = 7_203_114_002;

type AttemptOf = Pick<SignInAttempt, 'name' | 'address'>;

/** Checks a name and password within the limits on failed attempts, and opens a session. */
@CommandHandler(SignIn)
export class SignInHandler implements ICommandHandler<SignIn> {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
  ) {}

  async execute({ name, password, address }: SignIn): Promise<SignedIn> {
    const attempt = await this.begin(name, address);
    const account = NAME.test(name)
      ? await this.source.getRepository(Account).findOneBy({ name })
      : null;
    const fits = await passwordFits(password, account?.passwordHash ?? UNUSED_HASH);
    if (!account || !fits || account.disabled) {
      this.logger.warn({ message: 'sign-in refused', ...attempt });
      throw new Problem('wrong-password');
    }
    await this.source.getRepository(SignInAttempt).delete(attempt);
    return this.open(account);
  }

  /**
   * Records the attempt as failed before the password is checked. Attempts take turns, so the
   * limits hold for a thousand at once. A refused attempt is not recorded, so an attacker who keeps
   * trying does not lock the owner out for longer.
   */
  private async begin(anyName: string, anyAddress: string): Promise<AttemptOf> {
    const attempt: AttemptOf = {
      name: NAME.test(anyName) ? anyName : '(no name)',
      address: anyAddress.slice(0, ADDRESS_LENGTH_MAX),
    };
    const isAllowed = await this.source.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [ATTEMPT_LOCK]);
      const at = MoreThan(new Date(Date.now() - WINDOW_S * 1000));
      const failed = await manager.findBy(SignInAttempt, [
        { at, name: attempt.name },
        { at, address: attempt.address },
      ]);
      if (isTooMany(failed, attempt)) return false;
      await manager.insert(SignInAttempt, { id: randomUUID(), ...attempt });
      return true;
    });
    if (isAllowed) return attempt;
    throw new Problem('too-many-attempts', undefined, {
      headers: { 'Retry-After': String(WINDOW_S) },
    });
  }

  private async open({ name }: Account): Promise<SignedIn> {
    const { id, text, hash } = newToken('sps');
    const expiresAt = new Date(Date.now() + this.settings.sessionHours * 3_600_000);
    await this.source.transaction(async (manager) => {
      await manager.delete(Session, { expiresAt: LessThan(new Date()) });
      await manager.delete(SignInAttempt, {
        at: LessThan(new Date(Date.now() - 2 * WINDOW_S * 1000)),
      });
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

/** Returns whether one more attempt after these would pass a limit. */
function isTooMany(failed: readonly AttemptOf[], { name, address }: AttemptOf): boolean {
  const ofName = failed.filter((other) => other.name === name);
  const ofAddress = failed.filter((other) => other.address === address);
  return (
    ofName.filter((other) => other.address === address).length >= FAILED_MAX.nameAndAddress ||
    ofName.length >= FAILED_MAX.name ||
    ofAddress.length >= FAILED_MAX.address
  );
}
