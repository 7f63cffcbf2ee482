import { Problem } from '../../problems/problems.js';
import type { Account } from '../database/access.entities.js';
import { covers, type Identity, type Person, seenBy } from '../identity.js';
import type { Role } from '../permissions.js';

/** Roles that one admin alone gives only where there is no other admin to confirm it. */
export const CONFIRMED_ROLES: readonly Role[] = ['compliance', 'regulator', 'admin'];

/** The roles and tables of an account. */
export interface Rights {
  readonly roles: readonly Role[];
  readonly tables: readonly string[];
}

/** An account's human and rights. */
export type Grantee = Pick<Account, 'name' | 'person' | 'tables'>;

/** An admin who manages accounts. */
export type Admin = Identity & { readonly person: Person };

/** Returns the admin who sends a request. Throws if it is a device, which manages no accounts. */
export function adminOf(identity: Identity): Admin {
  if (!identity.person) throw new Error(`${identity.id} is not a person`);
  return identity as Admin;
}

/** Returns whether the account belongs to the human who asks. */
const isOwn = ({ person }: Admin, account: Pick<Account, 'name' | 'person'>): boolean =>
  account.name === person.account || account.person === person.id;

/**
 * Throws `not-found` if the account reaches beyond the admin's tables, and `not-permitted` if it is
 * the admin's own.
 */
export function requireManaged(by: Admin, account: Grantee | null): asserts account is Grantee {
  if (!account || !covers(by, account.tables))
    throw new Problem('not-found', 'no account has this name');
  if (isOwn(by, account))
    throw new Problem('not-permitted', 'nobody may change their own account: ask another admin');
}

/** Throws `not-permitted` if these tables reach beyond the admin's. */
export function requireCovered(by: Admin, tables: readonly string[]): void {
  if (!covers(by, tables))
    throw new Problem('not-permitted', 'an account may list only tables that yours may see');
}

/**
 * Returns whether a change gives a role of `CONFIRMED_ROLES`, or gives an account that has one more
 * tables.
 */
export function needsConfirmation(before: Rights, after: Rights): boolean {
  const isWider = !covers({ tables: seenBy(before.tables) }, after.tables);
  return CONFIRMED_ROLES.some(
    (role) => after.roles.includes(role) && (isWider || !before.roles.includes(role)),
  );
}

/**
 * Returns whether there is an admin beside `asker`, of another person and whose tables cover the
 * account before and after. The account itself does not count. Its person may be that of the other
 * admin, because the asker may have set it: then the grant waits for a third one.
 */
export const isSecondAdmin = (
  admin: Pick<Account, 'name' | 'person' | 'tables' | 'wallDisplay'>,
  asker: string,
  grantee: Grantee,
  after: Pick<Rights, 'tables'>,
): boolean =>
  !admin.wallDisplay &&
  admin.person !== asker &&
  admin.name !== grantee.name &&
  covers({ tables: seenBy(admin.tables) }, [...grantee.tables, ...after.tables]);
