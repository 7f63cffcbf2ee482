import { referenceOf, type EventOf, type ReviewEvent, type ReviewRole } from '../events/events.js';
import { timeOf } from '../events/time.js';
import type { Item, ReviewOutcome, Ruling } from './desk.js';
import { reviewerOf } from './evidence.js';
import { NEEDS, REVIEWER_ROLES, type Policy } from './policy.js';

/** Why an act on a finding took no effect. */
export const REFUSALS = [
  'idempotency-key-reused',
  'out-of-reach',
  'finding-withdrawn',
  'not-permitted',
  'already-ruled',
  'already-proposed',
  'nothing-proposed',
  'proposal-changed',
  'not-ruled',
  'ruling-changed',
  'coup-open',
  'conflict-of-interest',
  'same-person',
  'claimed-by-another',
  'not-claimed',
  'not-yours',
  'ruling-incomplete',
  'evidence-changed',
] as const;
/** What becomes of an act on a finding. */
export const REVIEW_OUTCOMES = ['taken', ...REFUSALS] as const;
/** Why an act on a finding took no effect. */
export type ReviewRefusal = (typeof REFUSALS)[number];

/** What decides about an act, apart from the item. */
export interface ReviewContext {
  /** Returns a review policy. Throws if it is not installed. */
  policy(ref: string): Policy;
  /** Returns who was involved in what the finding is about. */
  people(): readonly string[];
  /** Whether the coup that the finding is about is still open. */
  readonly isCoupOpen: boolean;
}

/** What an act leads to. */
export interface Decision {
  readonly outcome: ReviewOutcome;
  /** What changes of the item. */
  readonly change: Partial<Item>;
}

/**
 * Decides about an act on a finding: the first rule of its list that refuses it, else it is taken.
 * Looks, comments and video are never refused, whatever they name. Reads nothing but what it is
 * passed, so the fold and every other reader decide the same.
 */
export function arbitrate(
  item: Item | undefined,
  event: ReviewEvent,
  given: ReviewContext,
): Decision {
  if (!isDecided(event)) return { outcome: 'taken', change: {} };
  if (!item) return refused('out-of-reach');
  const act = { item, event, given, who: reviewerOf(event), at: timeOf(event.time) ?? 0 };
  const rules: readonly Rule[] = [withdrawn, ...RULES[event.type]];
  for (const rule of rules) {
    const refusal = rule(act);
    if (refusal) return refused(refusal);
  }
  return { outcome: 'taken', change: takenBy(act) };
}

const refused = (outcome: ReviewRefusal): Decision => ({ outcome, change: {} });

/** The types that the fold decides about. It only keeps the others. */
const DECIDED = [
  'finding-claimed',
  'finding-released',
  'finding-ruling-proposed',
  'finding-ruling-signed',
  'finding-ruling-refused',
  'finding-ruling-taken-back',
  'finding-escalated',
  'finding-reopened',
] as const;
type Decided = EventOf<(typeof DECIDED)[number]>;
type DecidedEvent = Extract<ReviewEvent, Decided>;

const isDecided = (event: ReviewEvent): event is DecidedEvent =>
  (DECIDED as readonly string[]).includes(event.type);

/** An act of a person on an item, at a time in milliseconds since 1970. */
interface Act {
  readonly item: Item;
  readonly event: DecidedEvent;
  readonly given: ReviewContext;
  readonly who: string;
  readonly at: number;
}
type Rule = (act: Act) => ReviewRefusal | false | undefined;

const withdrawn: Rule = ({ item }) => !item.standing && 'finding-withdrawn';
const isOneOf = (role: ReviewRole, roles: readonly string[]): boolean => roles.includes(role);
const notAReviewer: Rule = ({ event }) =>
  !isOneOf(event.data.as, REVIEWER_ROLES) && 'not-permitted';
const mayNotPropose: Rule = ({ event, given }) => {
  if (event.type !== 'finding-ruling-proposed') return undefined;
  const { document } = given.policy(event.data.policy);
  return !isOneOf(event.data.as, document.may.propose) && 'not-permitted';
};
const mayNotSign: Rule = ({ item: { proposal }, event, given }) =>
  proposal !== null &&
  !isOneOf(event.data.as, given.policy(proposal.policy).document.may.sign) &&
  'not-permitted';
const mayNotReopen: Rule = ({ item: { ruling }, event, given, who, at }) => {
  if (ruling === null) return undefined;
  const { may, undo } = given.policy(ruling.policy).document;
  const isOwn = (ruling.signedBy ?? ruling.proposedBy) === who && at - ruling.at <= undo * 1000;
  return !isOwn && !isOneOf(event.data.as, may.reopen) && 'not-permitted';
};
const alreadyRuled: Rule = ({ item }) => item.state === 'ruled' && 'already-ruled';
const alreadyProposed: Rule = ({ item }) => item.state === 'proposed' && 'already-proposed';
const nothingProposed: Rule = ({ item }) => item.proposal === null && 'nothing-proposed';
const proposalChanged: Rule = ({ item, event }) =>
  'proposal' in event.data && event.data.proposal !== item.proposal?.ref && 'proposal-changed';
const escalatedToAnother: Rule = ({ item, event }) =>
  item.escalated !== null && event.data.as !== item.escalated && 'not-permitted';
const notRuled: Rule = ({ item }) => item.ruling === null && 'not-ruled';
const rulingChanged: Rule = ({ item, event }) =>
  'ruling' in event.data && event.data.ruling !== item.ruling?.ref && 'ruling-changed';
const coupOpen: Rule = ({ given }) => given.isCoupOpen && 'coup-open';
const involved: Rule = ({ given, who }) => given.people().includes(who) && 'conflict-of-interest';
const ownProposal: Rule = ({ item, who }) => item.proposal?.by === who && 'same-person';
const claimedByAnother: Rule = ({ item: { claim }, who, at }) =>
  claim !== null && claim.by !== who && claim.until > at && 'claimed-by-another';
const notClaimed: Rule = ({ item, who }) => item.claim?.by !== who && 'not-claimed';
const claimOfAnother: Rule = ({ item, who }) => item.claim?.by !== who && 'not-yours';
const proposalOfAnother: Rule = ({ item, who }) => item.proposal?.by !== who && 'not-yours';
const incomplete: Rule = ({ event, given }) =>
  event.type === 'finding-ruling-proposed' &&
  missingIn(event, given).length > 0 &&
  'ruling-incomplete';
const evidenceChanged: Rule = ({ item, event }) => {
  if (!('evidence' in event.data)) return undefined;
  const { evidence } = event.data;
  const proposed = item.proposal?.evidence ?? evidence;
  return (evidence !== item.evidence || evidence !== proposed) && 'evidence-changed';
};

const ON_PROPOSAL: readonly Rule[] = [
  notAReviewer,
  mayNotSign,
  alreadyRuled,
  nothingProposed,
  proposalChanged,
  escalatedToAnother,
  ownProposal,
  involved,
  claimedByAnother,
];

/** What each act is refused for, in the order in which it is asked. */
const RULES: { readonly [T in DecidedEvent['type']]: readonly Rule[] } = {
  'finding-claimed': [notAReviewer, alreadyRuled, involved, ownProposal, claimedByAnother],
  'finding-released': [notAReviewer, claimOfAnother],
  'finding-ruling-proposed': [
    notAReviewer,
    mayNotPropose,
    alreadyRuled,
    alreadyProposed,
    coupOpen,
    involved,
    notClaimed,
    incomplete,
    evidenceChanged,
  ],
  'finding-ruling-signed': [...ON_PROPOSAL, evidenceChanged],
  'finding-ruling-refused': ON_PROPOSAL,
  'finding-ruling-taken-back': [
    notAReviewer,
    alreadyRuled,
    nothingProposed,
    proposalChanged,
    proposalOfAnother,
  ],
  'finding-escalated': [notAReviewer, alreadyRuled],
  'finding-reopened': [notAReviewer, mayNotReopen, notRuled, rulingChanged, involved],
};

/** Returns the fields that the disposition of a proposal needs and that are missing. */
export function missingIn(
  { data }: EventOf<'finding-ruling-proposed'>,
  { policy }: Pick<ReviewContext, 'policy'>,
): string[] {
  const { needs = [] } = policy(data.policy).dispositions.get(data.disposition) ?? {};
  return NEEDS.filter((need) => needs.includes(need))
    .flatMap((need) => (need === 'amount' ? ['amount', 'favours'] : [need]))
    .filter((field) => data[field as keyof typeof data] === undefined);
}

const OPEN = { state: 'open', proposal: null } as const;

/** Returns what an act that is not refused changes of its item. */
function takenBy({ item, event, given, who, at }: Act): Partial<Item> {
  const ref = referenceOf(event);
  switch (event.type) {
    case 'finding-claimed':
      return { claim: { by: who, until: at + event.data.lease * 1000 }, sought: true };
    case 'finding-released':
      return { claim: null };
    case 'finding-ruling-proposed': {
      const { disposition, evidence, policy } = event.data;
      if (!needsTwo(item, event, given))
        return ruledBy({ ref, proposedBy: who, signedBy: null, disposition, evidence, policy, at });
      const proposal = { ref, by: who, disposition, evidence, policy };
      return { state: 'proposed', proposal, claim: null, stale: false };
    }
    case 'finding-ruling-signed': {
      const {
        by: proposedBy,
        disposition,
        evidence,
        policy,
      } = item.proposal as NonNullable<Item['proposal']>;
      return ruledBy({ ref, proposedBy, signedBy: who, disposition, evidence, policy, at });
    }
    case 'finding-ruling-refused':
      return { ...OPEN, claim: null };
    case 'finding-ruling-taken-back':
      return OPEN;
    case 'finding-escalated':
      return { escalated: event.data.to, claim: null };
    case 'finding-reopened':
      return {
        ...{ ...OPEN, claim: null, ruling: null },
        ...{ escalated: null, regressed: true, touched: false },
      };
  }
}

const ruledBy = (ruling: Ruling): Partial<Item> => ({
  state: 'ruled',
  ruling,
  proposal: null,
  claim: null,
  stale: false,
  regressed: false,
  touched: false,
});

/**
 * Returns whether a ruling needs a second person: because the finding was escalated to another role
 * than that of the ruling, by the finding's severity or code, by its disposition, or by the greater
 * of the amounts that the fault moved and that the ruling names. An amount in a currency for which
 * the policy names no threshold needs two.
 */
export function needsTwo(
  item: Pick<Item, 'severity' | 'code' | 'amount' | 'currency' | 'escalated'>,
  { data }: EventOf<'finding-ruling-proposed'>,
  { policy }: Pick<ReviewContext, 'policy'>,
): boolean {
  const { severity, code, amount, currency, escalated } = item;
  if (escalated !== null && data.as !== escalated) return true;
  const { two } = policy(data.policy).document;
  if (two.severities.includes(severity) || two.codes.includes(code)) return true;
  if (two.dispositions.includes(data.disposition)) return true;
  const greater = Math.max(amount, data.amount ?? 0);
  const from = currency === null ? undefined : two.from[currency];
  return greater > 0 && (from === undefined || greater >= from);
}
