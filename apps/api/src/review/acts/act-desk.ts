import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import {
  arbitrate,
  missingIn,
  type EventOf,
  type Policy,
  type ReviewEvent,
  type ReviewOutcome,
  type ReviewRefusal,
} from '#audit';
import { pointerTo } from '#baccarat';
import {
  actingRole,
  itemOf,
  REVIEW_COMMANDS,
  reviewOf,
  type ActLine,
  type FindingAtHand,
  type ReviewCommand,
} from '#read-model';
import { actorOf, type Identity } from '../../identity/identity.js';
import { Problem, type RequestFault } from '../../problems/problems.js';
import { LOG_POSITION } from '../../reading/positions.js';
import { ApiSettings } from '../../settings/api-settings.js';
import { policyInForce } from '../../settings/rules-of-server.js';
import { InstalledRules } from '../../settings/tokens.js';
import { ActLog, type ActEvent } from './act-log.js';
import { bodyOf, fieldsOf, reviewerIn } from './commands.js';

/** A command on a finding, with what its event holds apart from `finding` and `as`. */
export interface FindingCommand {
  readonly command: ReviewCommand;
  readonly by: Identity;
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Knows the review policy in force, and what the rows say about an act before it is appended. */
@Injectable()
export class ActDesk {
  readonly policy: Policy;

  constructor(
    private readonly installed: InstalledRules,
    settings: ApiSettings,
    private readonly log: ActLog,
  ) {
    this.policy = policyInForce(installed.book, settings.policy);
  }

  /**
   * Returns the event of a command on a finding. Throws `invalid-request`, `too-large` or
   * `not-permitted` if nobody, or nobody in this account, can do that.
   */
  event({ command, by, key, data }: FindingCommand, row: FindingAtHand): ActEvent {
    const { document } = this.policyOf(command === 'propose' ? null : row.policy);
    const as = actingRole(command, reviewerIn(by), row, document);
    if (as === undefined)
      throw new Problem('not-permitted', 'the review policy lets no role of this account do this');
    return this.log.make({
      ...{ type: REVIEW_COMMANDS[command], by, id: actId(command, row.id, key) },
      table: row.body.table,
      data: { ...data, finding: row.id, as },
    });
  }

  /** Returns what becomes of an act, as far as the rows can say. */
  foreseen(event: ReviewEvent, row: FindingAtHand, item = itemOf(row)): Foreseen {
    const { isCoupOpen, people } = row;
    return arbitrate(item, event, {
      policy: (ref) => this.policyOf(ref),
      people: () => people,
      isCoupOpen,
    });
  }

  /** Returns the fields that a proposal misses, by JSON pointer. */
  missing(event: EventOf<'finding-ruling-proposed'>): RequestFault[] {
    const { disposition } = event.data;
    return missingIn(event, { policy: (ref) => this.policyOf(ref) }).map((field) => ({
      pointer: `/${field}`,
      reason: `is required by the disposition ${disposition}`,
    }));
  }

  /** Throws `policy-superseded` if a policy is installed and not the one in force. */
  requireInForce(ref: unknown): void {
    if (ref === this.policy.ref || !this.installed.book.policies.has(ref as string)) return;
    throw new Problem('policy-superseded', `the review policy in force is ${this.policy.ref}`);
  }

  /** The auditor stops at a policy that is not installed; here the one in force stands in. */
  private policyOf(ref: string | null): Policy {
    return this.installed.book.policies.get(ref ?? '') ?? this.policy;
  }
}

type Foreseen = ReturnType<typeof arbitrate>;

/** Returns the id of an act. */
export const actId = (verb: string, finding: string, key: string): string =>
  `${verb}/${finding}/${key}`;

/** Returns the reference of an act. */
export const actRef = (by: Identity, verb: string, finding: string, key: string): string =>
  `${actorOf(by)}#${actId(verb, finding, key)}`;

/** Throws `invalid-request` for each field that the body of a command does not have. */
export function requireKnownFields(command: ReviewCommand, body: object): void {
  const known = fieldsOf(command);
  const errors = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => ({ pointer: pointerTo('', name), reason: `is not a field of ${command}` }));
  if (errors.length > 0) throw new Problem('invalid-request', undefined, { errors });
}

/** Returns whether an act has this body. What the server added does not count. */
export const hasBody = ({ data }: Pick<ActLine, 'data'>, body: object): boolean =>
  isDeepStrictEqual(bodyOf(data), bodyOf(body));

/** Returns whether the rows are enough to refuse an act that was not appended. */
export const isRefusedByRows = (outcome: ReviewOutcome): outcome is ReviewRefusal =>
  outcome === 'already-ruled' || outcome === 'claimed-by-another';

/** Returns the problem of a refusal. `at` is where the log has it, if it does. */
export const refusalOf = (
  outcome: ReviewRefusal,
  person: string,
  row: FindingAtHand,
  { at, errors }: { readonly at?: string; readonly errors?: readonly RequestFault[] } = {},
): Problem =>
  new Problem(outcome, undefined, {
    review: reviewOf(row, person),
    ...(errors && errors.length > 0 && { errors }),
    ...(at !== undefined && { headers: { [LOG_POSITION]: at } }),
  });
