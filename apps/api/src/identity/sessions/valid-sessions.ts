import { Brackets, type EntityManager, type SelectQueryBuilder } from 'typeorm';
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

/** What decides what a session may see and do. */
export interface SessionRights extends Pick<Identity, 'roles' | 'tables'> {
  readonly mustDo: FirstDuty | undefined;
}

/** Sessions of these ids, or of an account. */
interface Which {
  readonly ids?: readonly string[];
  readonly account?: string;
}

/**
 * Returns the sessions that are valid now, with their accounts, the newest first. A session is
 * valid until it expires, is ended or has been idle for too long, or its account is disabled.
 */
export const validSessions = (
  manager: EntityManager,
  settings: SessionSettings,
  which: Which,
): Promise<Session[]> =>
  valid(manager, settings, which)
    .addSelect(ACCOUNT_PARTS.map((part) => `account.${part}`))
    .orderBy('session.createdAt', 'DESC')
    .addOrderBy('session.id')
    .getMany();

/**
 * Returns for each of these sessions that is valid now its account, as JSON text. Equal texts mean
 * equal rights. This costs less than `validSessions`.
 */
export async function accountTexts(
  manager: EntityManager,
  settings: SessionSettings,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const parts = ACCOUNT_PARTS.map((part) => `'${part}', account.${part}`).join(', ');
  const found = await valid(manager, settings, { ids })
    .select('session.id', 'id')
    .addSelect(`json_build_object(${parts})::text`, 'account')
    .getRawMany<{ readonly id: string; readonly account: string }>();
  return new Map(found.map(({ id, account }) => [id, account]));
}

/** Returns what the account of such a text may see, and what its person must do first. */
export function rightsIn(text: string, settings: SessionSettings): SessionRights {
  const account = JSON.parse(text) as Pick<Account, (typeof ACCOUNT_PARTS)[number]>;
  const { roles, tables } = account;
  return { roles, tables: seenBy(tables), mustDo: dutyOf(account, settings) };
}

function valid(
  manager: EntityManager,
  { sessionIdleMinutes }: SessionSettings,
  { ids, account }: Which,
): SelectQueryBuilder<Session> {
  const query = manager
    .createQueryBuilder(Session, 'session')
    .innerJoin('session.account', 'account')
    .where('session.expires_at > now() and not account.disabled')
    .andWhere(
      new Brackets((either) =>
        either
          .where('account.wall_display')
          .orWhere('session.last_used_at > now() - make_interval(mins => :sessionIdleMinutes)', {
            sessionIdleMinutes,
          }),
      ),
    );
  if (ids) query.andWhere('session.id = any(:ids)', { ids });
  if (account !== undefined) query.andWhere('session.account_name = :account', { account });
  return query;
}

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
  {
    mustChangePassword,
    secondFactor,
    roles,
  }: Pick<Account, 'mustChangePassword' | 'secondFactor' | 'roles'>,
  settings: SessionSettings,
): FirstDuty | undefined {
  if (mustChangePassword) return 'password-change';
  const isRequired = roles.some((role) => settings.secondFactor.includes(role));
  return isRequired && !secondFactor ? 'second-factor' : undefined;
}
