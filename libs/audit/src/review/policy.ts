import type { FindingCode } from '../findings/catalogue.js';

/** What people can decide about a finding. docs/reviewing.md explains each code. */
export const DISPOSITIONS = [
  'no-error',
  'dealer-error-corrected',
  'dealer-error-uncorrected',
  'payout-error',
  'commission-error',
  'device-misread',
  'device-gap',
  'procedure-breach',
  'suspected-collusion',
  'duplicate',
  'test-round',
] as const;
/** The code of a disposition. */
export type DispositionCode = (typeof DISPOSITIONS)[number];

/** What a ruling can be required to state. An amount comes with whom it favored. */
export const NEEDS = ['note', 'amount', 'video'] as const;

/** A disposition as a policy has it. */
interface PolicyDisposition {
  readonly code: DispositionCode;
  /** What a ruling with this disposition must state. */
  readonly needs: readonly (typeof NEEDS)[number][];
  /** Whether the finding counts in the dealers report when only counted findings are asked for. */
  readonly counts: boolean;
}
// A finding has a disposition too: what the rules prescribe. Only here is the short name clear.
export type { PolicyDisposition as Disposition };

/** The roles that a policy may name in `may`. */
export const REVIEWER_ROLES = ['pit-boss', 'surveillance', 'compliance'] as const;

/** A review policy as published: rules/policies/review@n.json. Durations are in seconds. */
export interface PolicyDocument {
  readonly id: 'review';
  readonly version: number;
  readonly title: string;
  /** How long a claim lasts that is not renewed. */
  readonly lease: number;
  /** How long the person who made a ruling final may reopen it without being in `may.reopen`. */
  readonly undo: number;
  /** How long a finding may wait for its ruling, by severity. */
  readonly due: Readonly<Record<'1' | '2' | '3' | '4', number>>;
  /** How long video is kept, and how much of it around a coup a reviewer needs. */
  readonly video: { readonly kept: number; readonly before: number; readonly after: number };
  /** The roles that may propose, sign and reopen. */
  readonly may: {
    readonly propose: readonly string[];
    readonly sign: readonly string[];
    readonly reopen: readonly string[];
  };
  /** When a ruling needs a second person. Any one of these is enough. */
  readonly two: {
    readonly severities: readonly number[];
    readonly codes: readonly FindingCode[];
    readonly dispositions: readonly DispositionCode[];
    /**
     * By currency, the amount in minor units from which on two persons are needed. An amount in a
     * currency that is not here always needs two.
     */
    readonly from: Readonly<Record<string, number>>;
  };
  readonly dispositions: readonly PolicyDisposition[];
}

/** A policy ready for judging. */
export interface Policy {
  /** `review@1` */
  readonly ref: string;
  /** The SHA-256 of the file. */
  readonly hash: string;
  /** The file, byte for byte. Empty if the policy did not come from a file. */
  readonly text: string;
  readonly document: PolicyDocument;
  readonly dispositions: ReadonlyMap<string, PolicyDisposition>;
}

/** Returns a policy that `lintPolicy` accepts, ready for judging. */
export const readPolicy = (document: PolicyDocument, hash: string, text = ''): Policy => ({
  ref: `${document.id}@${document.version}`,
  hash,
  text,
  document,
  dispositions: new Map(document.dispositions.map((each) => [each.code, each])),
});
