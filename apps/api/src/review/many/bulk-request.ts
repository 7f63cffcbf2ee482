import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { DISPOSITIONS, REMARK_MAX, REVIEW_OUTCOMES } from '#audit';
import { reviewOf, type Review } from '#read-model';
import { OneOf, Part, Parts, Text } from '../../docs/answer-fields.js';
import { MayBeAbsent } from '../../http/optional.js';
import { ReviewAnswer } from '../../lists/review.answer.js';
import type { BulkDone, BulkItem } from './bulk.js';

/** The most findings of one command. */
const IDS_MAX = 200;
const ID_LENGTH_MAX = 64;

const optional = (described: ApiPropertyOptions): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ ...described, required: false } as ApiPropertyOptions),
    MayBeAbsent(),
  );
const RemarkField = (): PropertyDecorator =>
  applyDecorators(
    optional({ type: 'string', minLength: 1, maxLength: REMARK_MAX }),
    IsString(),
    Length(1, REMARK_MAX),
  );

/** One ruling for many findings. */
export class BulkRuling {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: ID_LENGTH_MAX },
    minItems: 1,
    maxItems: IDS_MAX,
    uniqueItems: true,
    description: 'The ids of the findings',
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(IDS_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, ID_LENGTH_MAX, { each: true })
  ids!: string[];

  @ApiProperty({ enum: DISPOSITIONS })
  @IsIn(DISPOSITIONS)
  disposition!: string;

  @ApiProperty({
    description: 'The review policy in force',
    example: 'review@1',
    minLength: 1,
    maxLength: 64,
  })
  @IsString()
  @Length(1, 64)
  policy!: string;

  @RemarkField()
  note?: string;

  @optional({ type: 'integer', minimum: 0, description: 'In minor units of the currency' })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  amount?: number;

  @optional({ enum: ['house', 'patron'] })
  @IsIn(['house', 'patron'])
  favours?: string;

  @RemarkField()
  video?: string;

  @optional({ type: 'boolean', description: 'Only say what would happen' })
  @IsBoolean()
  dryRun?: boolean;

  @optional({
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description: 'The `preview` that the answer to `dryRun` named. Required without `dryRun`',
  })
  @IsString()
  @Matches(/^[0-9a-f]{64}$/, { message: 'preview must be 64 lowercase hexadecimal digits' })
  preview?: string;
}

const BULK_OUTCOMES = [...REVIEW_OUTCOMES, 'not-found', 'table-parked', 'pending'] as const;

/** What happened to one finding of many, or would happen. */
class BulkItemAnswer {
  @Text({ description: 'The id of the finding' }) finding!: string;
  @OneOf(BULK_OUTCOMES, {
    description:
      '`taken` if the ruling is proposed, or final where one person is enough; `pending` if that is not known yet; else why not',
  })
  outcome!: BulkItem['outcome'];
  @Text({ required: false, description: 'The event that decided it, once it is recorded' })
  ref!: string;
  @Part(() => ReviewAnswer, { required: false, description: 'Absent from a finding not found' })
  review!: ReviewAnswer;
}

/** What happened to one ruling for many findings, or would happen. */
export class BulkAnswer {
  @Text({
    pattern: '^[0-9a-f]{64}$',
    description: 'Identifies the findings as the preview saw them',
  })
  preview!: string;
  @Parts(() => BulkItemAnswer, { description: 'In the order of `ids`' })
  items!: readonly BulkItemAnswer[];
}

/** Returns the answer as a person may see it. */
export const bulkAnswer = (
  { preview, items }: BulkDone,
  person: string,
): { readonly preview: string; readonly items: readonly object[] } => ({
  preview,
  items: items.map(
    ({
      finding,
      outcome,
      act,
      row,
    }): Partial<Omit<BulkItemAnswer, 'review'>> & {
      review?: Review;
    } => ({
      ...{ finding, outcome },
      ...(act && { ref: act.ref }),
      ...(row && { review: reviewOf(row, person) }),
    }),
  ),
});
