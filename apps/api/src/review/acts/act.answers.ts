import { REVIEW_OUTCOMES, REVIEW_ROLES, REVIEW_TYPES } from '#audit';
import { reviewOf, type ActLine, type Review } from '#read-model';
import { OneOf, Part, PositionsField, Ref, Text, Time } from '../../docs/answer-fields.js';
import { ReviewAnswer } from '../../lists/review.answer.js';
import type { Taken } from './acts.js';

/** An act on a finding that is recorded, and what became of it. */
export class TakenActAnswer implements Pick<
  ActLine,
  'ref' | 'table' | 'finding' | 'type' | 'by' | 'as' | 'at' | 'outcome'
> {
  @Ref({ description: 'The event. A signature names the proposal by it, a reopening the ruling' })
  ref!: string;
  @Text() table!: string;
  @Text({ description: 'The id of the finding' }) finding!: string;
  @OneOf(REVIEW_TYPES) type!: ActLine['type'];
  @Text({ description: 'Who did it: a person, as `person/` names them in the record' }) by!: string;
  @OneOf(REVIEW_ROLES, { description: 'The role in which the person acted' }) as!: ActLine['as'];
  @Time({ description: 'By the clock of the server' }) at!: string;
  @OneOf(REVIEW_OUTCOMES, { description: '`taken`, or why it took no effect' })
  outcome!: ActLine['outcome'];
  @Part(() => ReviewAnswer, { description: 'Where the review stands now' }) review!: ReviewAnswer;
}

/** An act as it is read from the rows. */
export class ShownActAnswer extends TakenActAnswer {
  @PositionsField() positions!: string;
}

/** An act that is recorded, and that is not decided about yet. */
export class PendingActAnswer {
  @Ref() ref!: string;
  @Text() table!: string;
  @Text({ description: 'The id of the finding' }) finding!: string;
}

/** Returns an act as a person may see it. */
export const actAnswer = (
  { act, row }: Taken,
  person: string,
): Omit<TakenActAnswer, 'review'> & { readonly review: Review } => {
  const { ref, finding, type, by, as, at, outcome } = act;
  return {
    ...{ ref, table: row.body.table, finding, type, by, as, at, outcome },
    review: reviewOf(row, person),
  };
};
