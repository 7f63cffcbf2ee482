import {
  DISPOSITIONS,
  REVIEW_OUTCOMES,
  REVIEW_ROLES,
  REVIEW_STATES,
  REVIEW_TYPES,
  REVIEWER_ROLES,
  type Item,
  type ReviewEvent,
  type ReviewOutcome,
} from '#audit';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Changed } from './changed.js';
import {
  amended,
  COUNT,
  FLAG,
  INTEGER,
  JSON_TEXT,
  KEY,
  maybe,
  oneOf,
  TEXT,
  TIME,
} from './kinds.js';
import { tableOf } from './table.js';

/** An act of a person on a finding, and what became of it. */
@Entity('review_event')
@Index('review_event_finding', ['finding', 'offset', 'line'])
@Index('review_event_held', ['finding'], { where: '(held_until IS NOT NULL)' })
// an expression, which only the migration can write
@Index('review_event_claim', { synchronize: false })
export class ReviewEventRow extends Changed {
  @PrimaryColumn(KEY) readonly ref!: string;
  @PrimaryColumn(KEY) readonly table!: string;
  /** The id of the finding, as the act names it: there may be none. */
  @Column(KEY) readonly finding!: string;
  @Column(oneOf(REVIEW_TYPES)) readonly type!: ReviewEvent['type'];
  /** The person, without `person/`. */
  @Column(KEY) readonly by!: string;
  @Column(oneOf(REVIEW_ROLES)) readonly as!: ReviewEvent['data']['as'];
  @Column(TIME) readonly at!: string;
  @Column(JSON_TEXT) readonly data!: ReviewEvent['data'];
  @Column(oneOf(REVIEW_OUTCOMES)) readonly outcome!: ReviewOutcome;
  /** Until when video was kept, if the act says so and took effect. */
  @Column(maybe(TIME)) readonly heldUntil!: string | null;
  /** Where its line is in the log. */
  @Column(COUNT) readonly offset!: number;
  @Column(INTEGER) readonly line!: number;
}
/** The table of acts on findings. */
export const REVIEW_EVENT = tableOf(ReviewEventRow);

/** The position of a line in a partition of the log: the offset of its record, and its line. */
export type LinePosition = readonly [offset: number, line: number];

/**
 * Where the review of a finding stands. These columns are written after the row, because a review
 * goes on when the finding itself can no longer change.
 */
export abstract class UnderReview extends Changed {
  @Column(amended(oneOf(REVIEW_STATES), 'open')) readonly review!: Item['state'];
  /** Who holds it, and until when; null if nobody claimed it. */
  @Column(amended(maybe(KEY))) readonly claimedBy!: string | null;
  @Column(amended(maybe(TIME))) readonly claimedUntil!: string | null;
  /** The reference of the proposal that waits for a second person. */
  @Column(amended(maybe(KEY))) readonly proposal!: string | null;
  /** Who proposed what waits or holds. */
  @Column(amended(maybe(KEY))) readonly proposedBy!: string | null;
  @Column(amended(maybe(oneOf(DISPOSITIONS))))
  readonly disposition!: (typeof DISPOSITIONS)[number] | null;
  /** The policy that the proposal or the ruling names. */
  @Column(amended(maybe(TEXT))) readonly policy!: string | null;
  /** The reference of the event that made the ruling final. */
  @Column(amended(maybe(KEY))) readonly ruling!: string | null;
  /** The second person; null if one was enough. */
  @Column(amended(maybe(KEY))) readonly signedBy!: string | null;
  @Column(amended(maybe(TIME))) readonly ruledAt!: string | null;
  /** False if its ruling takes it out of the counts of dealers' errors. */
  @Column(amended(FLAG, true)) readonly counts!: boolean;
  /** The role that alone may sign. */
  @Column(amended(maybe(oneOf(REVIEWER_ROLES))))
  readonly escalated!: (typeof REVIEWER_ROLES)[number] | null;
  /** A proposal fell because of what happened in the game. */
  @Column(amended(FLAG, false)) readonly stale!: boolean;
  /** It had been ruled, and is open again. */
  @Column(amended(FLAG, false)) readonly regressed!: boolean;
  /** Its coup changed after the ruling, and the finding did not. */
  @Column(amended(FLAG, false)) readonly touched!: boolean;
  /** It left a full desk before a ruling. Acts on it no longer take effect. */
  @Column(amended(FLAG, false)) readonly lapsed!: boolean;
  /** The SHA-256 of its evidence; null if it was not made yet. */
  @Column(amended(maybe(TEXT))) readonly evidence!: string | null;
  /**
   * Who was involved: those on duty when it was raised, and all once its evidence is made. A
   * reader leaves out findings by it; the fold asks again.
   */
  @Column(amended(JSON_TEXT, '[]')) readonly people!: readonly string[];
  /** Where the lines of its evidence are in its partition, in the order of the evidence. */
  @Column(amended(JSON_TEXT, '[]')) readonly lines!: readonly LinePosition[];
}
