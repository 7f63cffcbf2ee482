import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource, type EntityManager, LessThan } from 'typeorm';
import { ApiSettings } from '../../settings/api-settings.js';
import { newToken } from '../credentials/bearer-token.js';
import { Session } from '../database/access.entities.js';

/** The most sessions of an account. A further one ends the oldest. */
const SESSIONS_MAX = 50;

/** A new session: its token, sent as `Authorization: Bearer ...`, and when it expires. */
export interface SignedIn {
  readonly token: string;
  readonly expiresAt: string;
}

/** A new session, and its id, which anybody may know. */
export interface Opened {
  readonly session: string;
  readonly signedIn: SignedIn;
}

/**
 * Opens a session of an account that the transaction has locked, and deletes expired sessions and
 * those of the account beyond the newest 50.
 */
export async function openSession(
  manager: EntityManager,
  accountName: string,
  { sessionHours }: Pick<ApiSettings, 'sessionHours'>,
): Promise<Opened> {
  const { id, text, hash } = newToken('sps');
  const expiresAt = new Date(Date.now() + sessionHours * 3_600_000);
  await manager.delete(Session, { expiresAt: LessThan(new Date()) });
  const oldest = await manager.find(Session, {
    where: { accountName },
    order: { createdAt: 'desc', id: 'asc' },
    skip: SESSIONS_MAX - 1,
    select: { id: true },
  });
  if (oldest.length > 0)
    await manager.delete(
      Session,
      oldest.map((session) => session.id),
    );
  await manager.insert(Session, { id, accountName, tokenHash: hash, expiresAt });
  return { session: id, signedIn: { token: text, expiresAt: expiresAt.toISOString() } };
}

/**
 * Returns the token of a new session without a password, for a program that runs the api in its own
 * process. It does not count as a use of the password.
 */
export async function sessionWithoutPassword(
  app: NestFastifyApplication,
  accountName: string,
): Promise<string> {
  const { signedIn } = await app
    .get(DataSource)
    .transaction((manager) => openSession(manager, accountName, app.get(ApiSettings)));
  return signedIn.token;
}
