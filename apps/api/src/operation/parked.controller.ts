import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { ParkedTable } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { TextParam } from '../http/parameters.js';
import { Requires, Sender } from '../identity/requires.js';
import { ParkedTablesAnswer, PartitionsAnswer } from './operation.answers.js';
import {
  DecideParked,
  ListParked,
  ListPositions,
  ResumePartition,
  type PartitionPosition,
} from './parked.js';

/** The routes about parked tables and the positions of partitions. */
@ApiTags('operation')
@Controller('v1')
export class ParkedController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('parked')
  @Requires('read-parked')
  @ApiOperation({ summary: 'Tables that are judged no further until somebody decides' })
  @ApiOkResponse({ type: ParkedTablesAnswer, description: 'By table' })
  async listParked(@Sender() by: Identity): Promise<{ items: readonly ParkedTable[] }> {
    return { items: await this.queries.execute(new ListParked(by)) };
  }

  @Post('parked/:table/retry')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Have the event judged again that the table stopped at, as after an upgrade',
  })
  @TextParam('table', { description: 'Table id' })
  @ApiAcceptedResponse({ description: 'The auditor that owns the table does it within seconds' })
  async retryParked(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'retry'));
  }

  @Post('parked/:table/release')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Have the table go on without the event that it stopped at; who asked is recorded',
  })
  @TextParam('table', { description: 'Table id' })
  @ApiAcceptedResponse({ description: 'The auditor that owns the table does it within seconds' })
  async releaseParked(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'release'));
  }

  @Get('positions')
  @Requires('read-positions')
  @ApiOperation({
    summary: 'How far each partition of the log is folded, by whom, and whether it goes on',
  })
  @ApiOkResponse({ type: PartitionsAnswer, description: 'By partition' })
  async listPositions(): Promise<{ items: readonly PartitionPosition[] }> {
    return { items: await this.queries.execute(new ListPositions()) };
  }

  @Post('positions/:partition/resume')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary:
      'Have a stopped partition followed again from where it stopped, once the log is what it was; nothing is skipped, and who asked is logged',
  })
  @ApiParam({ name: 'partition', schema: { type: 'integer', minimum: 0, maximum: 999_999 } })
  @ApiAcceptedResponse({
    description:
      'An auditor claims it within seconds, and stops it again if the cause is still there',
  })
  async resumePartition(
    @Param('partition') partition: string,
    @Sender() by: Identity,
  ): Promise<void> {
    await this.commands.execute(new ResumePartition(by, partition));
  }
}
