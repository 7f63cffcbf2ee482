import { DISPOSITIONS, REVIEW_STATES, REVIEWER_ROLES } from '#audit';
import type { Review } from '#read-model';
import { OneOf, Part, Ref, Text, Time, YesNo } from '../docs/answer-fields.js';

const Person = (more: Parameters<typeof Text>[0] = {}): PropertyDecorator =>
  Text({ description: 'A person, as `person/…` names them in the record', ...more });
const Disposition = (): PropertyDecorator =>
  OneOf(DISPOSITIONS, {
    nullable: true,
    description:
      'What was decided: a code of the review policy. Null if it accuses and you were involved',
  });

/** Who holds a finding. */
export class ClaimAnswer implements Required<NonNullable<Review['claim']>> {
  @Person() by!: string;
  @Time({ description: 'After it, others may claim the finding' }) until!: string;
}

/** A ruling that waits for a second person. */
export class ProposalAnswer implements Required<NonNullable<Review['proposal']>> {
  @Ref({ description: 'The event that proposed it' }) ref!: string;
  @Person() by!: string;
  @Disposition() disposition!: NonNullable<Review['proposal']>['disposition'];
  @Text({ description: 'The review policy that it names' }) policy!: string;
}

/** A final ruling. */
export class RulingAnswer implements Required<NonNullable<Review['ruling']>> {
  @Ref({ description: 'The event that made it final' }) ref!: string;
  @Person() proposedBy!: string;
  @Person({ nullable: true, description: 'Null if the policy required only one person' })
  signedBy!: string | null;
  @Disposition() disposition!: NonNullable<Review['ruling']>['disposition'];
  @Text({ description: 'The review policy that it names' }) policy!: string;
  @Time() at!: string;
}

/** Where the review of a finding stands. */
export class ReviewAnswer implements Required<Review> {
  @OneOf(REVIEW_STATES) state!: Review['state'];
  @Part(() => ClaimAnswer, { nullable: true }) claim!: ClaimAnswer | null;
  @Part(() => ProposalAnswer, { nullable: true }) proposal!: ProposalAnswer | null;
  @Part(() => RulingAnswer, { nullable: true }) ruling!: RulingAnswer | null;
  @YesNo({ description: "False if its ruling takes it out of the counts of dealers' errors" })
  counts!: boolean;
  @OneOf(REVIEWER_ROLES, { nullable: true, description: 'The role that alone may sign' })
  escalated!: Review['escalated'];
  @YesNo({ description: 'A proposal fell because of what happened in the game' }) stale!: boolean;
  @YesNo({ description: 'It was ruled on, and is open again' }) regressed!: boolean;
  @YesNo({ description: 'Its coup changed after the ruling, and the finding did not' })
  touched!: boolean;
  @YesNo({ description: 'It left a full desk before a ruling; acts on it no longer take effect' })
  lapsed!: boolean;
  @Text({
    nullable: true,
    pattern: '^[0-9a-f]{64}$',
    description: 'The SHA-256 of its evidence; null before the first claim within its shoe',
  })
  evidence!: string | null;
}
