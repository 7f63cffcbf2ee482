import {
  arbitrate,
  needsTwo,
  REVIEWER_ROLES,
  timeOf,
  type Item,
  type Policy,
  type ReviewEvent,
  type ReviewRefusal,
  type RuleBook,
} from '#audit';
import type { FindingRow } from '../entities/index.js';
import {
  actingRole,
  REVIEW_COMMANDS,
  type ReviewCommand,
  type Reviewer,
  type ReviewerRole,
} from './commands.js';
import type { ReviewRead } from './review.js';

/** For each command `true`, or what it would be refused for. */
export type May = Readonly<Record<ReviewCommand, true | ReviewRefusal>>;

/** The policies, and the time at which somebody may act, in milliseconds since 1970. */
export interface ReviewSetting {
  readonly policies: RuleBook['policies'];
  readonly inForce: Policy;
  readonly now: number;
}

/** A row of `finding` as far as rules about acts ask it, with what they ask of its coup. */
export type Reviewable = ReviewRead &
  Pick<FindingRow, 'id' | 'code' | 'severity' | 'impactAmount' | 'shoeRef' | 'coupRef' | 'seat'> &
  Pick<FindingRow, 'withdrawnBecause'> & {
    readonly currency: string | null;
    readonly isCoupOpen: boolean;
  };

/**
 * Returns whether a ruling of a person on this finding needs two persons, or whether the ruling
 * needed two. Before there is a proposal, the disposition is not known: this is what severity,
 * code, impact and an escalation say.
 */
export function isForTwo(
  row: Reviewable,
  who: Reviewer,
  { policies, inForce }: ReviewSetting,
): boolean {
  if (row.proposal !== null) return true;
  if (row.ruling !== null) return row.signedBy !== null;
  const { two, dispositions } = inForce.document;
  const plain = dispositions.find(({ code }) => !two.dispositions.includes(code));
  if (!plain) return true;
  const as = actingRole('propose', who, row, inForce.document);
  const event = { data: { as, policy: inForce.ref, disposition: plain.code } };
  return needsTwo(itemOf(row), event as Parameters<typeof needsTwo>[1], {
    policy: policyIn(policies),
  });
}

/**
 * Returns what each command of a person would lead to if it were decided now, by the rows. The fold
 * decides by the log, so this is a hint. A proposal is asked about as if it were complete.
 */
export function mayOf(row: Reviewable, who: Reviewer, setting: ReviewSetting): May {
  const item = row.lapsed ? undefined : itemOf(row);
  const given = {
    policy: policyIn(setting.policies),
    people: () => row.people,
    isCoupOpen: row.isCoupOpen,
  };
  const decided = (command: ReviewCommand): true | ReviewRefusal => {
    const named =
      command === 'propose' || row.policy === null ? setting.inForce : given.policy(row.policy);
    const as = actingRole(command, who, row, named.document);
    if (as === undefined) return 'not-permitted';
    const { outcome } = arbitrate(item, actOf(command, row, { as, ...who }, setting), given);
    return outcome === 'taken' || outcome;
  };
  return Object.fromEntries(
    Object.keys(REVIEW_COMMANDS).map((command) => [command, decided(command as ReviewCommand)]),
  ) as May;
}

function policyIn(policies: RuleBook['policies']): (ref: string) => Policy {
  return (ref) => {
    const policy = policies.get(ref);
    if (!policy) throw new Error(`the review policy ${ref} is not installed`);
    return policy;
  };
}

/** Returns the event that a command would append. */
function actOf(
  command: ReviewCommand,
  row: Reviewable,
  { as, person }: Pick<Reviewer, 'person'> & { readonly as: ReviewerRole },
  { inForce: { document, ref: policy }, now }: ReviewSetting,
): ReviewEvent {
  const data = {
    ...{ finding: row.id, as },
    ...{ evidence: row.evidence, proposal: row.proposal ?? '', ruling: row.ruling ?? '' },
    ...{ lease: document.lease, policy, disposition: document.dispositions[0]?.code },
    ...{ note: '-', amount: 1, favours: 'house', video: '-', reason: '-', to: REVIEWER_ROLES[0] },
  };
  return {
    type: REVIEW_COMMANDS[command],
    source: `person/${person}`,
    id: command,
    time: new Date(now).toISOString(),
    data,
  } as unknown as ReviewEvent;
}

/** Returns the item of the desk that a row was written from, as far as the rows have it. */
export function itemOf(row: Reviewable): Item {
  const { id, code, severity, currency, shoeRef, coupRef, seat, policy, evidence } = row;
  const { claimedBy, claimedUntil, proposal, ruling, proposedBy, signedBy, ruledAt } = row;
  const { escalated, stale, regressed, touched, review: state, people } = row;
  // a proposal falls when the evidence becomes another, so it rests on what the row has
  const decided = { disposition: row.disposition, policy, evidence: evidence ?? '' };
  return {
    ...{ id, code, severity, amount: row.impactAmount ?? 0, currency, shoeRef, coupRef, seat },
    ...{ standing: row.withdrawnBecause === null, content: 0, state },
    ...{ escalated, stale, regressed, touched, evidence, people, sought: evidence !== null },
    claim: claimedBy === null ? null : { by: claimedBy, until: timeOf(claimedUntil as string) },
    proposal: proposal === null ? null : { ref: proposal, by: proposedBy, ...decided },
    ruling:
      ruling === null
        ? null
        : { ref: ruling, proposedBy, signedBy, at: timeOf(ruledAt as string), ...decided },
  } as Item;
}
