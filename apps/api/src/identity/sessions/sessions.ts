import { Logger } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DataSource } from 'typeorm';
import { HouseRecord } from '../../house/house-record.js';
import { Problem } from '../../problems/problems.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { managedAccount } from '../accounts/accounts.js';
import { adminOf } from '../accounts/grant-rules.js';
import { Session } from '../database/access.entities.js';
import { Identities } from '../identities.js';
import { actorOf, asker, type Identity } from '../identity.js';
import { validSessions } from './valid-sessions.js';

/** A session as answers show it, without its token. */
export interface SessionShown {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  /** Whether it is the session that asks. */
  readonly current: boolean;
}

/**
 * Asks for the valid sessions of an account, the newest first. Throws as `ChangeAccount` does if
 * the account is not the sender's own.
 */
export class ListSessions extends Query<readonly SessionShown[]> {
  constructor(
    readonly by: Identity,
    readonly account: string,
  ) {
    super();
  }
}

/** Ends a session of an account. Throws as `ListSessions` does, and `not-found` without one. */
export class EndSession extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly account: string,
    readonly id: string,
  ) {
    super();
  }
}

/** Reads the sessions of an account. */
@QueryHandler(ListSessions)
export class ListSessionsHandler implements IQueryHandler<ListSessions> {
  constructor(
    private readonly source: DataSource,
    private readonly settings: ApiSettings,
  ) {}

  async execute({ by, account }: ListSessions): Promise<readonly SessionShown[]> {
    const sessions = await this.source.transaction(async (manager) => {
      if (by.person?.account !== account) await managedAccount(manager, adminOf(by), account);
      return validSessions(manager, this.settings, { account });
    });
    return sessions.map(({ id, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      current: id === by.person?.session,
    }));
  }
}

/** Deletes a session, logs who ended whose, and refuses its token at once. */
@CommandHandler(EndSession)
export class EndSessionHandler implements ICommandHandler<EndSession> {
  private readonly logger = new Logger('accounts');

  constructor(
    private readonly record: HouseRecord,
    private readonly identities: Identities,
  ) {}

  async execute({ by, account, id }: EndSession): Promise<void> {
    await this.record.transaction(async (manager, note) => {
      if (by.person?.account !== account) await managedAccount(manager, adminOf(by), account);
      const { affected } = /^[0-9a-f]{16}$/.test(id)
        ? await manager.delete(Session, { id, accountName: account })
        : { affected: 0 };
      if (affected !== 1) throw new Problem('not-found', 'no session of the account has this id');
      await note({
        type: 'person-session-ended',
        by: actorOf(by),
        data: { account, session: id },
      });
    });
    this.identities.forget({ account });
    this.logger.log({ message: 'session ended', name: account, session: id, ...asker(by) });
  }
}
