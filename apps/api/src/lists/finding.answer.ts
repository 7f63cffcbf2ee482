import { IntersectionType } from '@nestjs/swagger';
import {
  SLIPS,
  type Disposition,
  type Finding,
  type FindingCode,
  type Impact,
  type Severity as Grade,
  type Unjudgeable,
} from '#audit';
import { FINDING, FINDING_FIELDS, type FindingLine } from '#read-model';
import {
  Amount,
  Code,
  Codes,
  ColumnOf,
  Currency,
  OneOf,
  Part,
  Ref,
  RulesId,
  SeverityField,
  Text,
  Texts,
  Time,
  Whole,
} from '../docs/answer-fields.js';
import { columnsAnswerOf } from '../docs/columns.answer.js';
import { ReviewAnswer } from './review.answer.js';

type Gap = NonNullable<Finding['gap']>;

/** The known slip that explains a wrong payment. */
export const SlipField = (more: Parameters<typeof OneOf>[1] = {}): PropertyDecorator =>
  OneOf(SLIPS, { description: 'The known slip that explains a wrong payment', ...more });
/** The side that an error favors: the house or the patron. */
export const Favours = (more: Parameters<typeof OneOf>[1] = {}): PropertyDecorator =>
  OneOf(['house', 'patron'], more);

/** The amount of money that a finding is about, and the side that it favors. */
export class ImpactAnswer implements Required<Impact> {
  @Amount() amount!: number;
  @Currency() currency!: string;
  @Favours() favours!: Impact['favours'];
}

/** What the rules prescribe about an irregularity, and the section that says so. */
export class DispositionAnswer implements Required<Disposition> {
  @Texts({ description: 'Prescribed actions' }) do!: Disposition['do'];
  @Text({ description: 'The source of the rule' }) source!: string;
  @Text() section!: string;
}

/** Numbers of a device's session that did not arrive in time. */
export class GapAnswer implements Required<Gap> {
  @Text() source!: string;
  @Text() session!: string;
  @Whole({ minimum: 1, description: 'Increases each time the device restarts the session' })
  boot!: number;
  @Whole({ minimum: 1 }) from!: number;
  @Whole({ minimum: 1 }) to!: number;
}

/** The number under which two contents were sent, or the id if the event has no number. */
export class RepeatAnswer {
  @Text() source!: string;
  @Text({ required: false }) session!: string;
  @Whole({ required: false, minimum: 1 }) sequence!: number;
  @Text({ required: false }) id!: string;
}

/** A finding as it was raised, and whether it stands. */
class RaisedAnswer implements Required<Omit<Finding, 'shoeRef' | 'coupRef'>> {
  @Text({ description: 'Identical in every replay of the same events' }) id!: string;
  @Code() code!: FindingCode;
  @SeverityField() severity!: Grade;
  @ColumnOf(FINDING) table!: string;
  @ColumnOf(FINDING) shoe!: string;
  @Whole({ required: false, description: 'Absent from findings about a whole shoe or device' })
  coup!: number;
  @Whole({ required: false, minimum: 1 }) seat!: number;
  @Text({ required: false }) bet!: string;
  @OneOf(['player', 'banker'], { required: false, description: 'The hand of a wrong total' })
  hand!: Required<Finding>['hand'];
  @OneOf(['dealer', 'device'], { required: false, description: 'Who declared two outcomes' })
  by!: Required<Finding>['by'];
  @Ref({ required: false, description: 'The one event that it is about' }) event!: string;
  @Part(() => GapAnswer, { required: false }) gap!: GapAnswer;
  @Part(() => RepeatAnswer, { required: false }) repeat!: RepeatAnswer;
  @Text({ required: false, description: 'The id of the finding whose remedy was not done' })
  irregularity!: string;
  @RulesId({
    pattern: '^([^@]+@[0-9]+)?$',
    description: 'The rule document of its shoe; empty for a finding outside a shoe',
  })
  rules!: string;
  @Texts({ description: 'References of the events that show it' }) events!: readonly string[];
  @Text() expected!: string;
  @Text() observed!: string;
  @SlipField({ required: false }) explainedBy!: Required<Finding>['explainedBy'];
  @Part(() => ImpactAnswer, { required: false }) impact!: ImpactAnswer;
  @Part(() => DispositionAnswer, { required: false }) disposition!: DispositionAnswer;
  @ColumnOf(FINDING, { description: 'Its coup was declared void' }) void!: boolean;
  @ColumnOf(FINDING, { description: 'Its prescribed remedy was done' }) remedied!: boolean;
  @Text({ description: 'One plain sentence' }) message!: string;
  @OneOf(['standing', 'withdrawn']) status!: FindingLine['status'];
}

/** The columns of a finding beside what was raised. */
class FindingColumnsAnswer extends columnsAnswerOf(FINDING, FINDING_FIELDS, {
  withdrawnBecause: Ref({ nullable: true, description: 'The event that withdrew it' }),
  shoeRef: Ref({ nullable: true }),
  coupRef: Ref({ nullable: true }),
  dealer: ColumnOf(FINDING, { description: 'Who dealt; null if nobody had signed on' }),
  at: ColumnOf(FINDING, {
    description: 'When the coup was opened, else the time of the event that raised it',
  }),
  raisedAt: ColumnOf(FINDING, { description: 'The receipt of the event that raised it first' }),
}) {}

/** A finding as it was raised, and its current status. */
export class FindingAnswer
  extends IntersectionType(RaisedAnswer, FindingColumnsAnswer)
  implements Required<FindingLine>
{
  @Part(() => ReviewAnswer) review!: ReviewAnswer;
  @Time({
    nullable: true,
    description: 'The latest time until which its video is held; null if nobody held it',
  })
  videoHeldUntil!: FindingLine['videoHeldUntil'];
}

/** What could not be judged, where, and why. */
export class UnjudgeableAnswer implements Required<Unjudgeable> {
  @Text() table!: string;
  @Text() shoe!: string;
  @Whole({ required: false }) coup!: number;
  @Codes() codes!: readonly FindingCode[];
  @Texts({ description: 'References' }) events!: readonly string[];
  @Text() why!: string;
}
