import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IsInt, Matches, Max, Min } from 'class-validator';
import { UNSEEN } from '#process';
import { SHA256 } from '../docs/answer-fields.js';
import type { Identity } from '../identity/identity.js';
import { Requires, Sender } from '../identity/requires.js';
import { Refuses } from '../problems/refuses.js';
import { StoppedRecordAnswer } from './operation.answers.js';
import {
  type PassAsked,
  PassRecord,
  ShowStoppedRecord,
  type StoppedRecord,
} from './stopped-record.js';

const REASON_LENGTH_MAX = 500;
const REASON = new RegExp(`^[^${UNSEEN}\\p{Cs}]{1,${REASON_LENGTH_MAX}}$`, 'u');

/** Names the record to pass, and says why. */
class PassBody implements PassAsked {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The offset at which the partition is stopped',
    example: 4711,
  })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  offset!: number;

  @ApiProperty({
    type: 'string',
    pattern: SHA256.source,
    description: 'The SHA-256 of the value of the record, as `GET .../record` shows it',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  @Matches(SHA256, { message: 'must be a SHA-256, 64 lowercase hexadecimal digits' })
  sha256!: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: REASON_LENGTH_MAX,
    pattern: `^[^${UNSEEN}]+$`,
    description: 'Why the record is passed. Every report of the partition shows this',
    example: 'Written by a test program that used the wrong topic; it is not an event of ours',
  })
  @Matches(REASON, {
    message: `must be 1 to ${REASON_LENGTH_MAX} characters, without control characters and marks that change the direction of text`,
  })
  reason!: string;
}

const OfPartition = (): MethodDecorator =>
  applyDecorators(
    ApiParam({ name: 'partition', schema: { type: 'integer', minimum: 0, maximum: 999_999 } }),
    Refuses('not-found', 'conflict', 'not-ready'),
  );

/** The routes about the record at which a partition is stopped. */
@ApiTags('operation')
@Controller('v1/positions')
export class StoppedRecordController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get(':partition/record')
  @Requires('release-parked')
  @ApiOperation({
    summary: 'Show the unreadable record that stopped a partition, as the log has it',
  })
  @OfPartition()
  @ApiOkResponse({ type: StoppedRecordAnswer, description: 'The record' })
  showStoppedRecord(
    @Param('partition') partition: string,
    @Sender() by: Identity,
  ): Promise<StoppedRecord> {
    return this.queries.execute(new ShowStoppedRecord(by, partition));
  }

  @Post(':partition/pass')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary:
      'Pass the record that stopped a partition: it is never judged, and every report of the partition says so',
    description:
      'The decision is an event of `@house`, with the name of the person and the reason. ' +
      'The body names the record by its offset and its SHA-256. ' +
      'A log that is at fault, such as one with a hole, cannot be passed.',
  })
  @OfPartition()
  @ApiAcceptedResponse({ description: 'An auditor claims the partition within seconds' })
  async passRecord(
    @Param('partition') partition: string,
    @Body() body: PassBody,
    @Sender() by: Identity,
  ): Promise<void> {
    await this.commands.execute(new PassRecord(by, partition, body));
  }
}
