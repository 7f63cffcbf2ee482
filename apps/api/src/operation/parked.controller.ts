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
  @ApiOperation({ summary: 'List parked tables, which are not judged until somebody decides' })
  @ApiOkResponse({ type: ParkedTablesAnswer, description: 'By table' })
  async listParked(@Sender() by: Identity): Promise<{ items: readonly ParkedTable[] }> {
    return { items: await this.queries.execute(new ListParked(by)) };
  }

  @Post('parked/:table/retry')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Retry the event that a table is parked at, for example after an upgrade',
  })
  @TextParam('table', { description: 'Table id' })
  @ApiAcceptedResponse({ description: 'The auditor that owns the table acts within seconds' })
  async retryParked(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'retry'));
  }

  @Post('parked/:table/release')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Release a parked table without the event that it stopped at; records who asked',
  })
  @TextParam('table', { description: 'Table id' })
  @ApiAcceptedResponse({ description: 'The auditor that owns the table acts within seconds' })
  async releaseParked(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'release'));
  }

  @Get('positions')
  @Requires('read-positions')
  @ApiOperation({
    summary: 'Show each partition: how far it is folded, its owner, and whether it is stopped',
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
      'Resume a stopped partition where it stopped, after its log is restored; skips nothing and logs who asked',
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
