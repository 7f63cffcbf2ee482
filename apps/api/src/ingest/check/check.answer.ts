import { PickType } from '@nestjs/swagger';
import type { Counts } from '#audit';
import { Part, Parts, Ref, Whole } from '../../docs/answer-fields.js';
import { FindingAnswer, UnjudgeableAnswer } from '../../lists/finding.answer.js';
import type { Checked } from './tables-apart.js';

/** How many events there were, and what became of them: all but `read` and `stray` sum up to it. */
class CountsAnswer implements Required<Counts> {
  @Whole() read!: number;
  @Whole() admitted!: number;
  @Whole({ description: 'Sent twice in this request, with the same content' }) duplicates!: number;
  @Whole({ description: 'Sent twice in this request, with other content' }) equivocal!: number;
  @Whole({ description: 'Numbers that came after their gap was declared' }) late!: number;
  @Whole({ description: 'Admitted, of another shoe than the open one' }) stray!: number;
}

/** A finding about the events that were checked. */
class CheckedFindingAnswer extends PickType(FindingAnswer, [
  'id',
  'code',
  'severity',
  'table',
  'shoe',
  'coup',
  'seat',
  'bet',
  'hand',
  'by',
  'event',
  'gap',
  'repeat',
  'irregularity',
  'rules',
  'events',
  'expected',
  'observed',
  'explainedBy',
  'impact',
  'disposition',
  'void',
  'remedied',
  'message',
]) {
  @Ref({ required: false }) shoeRef!: string;
  @Ref({ required: false }) coupRef!: string;
}

/** What the auditor says of the events by themselves. Nothing was recorded. */
export class CheckedAnswer implements Record<keyof Checked, unknown> {
  @Part(() => CountsAnswer) events!: CountsAnswer;
  @Parts(() => CheckedFindingAnswer, {
    description: 'By when each shoe was left, then by when each was raised',
  })
  findings!: readonly CheckedFindingAnswer[];
  @Parts(() => UnjudgeableAnswer) unjudgeable!: readonly UnjudgeableAnswer[];
}
