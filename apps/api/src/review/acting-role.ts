import { REVIEWER_ROLES, type Policy } from '#audit';
import type { FindingAtHand } from '#read-model';
import { permitted } from '../identity/permissions.js';
import type { Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { COMMANDS, type CommandName } from './commands.js';

type Role = (typeof REVIEWER_ROLES)[number];

/**
 * Returns the role in which a person acts: the first of the account's roles that may do this, by
 * the table of permissions and by the policy that the act falls under. Where a finding went to a
 * role that is among them, it is that role. Throws `not-permitted` if no role may.
 */
export function actingRole(
  command: CommandName,
  { roles, person }: Pick<Identity, 'roles' | 'person'>,
  row: FindingAtHand,
  { may }: Policy['document'],
): Role {
  const { needs } = COMMANDS[command];
  const held = roles.filter((role): role is Role => isReviewer(role) && permitted(needs, [role]));
  const named = (list: readonly string[]): Role[] => held.filter((role) => list.includes(role));
  switch (command) {
    case 'propose':
      return first(named(may.propose));
    case 'sign':
    case 'refuse': {
      const signing = named(may.sign);
      return first(signing.filter((role) => role === row.escalated).concat(signing));
    }
    case 'reopen': {
      // who made a ruling final may reopen it for a short time, in any role: the fold decides
      const isOwn = person?.id === (row.signedBy ?? row.proposedBy);
      return first(named(may.reopen).concat(isOwn ? held : []));
    }
    default:
      return first(held);
  }
}

const isReviewer = (role: string): role is Role =>
  (REVIEWER_ROLES as readonly string[]).includes(role);

function first([role]: readonly Role[]): Role {
  if (role === undefined)
    throw new Problem('not-permitted', 'the review policy lets no role of this account do this');
  return role;
}
