import type { RuleBook } from '#audit';
import { appVersion } from '#process';
import { gamingDays, type GamingDayRule } from '#read-model';
import type { ApiSettings } from '../../settings/api-settings.js';
import { LAST_USED_STEP_MS } from '../identities.js';
import { type FirstDuty, type Identity, may, type Person } from '../identity.js';
import { PERMISSIONS, type Permission, type Role } from '../permissions.js';
import { confirmedUntil } from './confirm-session.js';

/** The session of a person. It ends at `expiresAt`, or when it was idle for too long. */
export interface OwnSession {
  readonly expiresAt: string;
  /** If no further request comes; null for a wall display. */
  readonly idleUntil: string | null;
  readonly confirmedUntil: string;
}

/** What the house has set: its days, and the rule documents and the review policy in force. */
export interface HouseShown {
  /** Of the gaming day of now. */
  readonly zone: string;
  readonly cutover: string;
  readonly gamingDays: readonly GamingDayRule[];
  readonly rules: readonly string[];
  readonly policy: string;
}

/** Whose a token is, what it may do, and what is in force. Only a person has a session. */
export interface Me {
  readonly id: string;
  readonly person: string | null;
  readonly roles: readonly (Role | 'device')[];
  readonly tables: readonly string[];
  readonly permissions: readonly Permission[];
  readonly wallDisplay: boolean;
  readonly secondFactor: boolean;
  readonly mustDo: FirstDuty | null;
  readonly session: OwnSession | null;
  readonly house: HouseShown;
  /** The version of the server. */
  readonly build: string;
}

/** Returns what `GET /v1/me` answers to an identity. */
export function shownIdentity(identity: Identity, settings: ApiSettings, book: RuleBook): Me {
  const { id, roles, tables, person } = identity;
  return {
    id,
    person: person?.id ?? null,
    roles,
    tables: tables === 'all' ? ['*'] : tables,
    permissions: (Object.keys(PERMISSIONS) as Permission[]).filter(
      (permission) => may(identity, permission) === 'yes',
    ),
    wallDisplay: person?.wallDisplay ?? false,
    secondFactor: person?.secondFactor ?? false,
    mustDo: person?.mustDo ?? null,
    session: person ? ownSession(person, settings) : null,
    house: houseShown(settings, book),
    build: appVersion(),
  };
}

function ownSession(person: Person, { sessionIdleMinutes }: ApiSettings): OwnSession {
  const idleMs = sessionIdleMinutes * 60_000 - LAST_USED_STEP_MS;
  return {
    expiresAt: person.expiresAt.toISOString(),
    idleUntil: person.wallDisplay ? null : new Date(Date.now() + idleMs).toISOString(),
    confirmedUntil: confirmedUntil(person.confirmedAt).toISOString(),
  };
}

function houseShown({ gamingDays: days, policy }: ApiSettings, book: RuleBook): HouseShown {
  const today = gamingDays(days)(new Date().toISOString());
  const { zone, cutover } = (days.findLast(({ from }) => from <= today) ??
    days[0]) as GamingDayRule;
  return { zone, cutover, gamingDays: days, rules: [...book.keys()].sort(), policy };
}
