import { Brackets, type EntityManager } from 'typeorm';
import type { ApiSettings } from '../../settings/api-settings.js';
import { type Account, Session } from '../database/access.entities.js';
import { type FirstDuty, type Identity, seenBy, WriteScope } from '../identity.js';

/** The settings that end sessions and require second factors. */
type SessionSettings = Pick<ApiSettings, 'sessionIdleMinutes' | 'secondFactor'>;

/** What a request needs of an account. The hash of the password is not among it. */
const ACCOUNT_PARTS = [
  'name',
  'person',
  'roles',
  'tables',
  'wallDisplay',
  'secondFactor',
  'mustChangePassword',
] as const satisfies readonly (keyof Account)[];

/**
 * Returns the sessions that are valid now, with their accounts, the newest first: of these ids, or
 * of an account. A session is valid until it expires, is ended or has been idle for too long, or
 * its account is disabled.
 */
export const validSessions = (
  manager: EntityManager,
  { sessionIdleMinutes }: SessionSettings,
  { ids, account }: { readonly ids?: readonly string[]; readonly account?: string },
): Promise<Session[]> => {
  const query = manager
    .createQueryBuilder(Session, 'session')
    .innerJoin('session.account', 'account')
    .addSelect(ACCOUNT_PARTS.map((part) => `account.${part}`))
    .where('session.expires_at > now() and not account.disabled')
    .andWhere(
      new Brackets((either) =>
        either
          .where('account.wall_display')
          .orWhere('session.last_used_at > now() - make_interval(mins => :sessionIdleMinutes)', {
            sessionIdleMinutes,
          }),
      ),
    )
    .orderBy('session.createdAt', 'DESC')
    .addOrderBy('session.id');
  if (ids) query.andWhere('session.id = any(:ids)', { ids });
  if (account !== undefined) query.andWhere('session.account_name = :account', { account });
  return query.getMany();
};

/**
 * Returns the identity of a session. A person writes only as the human of their account, and only
 * about the tables of their account.
 */
export function personOf(
  { id, account, expiresAt, confirmedAt }: Session,
  settings: SessionSettings,
): Identity {
  const { name, person, roles, tables, wallDisplay, secondFactor } = account;
  return {
    kind: 'person',
    id: `person/${name}`,
    person: {
      ...{
        account: name,
        id: person,
        session: id,
        expiresAt,
        confirmedAt,
        wallDisplay,
        secondFactor,
      },
      mustDo: dutyOf(account, settings),
    },
    roles,
    tables: seenBy(tables),
    writes: new WriteScope({ sources: [`person/${person}`], types: ['*'], tables }),
  };
}

function dutyOf(
  { mustChangePassword, secondFactor, roles }: Account,
  settings: SessionSettings,
): FirstDuty | undefined {
  if (mustChangePassword) return 'password-change';
  const isRequired = roles.some((role) => settings.secondFactor.includes(role));
  return isRequired && !secondFactor ? 'second-factor' : undefined;
}
