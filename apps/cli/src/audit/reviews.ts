import type { Item, ReviewOutcome, ReviewChange } from '#audit';
import type { Spill } from './spill.js';

/** An act on a finding, and what became of it. */
export interface ReviewAct {
  /** The reference of its event. */
  readonly ref: string;
  readonly type: string;
  /** The person who did it. */
  readonly by: string;
  readonly outcome: ReviewOutcome;
}

/** The review of one finding: where it stands at the end of the log, and every act on it. */
export interface AuditedReview {
  readonly finding: string;
  /** Null if no such finding was raised at the table, or none that its desk still had. */
  readonly state: Item['state'] | null;
  readonly disposition: string | null;
  readonly proposedBy: string | null;
  readonly signedBy: string | null;
  readonly evidence: string | null;
  readonly regressed: boolean;
  readonly touched: boolean;
  /** In the order of the log. */
  readonly events: readonly ReviewAct[];
}

/** One change of a review, with the place of the change before it; -1 for the first. */
export interface ReviewRecord extends Omit<AuditedReview, 'finding' | 'events'> {
  readonly before: number;
  /** Null if the game changed the review. */
  readonly act: ReviewAct | null;
}

/** Where the record of a review begins in the log, and where its last change is. */
export interface ReviewPlace {
  readonly line: number;
  last: number;
}

/** The findings of one thread that were reviewed, with the changes of each in a file. */
export class ReviewRecords {
  readonly places = new Map<string, ReviewPlace>();

  constructor(private readonly records: Spill<ReviewRecord>) {}

  /** Adds a change, which the event on a line of the log caused. */
  add(change: ReviewChange, line: number): void {
    const { finding, item } = change;
    const known = this.places.get(finding);
    // nobody has looked at this finding yet
    if (!known && change.is === 'turned') return;
    const act = change.is === 'reviewed' ? actOf(change) : null;
    const record = { before: known?.last ?? -1, act, ...standingOf(item) };
    const last = this.records.add(record, 1);
    if (known) known.last = last;
    else this.places.set(finding, { line, last });
  }
}

const actOf = ({ event, outcome }: Extract<ReviewChange, { is: 'reviewed' }>): ReviewAct => ({
  ref: `${event.source}#${event.id}`,
  type: event.type,
  by: event.source.slice('person/'.length),
  outcome,
});

function standingOf(item: Item | null): Omit<AuditedReview, 'finding' | 'events'> {
  if (!item) return UNKNOWN;
  const { state, proposal, ruling, evidence, regressed, touched } = item;
  return {
    state,
    disposition: (ruling ?? proposal)?.disposition ?? null,
    proposedBy: ruling?.proposedBy ?? proposal?.by ?? null,
    signedBy: ruling?.signedBy ?? null,
    ...{ evidence, regressed, touched },
  };
}

/** The review of a finding that the desk does not have. */
const UNKNOWN = {
  ...{ state: null, disposition: null, proposedBy: null, signedBy: null, evidence: null },
  ...{ regressed: false, touched: false },
} as const;

/** The reviews of a verdict, from the records of one or more threads. */
export class Reviews {
  private readonly places = new Map<string, ReviewPlace & { readonly from: Spill<ReviewRecord> }>();

  constructor(
    parts: readonly {
      readonly places: ReadonlyMap<string, ReviewPlace>;
      readonly records: Spill<ReviewRecord>;
    }[],
  ) {
    const all = parts.flatMap(({ places, records: from }) =>
      [...places].map(([finding, place]) => [finding, { ...place, from }] as const),
    );
    all.sort(([, a], [, b]) => a.line - b.line);
    for (const [finding, place] of all) this.places.set(finding, place);
  }

  /** Returns how many findings were reviewed. */
  get size(): number {
    return this.places.size;
  }

  /** Returns the review of a finding; undefined if nobody did anything about it. */
  of(finding: string): AuditedReview | undefined {
    const place = this.places.get(finding);
    if (!place) return undefined;
    const events: ReviewAct[] = [];
    for (let at = place.last; at >= 0;) {
      const { act, before } = place.from.get(at);
      if (act) events.push(act);
      at = before;
    }
    const { act: _, before: __, ...standing } = place.from.get(place.last);
    return { finding, ...standing, events: events.reverse() };
  }

  /** Returns all reviews, in the order in which they began. */
  *[Symbol.iterator](): Iterator<AuditedReview> {
    for (const finding of this.places.keys()) yield this.of(finding) as AuditedReview;
  }
}
