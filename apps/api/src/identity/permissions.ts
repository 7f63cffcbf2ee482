/** The roles of people. An account has one or more. */
export const ROLES = [
  'pit-boss',
  'surveillance',
  'compliance',
  'regulator',
  'finance',
  'integrator',
  'admin',
] as const;
/** A role of an account: one of `ROLES`. */
export type Role = (typeof ROLES)[number];

/** The name of the account that the first start creates. */
export const FIRST_ADMIN = 'admin';

const everyone = [...ROLES, 'device'] as const;

/**
 * The roles that have each permission. A route names the permission that it needs, and refuses an
 * identity without one of its roles. `device` is any device key. Duties are separate: an admin
 * manages accounts and sees no findings.
 */
export const PERMISSIONS = {
  /** Sends events. The sources, types and tables of the identity limit which. */
  'record-events': ['pit-boss', 'device'],
  'own-session': everyone,
  'own-sessions': ROLES,
  'own-password': ROLES,
  'own-factor': ROLES,
  /** Reads one's own saved views and preferences. */
  'own-screens': ROLES,
  /** Changes them. Its name keeps wall displays from it. */
  'arrange-screens': ROLES,
  /** Rule documents and review policies: what the house plays and reviews by. */
  'read-rules': ROLES,
  'read-tables': ['pit-boss', 'surveillance', 'compliance', 'regulator', 'finance'],
  'read-coups': ['pit-boss', 'surveillance', 'compliance', 'regulator', 'finance'],
  'follow-stream': ['pit-boss', 'surveillance', 'compliance', 'regulator'],
  'read-findings': ['pit-boss', 'surveillance', 'compliance', 'regulator'],
  /** Acts on findings. The review policy narrows who may propose, sign and reopen. */
  'review-findings': ['pit-boss', 'surveillance', 'compliance'],
  /** Says that video is held. */
  'hold-video': ['surveillance'],
  /** Sees by name who looked at a finding. */
  'read-looks': ['compliance', 'regulator'],
  'report-commission': ['pit-boss', 'compliance', 'regulator', 'finance'],
  'report-misdealt': ['pit-boss', 'surveillance', 'compliance', 'regulator'],
  'report-dealers': ['pit-boss', 'surveillance', 'compliance', 'regulator'],
  'report-shoes': ['pit-boss', 'surveillance', 'compliance', 'regulator', 'finance'],
  'report-payouts': ['pit-boss', 'surveillance', 'compliance', 'regulator', 'finance'],
  'report-devices': ['surveillance', 'compliance', 'regulator', 'integrator', 'admin'],
  'manage-accounts': ['admin'],
  'manage-keys': ['integrator', 'admin'],
  /** Sees what keys sent: the account's own, for an admin all in scope. */
  'read-deliveries': ['integrator', 'admin'],
  'read-parked': ['compliance', 'regulator', 'integrator', 'admin'],
  'release-parked': ['admin'],
  /** Saves the exact lines of a table. */
  'read-record': ['compliance', 'regulator'],
  /** Asks for evidence packages of the tables in scope, and fetches and removes them. */
  'export-evidence': ['compliance', 'regulator'],
  /** The site log, where the settings do not open it to the public. */
  'read-site-log': ['compliance', 'regulator'],
  'read-house-events': ['compliance', 'regulator'],
  /** Where the pages are not open to everybody. So may the token of the settings. */
  'read-metrics': ['integrator', 'admin'],
  'read-docs': everyone,
  'read-positions': ['compliance', 'regulator', 'integrator', 'admin'],
} as const satisfies Readonly<Record<string, readonly (Role | 'device')[]>>;

/** The name of a permission. */
export type Permission = keyof typeof PERMISSIONS;

/** Returns whether one of these roles has the permission. */
export function permitted(permission: Permission, roles: readonly (Role | 'device')[]): boolean {
  const allowed: readonly (Role | 'device')[] = PERMISSIONS[permission];
  return roles.some((role) => allowed.includes(role));
}
