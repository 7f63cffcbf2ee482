import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, LessThan } from 'typeorm';
import { Problem } from '../problems/problems.js';
import { ApiSettings } from '../settings/api-settings.js';
import { Account, Session, SignInAttempt } from './access.entities.js';
import { bearerOf, newToken, tokenFits } from './bearer-token.js';
import { Identities } from './identities.js';
import { NOBODYS_HASH, passwordFits } from './passwords.js';
import { NAME } from './scope-fields.js';

/** What a person gets for a name and password: shown once, sent as `Authorization: Bearer ...`. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: string;
}

/** Signs a person in. `wrong-password` for a wrong name, a wrong password and a disabled account alike; `too-many-attempts` beyond the limits below. */
export class SignIn extends Command<SignedIn> {
  constructor(
    readonly name: string,
    readonly password: string,
    readonly address: string,
  ) {
    super();
  }
}

/** Ends the session whose token the header bears. */
export class SignOut extends Command<void> {
  constructor(readonly authorization: string | undefined) {
    super();
  }
}

/** Failed attempts in this time count. */
const WINDOW_S = 60;
/** So many may fail for one name from one address, for one name from everywhere, and from one address for whatever names. */
const FAILED_MAX = { nameAndAddress: 5, name: 30, address: 30 };
/** An address is a text of the other end of the connection: no longer than any IPv6 address with a zone. */
const ADDRESS_LENGTH_MAX = 64;

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
    const fits = await passwordFits(password, account?.passwordHash ?? NOBODYS_HASH);
    if (!account || !fits || account.disabled) {
      this.logger.warn({
        message: 'sign-in refused',
        name: attempt.name,
        address: attempt.address,
      });
      throw new Problem('wrong-password');
    }
    await this.source
      .getRepository(SignInAttempt)
      .delete({ name: attempt.name, address: attempt.address });
    return this.open(account);
  }

  /**
   * Writes the attempt down as failed before the password is looked at, so that a thousand at once are counted too. One
   * over a limit is taken out again: whoever goes on trying does not keep the owner out for longer.
   */
  private async begin(anyName: string, anyAddress: string): Promise<SignInAttempt> {
    const attempts = this.source.getRepository(SignInAttempt);
    const [name, address] = [
      NAME.test(anyName) ? anyName : '(no name)',
      anyAddress.slice(0, ADDRESS_LENGTH_MAX),
    ];
    const attempt = attempts.create({ id: randomUUID(), name, address });
    await attempts.insert(attempt);
    const since = new Date(Date.now() - WINDOW_S * 1000);
    const failed = await attempts
      .createQueryBuilder('attempt')
      .select('attempt.name', 'name')
      .addSelect('attempt.address', 'address')
      .where('attempt.at > :since and (attempt.name = :name or attempt.address = :address)', {
        since,
        name,
        address,
      })
      .getRawMany<{ name: string; address: string }>();
    if (!isTooMany(failed, name, address)) return attempt;
    await attempts.delete({ id: attempt.id });
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

@CommandHandler(SignOut)
export class SignOutHandler implements ICommandHandler<SignOut> {
  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
  ) {}

  async execute({ authorization }: SignOut): Promise<void> {
    const token = bearerOf(authorization);
    if (token?.kind !== 'sps')
      throw new Problem(
        'invalid-request',
        'this is no session: a device key is revoked, not signed out',
      );
    const sessions = this.source.getRepository(Session);
    const session = await sessions.findOneBy({ id: token.id });
    if (session && tokenFits(token.text, session.tokenHash))
      await sessions.delete({ id: session.id });
    this.identities.forget();
  }
}

function isTooMany(
  failed: readonly { readonly name: string; readonly address: string }[],
  name: string,
  address: string,
): boolean {
  const ofName = failed.filter((attempt) => attempt.name === name);
  const ofAddress = failed.filter((attempt) => attempt.address === address);
  return (
    ofName.filter((attempt) => attempt.address === address).length > FAILED_MAX.nameAndAddress ||
    ofName.length > FAILED_MAX.name ||
    ofAddress.length > FAILED_MAX.address
  );
}
