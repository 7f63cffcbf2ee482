import type { EventData, ReviewRole, ReviewType } from '../../events/events.js';
import { CATALOGUE, type CodeFacts, type FindingCode } from '../../findings/catalogue.js';
import type { ReviewRefusal } from '../../review/arbitrate.js';
import type { Item, ReviewOutcome } from '../../review/desk.js';
import { NEEDS, type Policy, type Disposition } from '../../review/policy.js';
import type { Random } from '../random.js';
import type { ActData, DeskLog, ReviewPerson } from './desk-log.js';

/** How far the review of a finding has come. */
export type ReviewStage = 'open' | 'claimed' | 'proposed' | 'ruled';

type Proposed = EventData['finding-ruling-proposed'];

/** What a case is about, and what must happen in it. */
export interface CaseGiven {
  readonly log: DeskLog;
  readonly random: Random;
  readonly policy: Policy;
  readonly finding: string;
  /** Somebody of the game who was involved; undefined if nobody is known. */
  readonly involved: string | undefined;
  /** Refusals to cause. Each is taken off the list when its act is written. */
  readonly wrongs: ReviewRefusal[];
  /** Whether every ruling must wait for a second person, whatever the finding. */
  readonly needsTwo: boolean;
}

/** One finding and the people who work on it: what they see, and what they can do about it. */
export class Case {
  readonly finding: string;
  readonly log: DeskLog;
  readonly random: Random;
  readonly policy: Policy;
  readonly involved: string | undefined;
  readonly wrongs: ReviewRefusal[];
  readonly proposer: ReviewPerson;
  /** The key of the proposer's last claim; empty before the first. */
  claimKey = '';
  /** The reference of a request to hold video, which surveillance has not answered yet. */
  request: string | null = null;
  private readonly numbers: readonly [number, number, number];
  private readonly signs: ReviewRole;

  constructor(private readonly given: CaseGiven) {
    const { random, policy } = given;
    ({
      finding: this.finding,
      log: this.log,
      random: this.random,
      policy: this.policy,
      involved: this.involved,
      wrongs: this.wrongs,
    } = given);
    // nobody has two of these numbers, so no role makes two of these people one
    this.numbers = [random.between(1, 4), random.between(5, 8), random.between(9, 12)];
    const { may } = policy.document;
    this.proposer = this.person(0, random.pick(may.propose));
    this.signs = random.pick(may.sign) as ReviewRole;
  }

  /** Returns the item on the desk; undefined if nothing can be done about the finding any more. */
  get item(): Item | undefined {
    const item = this.log.item(this.finding);
    return item?.standing ? item : undefined;
  }

  /** Returns how far the review has come; undefined while the people of this case must wait. */
  stage(item: Item): ReviewStage | undefined {
    const { claim, state } = item;
    const holder = claim !== null && claim.until > this.log.now ? claim.by : null;
    if (state === 'ruled') return 'ruled';
    if (state === 'proposed')
      return holder === null || holder === this.signer(item).name ? 'proposed' : undefined;
    if (this.log.isCoupOpen(item)) return undefined;
    if (holder === null) return 'open';
    if (holder !== this.proposer.name) return undefined;
    return this.claimKey === '' ? 'open' : 'claimed';
  }

  /** Returns who signs: in the role to which the finding was escalated, if it was. */
  signer({ escalated }: Item): ReviewPerson {
    return this.person(1, escalated ?? this.signs);
  }

  /** Returns somebody who neither proposes nor signs. */
  other(role: string): ReviewPerson {
    return this.person(2, role);
  }

  /** Returns the proposer in a role that may sign. */
  proposerWhoSigns({ escalated, proposal }: Item): ReviewPerson {
    const { sign } = this.policy.document.may;
    const { as } = this.proposer;
    const role = escalated ?? (sign.includes(as) ? as : (sign[0] as ReviewRole));
    return { name: proposal?.by ?? this.proposer.name, as: role };
  }

  /** Does something about the finding. Returns the key of the act. */
  act<T extends ReviewType>(
    who: ReviewPerson,
    type: T,
    data: ActData<T>,
    { outcome = 'taken', key }: { readonly outcome?: ReviewOutcome; readonly key?: string } = {},
  ): string {
    const about = { finding: this.finding, ...data };
    return this.log.act({ who, type, data: about, outcome, key });
  }

  /** Returns a proposal that states what its disposition needs. */
  proposal({ code, amount, currency, evidence }: Item): ActData<'finding-ruling-proposed'> {
    const { random, policy } = this;
    const { code: disposition, needs } = this.disposition(code);
    const from = policy.document.two.from[currency ?? ''] ?? 1;
    const sum = this.given.needsTwo
      ? Math.max(from, amount)
      : amount || 100 * random.between(1, 500);
    const money = { amount: sum, favours: random.pick(['house', 'patron'] as const) };
    return {
      ...{ disposition, policy: policy.ref, evidence: evidence as string },
      ...(needs.includes('note') || random.chance(40) ? { note: 'seen on video' } : undefined),
      ...(needs.includes('amount') || this.given.needsTwo ? money : undefined),
      ...(needs.includes('video')
        ? { video: `recording-${random.between(1000, 9999)}` }
        : undefined),
    } satisfies Omit<Proposed, 'finding' | 'as'>;
  }

  /** Returns what a signature or refusal names of the proposal that waits. */
  waiting({ proposal }: Item): { readonly proposal: string; readonly evidence: string } {
    const { ref, evidence } = proposal as NonNullable<Item['proposal']>;
    return { proposal: ref, evidence };
  }

  private person(nth: 0 | 1 | 2, role: string): ReviewPerson {
    return { name: `${role}-${this.numbers[nth]}`, as: role as ReviewRole };
  }

  /** Returns a disposition that people usually choose for a code, if the policy has one. */
  private disposition(code: FindingCode): Disposition {
    const { dispositions } = this.policy.document;
    const usual = usualFor(CATALOGUE[code]);
    const fitting = dispositions.filter((each) => usual.includes(each.code));
    return this.random.pick(fitting.length > 0 && this.random.chance(75) ? fitting : dispositions);
  }
}

/** Returns the dispositions that explain most findings of a code. */
function usualFor({ about, reports, withBets, onCorrection }: CodeFacts): readonly string[] {
  if (about === 'device') return ['device-gap', 'device-misread'];
  if (about === 'person') return ['procedure-breach'];
  if (reports.includes('payouts')) return ['payout-error'];
  // of what bets owe, commission alone adds up over a shoe
  if (withBets && onCorrection === 'shoe') return ['commission-error'];
  return ['dealer-error-corrected', 'dealer-error-uncorrected'];
}

/** Returns a disposition of a policy that must state something; undefined if it has none. */
export const needyDisposition = ({ document }: Policy): Disposition | undefined =>
  document.dispositions.find(({ needs }) => NEEDS.some((need) => needs.includes(need)));

/** Returns the reference of a person's act. */
export const actReference = (
  who: ReviewPerson,
  verb: string,
  finding: string,
  key: string,
): string => `person/${who.name}#${verb}/${finding}/${key}`;
