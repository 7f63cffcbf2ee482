import { ApiProperty } from '@nestjs/swagger';
import { REVIEW_OUTCOMES, REVIEW_ROLES, REVIEW_TYPES } from '#audit';
import type { HistoryAct, FindingHistory, Looker, Looks } from '#read-model';
import { OneOf, Part, Parts, Ref, Text, Time, Whole, YesNo } from '../docs/answer-fields.js';
import { pageAnswerOf } from '../docs/page.answer.js';

/** An act of a person on a finding. */
export class ActAnswer implements Required<HistoryAct> {
  @Ref({ description: 'Its event' }) ref!: string;
  @OneOf(REVIEW_TYPES) type!: HistoryAct['type'];
  @Text({ description: 'The person' }) by!: string;
  @OneOf(REVIEW_ROLES, { description: 'The role in which the person acted' }) as!: HistoryAct['as'];
  @Time() at!: string;
  @OneOf(REVIEW_OUTCOMES, { description: '`taken`, or why it took no effect' })
  outcome!: HistoryAct['outcome'];
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What the act says' })
  data!: HistoryAct['data'];
  @YesNo({
    description:
      'Texts, video and disposition are left out, because the finding was proposed as an accusation and you were involved',
  })
  concealed!: boolean;
}

/** A person who looked at a finding. */
export class LookerAnswer implements Required<Looker> {
  @Text() person!: string;
  @Whole({ minimum: 1 }) looks!: number;
  @Time() last!: string;
}

/** How often people looked at a finding: one look a person and quarter hour. */
export class LooksAnswer implements Required<Looks> {
  @Whole() people!: number;
  @Whole() looks!: number;
  @Parts(() => LookerAnswer, {
    nullable: true,
    description: 'Who, the last first, at most 256; null without the permission read-looks',
  })
  by!: readonly LookerAnswer[] | null;
}

/** When a finding was raised. */
export class RaisedAnswer implements Required<FindingHistory['raised']> {
  @Time({ description: 'When the coup was opened, else the time of the event that raised it' })
  at!: string;
  @Time({ nullable: true, description: 'The receipt of the event that raised it first' })
  received!: string | null;
}

/** A page of what people did about a finding. Looks are counted and not listed. */
export class FindingHistoryAnswer
  extends pageAnswerOf(ActAnswer)
  implements Required<FindingHistory>
{
  @Part(() => RaisedAnswer) raised!: RaisedAnswer;
  @Ref({ nullable: true, description: 'The event that withdrew it; null while it stands' })
  withdrawnBecause!: string | null;
  @Part(() => LooksAnswer) looks!: LooksAnswer;
}
