import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { Problem } from '../../problems/problems.js';
import { Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import type { Person } from '../identity.js';
import { Attempts } from '../sessions/attempts.js';
import { requireCode } from '../sessions/second-factor.js';
import { accountWith, limited, lockedAs } from '../sessions/sign-in.js';

/** How long a confirmation lasts. A person who walks away leaves the screen to others. */
const CONFIRMED_MS = 15 * 60_000;

/** What a person can prove who they are with. */
export const FACTORS = ['password', 'code'] as const;

/** What a person confirms with. `code` is of the second factor, where the account has one. */
export interface ConfirmWith {
  readonly password: string;
  readonly code?: string;
}

/** What a confirmation rests on, and until when it lasts. */
export interface Confirmed {
  readonly factors: readonly (typeof FACTORS)[number][];
  readonly confirmedUntil: string;
}

/**
 * Confirms who is at a person's own session. Throws what signing in throws, within the same limits,
 * and `not-signed-in` if the session has ended.
 */
export class ConfirmSession extends Command<Confirmed> {
  constructor(
    readonly by: Person,
    readonly proof: ConfirmWith,
    readonly address: string,
  ) {
    super();
  }
}

/** Checks the password and the code, and stores when the session was confirmed. */
@CommandHandler(ConfirmSession)
export class ConfirmSessionHandler implements ICommandHandler<ConfirmSession> {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly source: DataSource,
    private readonly identities: Identities,
    private readonly attempts: Attempts,
  ) {}

  async execute({ by, proof, address }: ConfirmSession): Promise<Confirmed> {
    const tried = { name: by.account, address };
    const factors = await limited(this.attempts, tried, () => this.factorsOf(tried, proof));
    const confirmedAt = new Date();
    const sessions = this.source.getRepository(Session);
    const { affected } = await sessions.update({ id: by.session }, { confirmedAt });
    if (affected !== 1) throw new Problem('not-signed-in');
    this.identities.forget({ account: by.account });
    this.logger.log({ message: 'session confirmed', name: by.account, instance: by.instance });
    return { factors, confirmedUntil: confirmedUntil(confirmedAt).toISOString() };
  }

  /** Returns what was proved. Uses up the code. */
  private async factorsOf(
    tried: { readonly name: string; readonly address: string },
    { password, code }: ConfirmWith,
  ): Promise<Confirmed['factors']> {
    const proved = await accountWith(this.source, { name: tried.name, password });
    return this.source.transaction(async (manager) => {
      const { name, secondFactor } = await lockedAs(manager, proved);
      if (!secondFactor) return ['password'];
      await this.attempts.checkCode(tried, code, () => requireCode(manager, name, code));
      return ['password', 'code'];
    });
  }
}

/** Returns until when a confirmation of this time lasts. */
export const confirmedUntil = (at: Date): Date => new Date(at.getTime() + CONFIRMED_MS);
