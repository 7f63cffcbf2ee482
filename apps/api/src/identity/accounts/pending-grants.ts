import { randomBytes } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { PendingGrant } from '../database/access.entities.js';
import { notExpired } from '../database/not-expired.js';
import type { Role } from '../permissions.js';
import type { Admin, Rights } from './grant-rules.js';

/** How long a grant waits for its confirmation. */
const GRANT_MS_MAX = 24 * 3_600_000;

/** Roles and tables that wait for another admin. */
export interface GrantShown {
  readonly id: string;
  readonly account: string;
  readonly roles: readonly Role[];
  readonly tables: readonly string[];
  readonly askedBy: string;
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** Keeps roles and tables for an account until another admin confirms them. */
export async function askGrant(
  manager: EntityManager,
  { person }: Admin,
  accountName: string,
  { roles, tables }: Rights,
): Promise<GrantShown> {
  await withdrawGrant(manager, accountName);
  const grant = manager.create(PendingGrant, {
    id: randomBytes(8).toString('hex'),
    accountName,
    roles: [...roles],
    tables: [...tables],
    askedBy: person.account,
    askedAt: new Date(),
    expiresAt: new Date(Date.now() + GRANT_MS_MAX),
  });
  await manager.insert(PendingGrant, grant);
  return shownGrant(grant);
}

/** Drops what is pending for an account. */
export async function withdrawGrant(manager: EntityManager, accountName: string): Promise<void> {
  await manager.delete(PendingGrant, { accountName });
}

/** Returns the pending grants that have not expired, with their accounts, oldest first. */
export const openGrants = (manager: EntityManager): Promise<PendingGrant[]> =>
  manager.find(PendingGrant, {
    where: { expiresAt: notExpired() },
    relations: { account: true },
    order: { askedAt: 'asc', id: 'asc' },
  });

/** Returns a pending grant as answers show it. */
export const shownGrant = ({
  id,
  accountName,
  roles,
  tables,
  askedBy,
  askedAt,
  expiresAt,
}: PendingGrant): GrantShown => ({
  ...{ id, account: accountName, roles, tables, askedBy },
  askedAt: askedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
