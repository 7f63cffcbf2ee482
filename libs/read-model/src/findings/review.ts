import type { FindingRow } from '../entities/index.js';

/** The fields of a row of `finding` that say where its review stands. */
export const REVIEW_FIELDS = [
  'review',
  'claimedBy',
  'claimedUntil',
  'proposal',
  'proposedBy',
  'disposition',
  'policy',
  'ruling',
  'signedBy',
  'ruledAt',
  'counts',
  'escalated',
  'stale',
  'regressed',
  'touched',
  'lapsed',
  'evidence',
] as const;

/** Where the review of a finding stands. */
export interface Review extends Pick<
  FindingRow,
  'counts' | 'escalated' | 'stale' | 'regressed' | 'touched' | 'lapsed' | 'evidence'
> {
  readonly state: FindingRow['review'];
  /** Who holds it; a claim may have run out. */
  readonly claim: { readonly by: string; readonly until: string } | null;
  /** The ruling that waits for a second person, by the reference of its event. */
  readonly proposal: (Decided & { readonly by: string }) | null;
  /** The final ruling, by the reference of the event that made it final. */
  readonly ruling:
    | (Decided & {
        readonly proposedBy: string;
        /** Null if the policy asked for one person only. */
        readonly signedBy: string | null;
        readonly at: string;
      })
    | null;
}

interface Decided {
  readonly ref: string;
  readonly disposition: NonNullable<FindingRow['disposition']>;
  readonly policy: string;
}

/** A row of `finding` with the fields of its review. */
export type ReviewRead = Pick<FindingRow, (typeof REVIEW_FIELDS)[number]>;

/** Returns the review of a finding as answers show it. */
export function reviewOf(row: ReviewRead): Review {
  const { review: state, counts, escalated, stale, regressed, touched, lapsed, evidence } = row;
  const { claimedBy, claimedUntil, proposal, ruling, proposedBy, signedBy, ruledAt } = row;
  const decided = { disposition: row.disposition, policy: row.policy } as Omit<Decided, 'ref'>;
  return {
    state,
    claim: claimedBy === null ? null : { by: claimedBy, until: claimedUntil as string },
    proposal: proposal === null ? null : { ref: proposal, by: proposedBy as string, ...decided },
    ruling:
      ruling === null
        ? null
        : {
            ref: ruling,
            proposedBy: proposedBy as string,
            signedBy,
            ...decided,
            at: ruledAt as string,
          },
    ...{ counts, escalated, stale, regressed, touched, lapsed, evidence },
  };
}
