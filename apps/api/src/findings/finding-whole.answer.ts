import { ApiProperty, OmitType } from '@nestjs/swagger';
import { REFUSALS } from '#audit';
import {
  REVIEW_COMMANDS,
  type FindingDevice,
  type FindingVideo,
  type FindingWhole,
  type May,
  type ReviewWhole,
  type SeenBefore,
} from '#read-model';
import {
  Currency,
  Part,
  Parts,
  PositionsField,
  Ref,
  Signed,
  Text,
  Texts,
  Time,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';
import { CoupAnswer, CoupWholeAnswer } from '../lists/coup.answer.js';
import { FindingAnswer } from '../lists/finding.answer.js';
import { ReviewAnswer } from '../lists/review.answer.js';
import { ActAnswer, LooksAnswer } from './finding-history.answer.js';

/** A finding without its review. */
export class FindingAloneAnswer extends OmitType(FindingAnswer, ['review']) {}

/** The coup of a finding. */
class CoupOfFindingAnswer extends OmitType(CoupWholeAnswer, ['positions']) {}

/** A review with what its ruling needs, and what you may do. */
export class ReviewWholeAnswer extends ReviewAnswer implements Required<ReviewWhole> {
  @YesNo({
    description:
      'Whether a ruling needs two persons. Before there is a proposal, this is what severity, code and impact say under the policy in force; its disposition or amount may need two as well',
  })
  two!: boolean;
  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(
      Object.keys(REVIEW_COMMANDS).map((command) => [
        command,
        {
          oneOf: [
            { type: 'boolean', enum: [true] },
            { type: 'string', enum: [...REFUSALS] },
          ],
        },
      ]),
    ),
    required: Object.keys(REVIEW_COMMANDS),
    description:
      'For each command true, or what it would be refused for now. A hint by the rows: the log decides. `propose` is asked about as if it were complete',
  })
  may!: May;
}

/** The device that sent what a finding is about. Its clock is given against the server's, in ms. */
export class FindingDeviceAnswer implements Required<FindingDevice> {
  @Text() source!: string;
  @Text({ nullable: true }) session!: string | null;
  @YesNo({ nullable: true, description: 'What it last reported; null if it never did' })
  online!: boolean | null;
  @Time() lastTime!: string;
  @Time({ nullable: true }) lastReceived!: string | null;
  @Signed({ nullable: true }) clockOffsetLast!: number | null;
  @Signed({ nullable: true }) clockOffsetLeast!: number | null;
  @Signed({ nullable: true }) clockOffsetMost!: number | null;
}

/** The coups before and after. */
export class NeighborsAnswer implements Required<FindingWhole['neighbors']> {
  @Ref({ nullable: true }) before!: string | null;
  @Ref({ nullable: true }) after!: string | null;
}

/** Video of a finding, by the policy in force. */
export class FindingVideoAnswer implements Required<FindingVideo> {
  @Text({ nullable: true, description: 'What was attached last' }) link!: string | null;
  @Time({ description: 'From when on it shows what the finding is about' }) from!: string;
  @Time() to!: string;
  @Time({ description: 'Until when it is kept: by the house, or for a hold that lasts longer' })
  keptUntil!: string;

  @Whole({ description: 'Whole days until then; 0 from then on' }) daysLeft!: number;
  @Parts(() => ActAnswer, { description: 'Requests to keep it longer, and what was kept' })
  holds!: readonly ActAnswer[];
}

/** How often the same was found before. */
class SeenBeforeAnswer implements Required<SeenBefore> {
  @Whole() findings!: number;
  @Whole({ description: 'Those among them that were ruled to count' }) counted!: number;
}

class SeenAnswer implements Required<FindingWhole['seenBefore']> {
  @Part(() => SeenBeforeAnswer, { nullable: true, description: 'Null if nobody had signed on' })
  dealer!: SeenBeforeAnswer | null;
  @Part(() => SeenBeforeAnswer) table!: SeenBeforeAnswer;
}

/** Everything about a finding that a reviewer needs on one screen. */
export class FindingWholeAnswer implements Required<FindingWhole> {
  @PositionsField() positions!: string;
  @Part(() => FindingAloneAnswer) finding!: FindingAloneAnswer;
  @Part(() => ReviewWholeAnswer) review!: ReviewWholeAnswer;
  @Texts({ description: 'Who was involved, at most 256' }) people!: readonly string[];
  @Part(() => FindingDeviceAnswer, { nullable: true }) device!: FindingDeviceAnswer | null;
  @Part(() => CoupOfFindingAnswer, { nullable: true, description: 'Null if it is about no coup' })
  coup!: CoupOfFindingAnswer | null;
  @Currency({ nullable: true, description: 'Of its shoe; null if it is about no shoe' })
  currency!: string | null;
  @Part(() => NeighborsAnswer) neighbors!: NeighborsAnswer;
  @Parts(() => CoupAnswer, { description: 'The coups of its shoe, in order, at most 1,000' })
  coups!: readonly CoupAnswer[];
  @Part(() => FindingVideoAnswer) video!: FindingVideoAnswer;
  @Part(() => SeenAnswer, {
    description:
      'Standing findings of the same code in the 30 gaming days that end with its own, without itself, at tables that you may see',
  })
  seenBefore!: SeenAnswer;
  @Parts(() => ActAnswer, { description: 'The last 50 acts, the newest first' })
  history!: readonly ActAnswer[];
  @Part(() => LooksAnswer) looks!: LooksAnswer;
}
