import { Body, Controller, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Identity } from '../identity/identity.js';
import { personIn, Requires, Sender } from '../identity/requires.js';
import { Deadlines } from '../lists/deadlines.js';
import { Problem } from '../problems/problems.js';
import { Refuses } from '../problems/refuses.js';
import { LOG_POSITION } from '../reading/positions.js';
import { positionsText } from '#read-model';
import { ActAnswered, Commanded } from './act-docs.js';
import { ActReplies } from './act-replies.js';
import { Key } from './act-request.js';
import { BulkAnswer, bulkAnswer, BulkRuling } from './bulk-request.js';
import { RuleInBulk } from './rule-in-bulk.js';
import { NextFields, TakeNext } from './take-next.js';

/** The commands that choose a finding, or name many (contract section 7). */
@ApiTags('review')
@Controller('v1/findings')
export class ManyFindingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly replies: ActReplies,
    private readonly deadlines: Deadlines,
  ) {}

  @Post('take-next')
  @Requires('review-findings')
  @Commanded()
  @ActAnswered()
  @ApiOperation({
    summary: 'Claim the worst and oldest open finding that nobody holds',
    description:
      'The same key gets the same finding. Leaves out what the sender is involved in. The claim lasts as long as the review policy says.',
  })
  @ApiResponse({ status: 204, description: 'No finding is left' })
  @Refuses('queue-contended', 'idempotency-key-reused')
  async takeNextFinding(
    @Sender() by: Identity,
    @Key() key: string,
    @Query() filter: NextFields,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const acted = await this.commands.execute(new TakeNext(by, key, this.deadlines.in(filter)));
    if (acted) return this.replies.answer(reply, acted, personIn(by).id);
    void reply.code(204);
    return undefined;
  }

  @Post('bulk')
  @Requires('review-findings')
  @Commanded()
  @ApiExtraModels(BulkAnswer)
  @ApiOperation({
    summary: 'Propose one ruling for many findings',
    description:
      'First with `dryRun`: the answer says what would happen to each and names a `preview`. Then with that `preview`: claims each finding and proposes the ruling, unless a finding changed since the preview.',
  })
  @ApiResponse({
    status: 200,
    type: BulkAnswer,
    description: 'What became of each finding, or would',
  })
  @Refuses('policy-superseded', 'preview-changed', 'idempotency-key-reused', 'ruling-incomplete')
  async ruleInBulk(
    @Sender() by: Identity,
    @Key() key: string,
    @Body() { ids, dryRun, preview, ...ruling }: BulkRuling,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    if (dryRun !== true && preview === undefined)
      throw new Problem('invalid-request', undefined, {
        errors: [{ pointer: '/preview', reason: 'is required without dryRun' }],
      });
    const named = dryRun === true ? undefined : preview;
    const done = await this.commands.execute(
      new RuleInBulk({ by, key, ids, ruling: { ...ruling }, preview: named }),
    );
    if (done.written.size > 0) void reply.header(LOG_POSITION, positionsText(done.written));
    return bulkAnswer(done, personIn(by).id);
  }
}
