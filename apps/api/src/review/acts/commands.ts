import { SHAPES } from '#audit';
import { REVIEW_COMMANDS, type Reviewer, type ReviewCommand } from '#read-model';
import type { Identity } from '../../identity/identity.js';
import { permitted, type Permission } from '../../identity/permissions.js';

/** Returns the permission that a command on a finding needs. */
export const permissionFor = (command: ReviewCommand): Permission =>
  command === 'held' ? 'hold-video' : 'review-findings';

/** Returns who acts with an identity. A wall display may do nothing. */
export const reviewerIn = ({ person, roles }: Pick<Identity, 'person' | 'roles'>): Reviewer => ({
  person: person?.id ?? '',
  rolesFor: (command) =>
    person?.wallDisplay ? [] : roles.filter((role) => permitted(permissionFor(command), [role])),
});

/** The fields that the server writes, whatever the command. */
const OURS: readonly string[] = ['finding', 'as', 'confirmed', 'batch'];

/** Returns the fields of a command's body. */
export const fieldsOf = (command: ReviewCommand): string[] =>
  Object.keys(SHAPES[REVIEW_COMMANDS[command]].fields).filter((name) => !OURS.includes(name));

/** Returns the part of an act's data that the body of its command had. */
export const bodyOf = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !OURS.includes(name)));
