import { REVIEWER_ROLES, type Policy, type ReviewType } from '#audit';
import type { ReviewRead } from './review.js';

/**
 * What a person can do about one finding, and the type of the event that records it. The name
 * begins the id of the event.
 */
export const REVIEW_COMMANDS = {
  claim: 'finding-claimed',
  release: 'finding-released',
  comment: 'finding-commented',
  video: 'finding-video-attached',
  hold: 'finding-video-hold-requested',
  held: 'finding-video-held',
  propose: 'finding-ruling-proposed',
  sign: 'finding-ruling-signed',
  refuse: 'finding-ruling-refused',
  'take-back': 'finding-ruling-taken-back',
  escalate: 'finding-escalated',
  reopen: 'finding-reopened',
} as const satisfies Readonly<Record<string, ReviewType>>;
/** The name of a command on a finding. */
export type ReviewCommand = keyof typeof REVIEW_COMMANDS;

/** A role in which somebody acts on findings. */
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** Somebody who may act on findings. */
export interface Reviewer {
  readonly person: string;
  /** Returns the roles of the account that may do this by the table of permissions, in order. */
  readonly rolesFor: (command: ReviewCommand) => readonly string[];
}

/**
 * Returns the role in which a person acts: the first that may do this, by the table of permissions
 * and by the policy that the act falls under. Where a finding went to a role that is among them, it
 * is that role. Returns undefined if no role may.
 */
export function actingRole(
  command: ReviewCommand,
  { person, rolesFor }: Reviewer,
  row: Pick<ReviewRead, 'escalated' | 'signedBy' | 'proposedBy'>,
  { may }: Policy['document'],
): ReviewerRole | undefined {
  const held = rolesFor(command).filter(isReviewerRole);
  const named = (list: readonly string[]): ReviewerRole[] =>
    held.filter((role) => list.includes(role));
  const first = (list: readonly string[]): ReviewerRole | undefined => {
    const roles = named(list);
    return roles.find((role) => role === row.escalated) ?? roles[0];
  };
  switch (command) {
    case 'propose':
      return first(may.propose);
    case 'sign':
    case 'refuse':
      return first(may.sign);
    case 'reopen':
      // who made a ruling final may reopen it for a short time, in any role: the fold decides
      return (
        named(may.reopen)[0] ?? (person === (row.signedBy ?? row.proposedBy) ? held[0] : undefined)
      );
    default:
      return held[0];
  }
}

const isReviewerRole = (role: string): role is ReviewerRole =>
  (REVIEWER_ROLES as readonly string[]).includes(role);
