import { SHAPES, type ReviewType } from '#audit';
import type { Permission } from '../identity/permissions.js';

interface FindingCommand {
  /** The type of the event that it appends. */
  readonly type: ReviewType;
  readonly needs: Permission;
}

/** What a person can do about one finding. The name begins the id of the event. */
export const COMMANDS = {
  claim: { type: 'finding-claimed', needs: 'review-findings' },
  release: { type: 'finding-released', needs: 'review-findings' },
  comment: { type: 'finding-commented', needs: 'review-findings' },
  video: { type: 'finding-video-attached', needs: 'review-findings' },
  hold: { type: 'finding-video-hold-requested', needs: 'review-findings' },
  held: { type: 'finding-video-held', needs: 'hold-video' },
  propose: { type: 'finding-ruling-proposed', needs: 'review-findings' },
  sign: { type: 'finding-ruling-signed', needs: 'review-findings' },
  refuse: { type: 'finding-ruling-refused', needs: 'review-findings' },
  'take-back': { type: 'finding-ruling-taken-back', needs: 'review-findings' },
  escalate: { type: 'finding-escalated', needs: 'review-findings' },
  reopen: { type: 'finding-reopened', needs: 'review-findings' },
} as const satisfies Readonly<Record<string, FindingCommand>>;
/** The name of a command on a finding. */
export type CommandName = keyof typeof COMMANDS;

/** The fields that the server writes, whatever the command. */
const OURS: readonly string[] = ['finding', 'as', 'confirmed', 'batch'];

/** Returns the fields of a command's body. */
export const fieldsOf = (command: CommandName): string[] =>
  Object.keys(SHAPES[COMMANDS[command].type].fields).filter((name) => !OURS.includes(name));

/** Returns the part of an act's data that the body of its command had. */
export const bodyOf = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !OURS.includes(name)));
