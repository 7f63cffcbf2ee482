import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, type EntityManager, Not } from 'typeorm';
import type { Act } from '../../house/acts.js';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { lockedAccount } from '../accounts/locked-account.js';
import { Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import type { Person } from '../identity.js';
import { Attempts } from '../sessions/attempts.js';
import {
  newRecoveryCodes,
  newSecret,
  removeFactor,
  requireCode,
  takeStep,
} from '../sessions/second-factor.js';
import { accountWith, limited } from '../sessions/sign-in.js';

/** A secret for an authenticator app, in base32 and as the URI that a QR code shows. */
export interface FactorBegun {
  readonly secret: string;
  readonly uri: string;
}

/**
 * Begins to enroll an authenticator. Throws `wrong-password` and `too-many-attempts` as sign-in
 * does, and `conflict` if one is enrolled.
 */
export class BeginFactor extends Command<FactorBegun> {
  constructor(
    readonly by: Person,
    readonly password: string,
    readonly address: string,
  ) {
    super();
  }
}

/**
 * Enrolls the authenticator that made the code, ends the person's other sessions, and returns
 * recovery codes. Throws `wrong-code`, and `conflict` if one is enrolled.
 */
export class ConfirmFactor extends Command<readonly string[]> {
  constructor(
    readonly by: Person,
    readonly code: string,
    readonly address: string,
  ) {
    super();
  }
}

/** Removes the authenticator. Throws `wrong-password`, `wrong-code` and `too-many-attempts`. */
export class RemoveFactor extends Command<void> {
  constructor(
    readonly by: Person,
    readonly proof: { readonly password: string; readonly code: string },
    readonly address: string,
  ) {
    super();
  }
}

/** Stores a new secret, which does not count before it is confirmed. */
@CommandHandler(BeginFactor)
export class BeginFactorHandler implements ICommandHandler<BeginFactor> {
  constructor(
    private readonly source: DataSource,
    private readonly attempts: Attempts,
  ) {}

  async execute({ by, password, address }: BeginFactor): Promise<FactorBegun> {
    const name = by.account;
    await limited(this.attempts, { name, address }, () =>
      accountWith(this.source, { name, password }),
    );
    return this.source.transaction(async (manager) => {
      if ((await lockedAccount(manager, name))?.secondFactor !== false) throw isEnrolled();
      return newSecret(manager, name);
    });
  }
}

/** Checks the first code, makes the factor count, and logs whose it is. */
@CommandHandler(ConfirmFactor)
export class ConfirmFactorHandler implements ICommandHandler<ConfirmFactor> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly identities: Identities,
    private readonly attempts: Attempts,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, code, address }: ConfirmFactor): Promise<readonly string[]> {
    const name = by.account;
    const { result, noted } = await limited(this.attempts, { name, address }, () =>
      this.record.noting(async (manager, note) => {
        const codes = await enroll(manager, by, code);
        await note(factorChanged(by, true));
        return codes;
      }),
    );
    await this.record.sent(noted);
    this.identities.forget({ account: name });
    this.logger.log({ message: 'second factor enrolled', name, instance: by.instance });
    return result;
  }
}

/** Checks password and code, removes the factor, and logs whose it was. */
@CommandHandler(RemoveFactor)
export class RemoveFactorHandler implements ICommandHandler<RemoveFactor> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
    private readonly attempts: Attempts,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, proof, address }: RemoveFactor): Promise<void> {
    const name = by.account;
    const tried = { name, address };
    const { noted } = await limited(this.attempts, tried, async () => {
      await accountWith(this.source, { name, password: proof.password });
      return this.record.noting(async (manager, note) => {
        await lockedAccount(manager, name);
        await this.attempts.checkCode(tried, proof.code, () =>
          requireCode(manager, name, proof.code),
        );
        await removeFactor(manager, name);
        await note(factorChanged(by, false));
      });
    });
    await this.record.sent(noted);
    this.identities.forget({ account: name });
    this.logger.log({ message: 'second factor removed', name, instance: by.instance });
  }
}

const factorChanged = ({ account, id }: Person, to: boolean): Act => ({
  type: 'account-changed',
  by: `person/${id}`,
  data: { account, changes: { secondFactor: { from: !to, to } } },
});

async function enroll(
  manager: EntityManager,
  { account: name, session }: Person,
  code: string,
): Promise<readonly string[]> {
  const account = await lockedAccount(manager, name);
  if (account?.secondFactor !== false) throw isEnrolled();
  await takeStep(manager, name, code);
  await manager.save(Object.assign(account, { secondFactor: true }));
  await manager.delete(Session, { accountName: name, id: Not(session) });
  return newRecoveryCodes(manager, name);
}

const isEnrolled = (): Problem => new Problem('conflict', 'a second factor is enrolled already');
