import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { ParkedTable } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { Requires, Sender } from '../identity/requires.js';
import {
  DecideParked,
  ListParked,
  ListPositions,
  ResumePartition,
  type PartitionPosition,
} from './parked.js';

const PARKED = {
  table: 'B07',
  partition: 3,
  offset: 1204,
  line: 0,
  reason: 'unknown type shoeprint.card-drawn.v9',
  parkedAt: '2026-11-20T12:00:00.000Z',
  asked: null,
  askedBy: null,
  askedAt: null,
};
const POSITION = {
  partition: 3,
  next: 1310,
  events: 8211,
  owner: 'auditor-1',
  generation: 4,
  committedAt: '2026-11-20T12:00:00.000Z',
  stopped: null,
};

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
  @ApiResponse({ status: 200, schema: { example: { items: [PARKED] } } })
  async parked(@Sender() by: Identity): Promise<{ items: readonly ParkedTable[] }> {
    return { items: await this.queries.execute(new ListParked(by)) };
  }

  @Post('parked/:table/retry')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Have the event judged again that the table stopped at, as after an upgrade',
  })
  @ApiResponse({
    status: 202,
    description: 'Asked for; the auditor that owns the table does it within seconds',
  })
  async retry(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'retry'));
  }

  @Post('parked/:table/release')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Have the table go on without the event that it stopped at; who asked is recorded',
  })
  @ApiResponse({
    status: 202,
    description: 'Asked for; the auditor that owns the table does it within seconds',
  })
  async release(@Param('table') table: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new DecideParked(by, table, 'release'));
  }

  @Get('positions')
  @Requires('read-positions')
  @ApiOperation({
    summary: 'How far each partition of the log is folded, by whom, and whether it goes on',
  })
  @ApiResponse({ status: 200, schema: { example: { items: [POSITION] } } })
  async positions(): Promise<{ items: readonly PartitionPosition[] }> {
    return { items: await this.queries.execute(new ListPositions()) };
  }

  @Post('positions/:partition/resume')
  @Requires('release-parked')
  @HttpCode(202)
  @ApiOperation({
    summary:
      'Have a stopped partition followed again from where it stopped, once the log is what it was; nothing is skipped, and who asked is logged',
  })
  @ApiResponse({
    status: 202,
    description:
      'Asked for; an auditor claims it within seconds, and stops it again where the cause is still there',
  })
  async resume(@Param('partition') partition: string, @Sender() by: Identity): Promise<void> {
    await this.commands.execute(new ResumePartition(by, partition));
  }
}
