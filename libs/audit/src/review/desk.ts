import type { FindingCode, Severity } from '../findings/catalogue.js';
import type { ReviewEvent } from '../events/events.js';
import type { REVIEWER_ROLES, DispositionCode } from './policy.js';
import type { ReviewRefusal } from './arbitrate.js';
import type { ShoeEvidence } from './evidence.js';
import { forgetOldest } from '../forget-oldest.js';

/** Findings that a table's desk holds, apart from those of the shoes within reach. */
export const DESK_MAX = 4096;
/** Acts remembered of each table, so that a repeat is known. */
const ACTS_MAX = 4096;
/** People remembered as involved in what a finding is about. */
export const PEOPLE_MAX = 256;

/** Who holds a finding, and until when, in milliseconds since 1970. */
interface Claim {
  readonly by: string;
  readonly until: number;
}

/** A ruling that waits for a second person. */
interface Proposal {
  /** The reference of its event. */
  readonly ref: string;
  readonly by: string;
  readonly disposition: DispositionCode;
  readonly evidence: string;
  readonly policy: string;
}

/** A final ruling. */
export interface Ruling {
  /** The reference of the event that made it final. */
  readonly ref: string;
  readonly proposedBy: string;
  /** Null if the policy asked for one person only. */
  readonly signedBy: string | null;
  readonly disposition: DispositionCode;
  readonly evidence: string;
  readonly policy: string;
  /** When it became final, in milliseconds since 1970. */
  readonly at: number;
}

/** Where the review of a finding can stand. */
export const REVIEW_STATES = ['open', 'proposed', 'ruled'] as const;

/** Where the review of one finding stands. */
export interface Item {
  readonly id: string;
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What the fault moved, in minor units. */
  readonly amount: number;
  /** The currency of the shoe; null if the finding is about no shoe within reach. */
  readonly currency: string | null;
  readonly shoeRef: string | null;
  readonly coupRef: string | null;
  /** The seat whose money it is about; null if it is about none. */
  readonly seat: number | null;
  /** Whether the finding is in force. */
  readonly standing: boolean;
  /** A digest of the finding, which tells whether it was amended. */
  readonly content: number;
  readonly state: (typeof REVIEW_STATES)[number];
  readonly claim: Claim | null;
  readonly proposal: Proposal | null;
  readonly ruling: Ruling | null;
  /** The role that alone may sign. */
  readonly escalated: (typeof REVIEWER_ROLES)[number] | null;
  /** A proposal fell because of what happened in the game. */
  readonly stale: boolean;
  /** It had been ruled, and is open again. */
  readonly regressed: boolean;
  /** Its coup changed after the ruling, and the finding did not. */
  readonly touched: boolean;
  /** Whether somebody has claimed it, so that its evidence is kept up. */
  readonly sought: boolean;
  /** The SHA-256 of its evidence; null before the first claim and while its coup is open. */
  readonly evidence: string | null;
  /** Who was involved; null while its shoe is within reach, when it is asked of the shoe. */
  readonly people: readonly string[] | null;
}

/** What became of an act on a finding: it took effect, or why it did not. */
export type ReviewOutcome = 'taken' | ReviewRefusal;

/** An act that was heard: a digest of its type and data, and what became of it. */
export interface HeardAct {
  readonly digest: number;
  readonly outcome: ReviewOutcome;
}

/** What was last seen of what a finding rests on. */
export interface LastSeen {
  /** Its coup: whether it is over, where it ends, and how many later events changed it. */
  readonly coup: string;
  /** The entries in the journal of its shoe. */
  readonly entries: number;
  /** Who is involved; null until that was asked. */
  readonly people: readonly string[] | null;
}

/** The findings of a table under review, by id in the order in which they were raised. */
export interface Desk {
  readonly items: Map<string, Item>;
  /** The last acts, by reference. */
  readonly acts: Map<string, HeardAct>;
  /** Findings of shoes within reach whose evidence is kept up. Never saved. */
  readonly watched: Map<string, LastSeen>;
  /** How far the journal of each shoe within reach was looked through for that. Never saved. */
  readonly looked: Map<string, number>;
  /** How many items are of no shoe within reach. Never saved. */
  final: number;
  /** What findings of a shoe rest on, until the next event of the game. Never saved. */
  behind: ShoeEvidence | null;
}

/** Returns the desk of a table without findings. */
export const newDesk = (): Desk => ({
  items: new Map(),
  acts: new Map(),
  watched: new Map(),
  looked: new Map(),
  final: 0,
  behind: null,
});

/** Remembers an act, and forgets the oldest if there are many. */
export function rememberAct(desk: Desk, reference: string, act: HeardAct): void {
  desk.acts.set(reference, act);
  forgetOldest(desk.acts, ACTS_MAX);
}

/**
 * Takes items off a desk that holds too many, and returns them: withdrawn ones first, then those
 * ruled longest ago, then the oldest of the least severity. Those of shoes within reach stay, and
 * they alone may make the desk greater than its limit.
 */
export function clearDesk(desk: Desk): Item[] {
  const { items } = desk;
  const gone: Item[] = [];
  while (items.size > DESK_MAX && desk.final > 0) {
    let first: Item | undefined;
    for (const item of items.values())
      if (item.people !== null && (!first || goesBefore(item, first))) first = item;
    if (!first) break;
    items.delete(first.id);
    desk.final -= 1;
    gone.push(first);
  }
  return gone;
}

/** Returns whether an item leaves a full desk before another that was raised earlier. */
function goesBefore(item: Item, other: Item): boolean {
  const [rank, otherRank] = [rankOf(item), rankOf(other)];
  if (rank !== otherRank) return rank < otherRank;
  if (rank === RULED) return (item.ruling?.at ?? 0) < (other.ruling?.at ?? 0);
  return rank === WAITING && item.severity > other.severity;
}

const [WITHDRAWN, RULED, WAITING] = [0, 1, 2] as const;
const rankOf = ({ standing, state }: Item): 0 | 1 | 2 =>
  standing ? (state === 'ruled' ? RULED : WAITING) : WITHDRAWN;

/** An event that a person sent about a finding, and what became of it. */
export interface Reviewed {
  readonly is: 'reviewed';
  readonly finding: string;
  readonly event: ReviewEvent;
  readonly outcome: ReviewOutcome;
  /** The item afterwards; null if the desk has none. */
  readonly item: Item | null;
  readonly mark: number;
}

/** What the game did to the review of a finding. */
export interface Turned {
  readonly is: 'turned';
  readonly finding: string;
  /** `evidence`: it was made, or it changed. `lapsed`: it left a full desk before a ruling. */
  readonly turn: 'evidence' | 'stale' | 'regressed' | 'touched' | 'lapsed';
  readonly item: Item;
  readonly mark: number;
}

/** What a finding rests on. */
export interface Basis {
  readonly people: readonly string[];
  /** Where the lines of its evidence are, in its order, as receipts said. */
  readonly positions: readonly number[];
}

/** Where a changed review of a finding stands. */
export interface ItemChange {
  readonly item: Item;
  /** Whether it left a full desk before a ruling. */
  readonly lapsed: boolean;
  /** Null if it did not change, or is not known. */
  readonly basis: Basis | null;
  readonly mark: number;
}

/** What changed in the reviews of a table. */
export type ReviewChange = Reviewed | Turned;
