import { Body, Controller, Post, Query, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Identity } from '../../identity/identity.js';
import { Requires, Sender } from '../../identity/requires.js';
import { Deadlines } from '../../lists/deadlines.js';
import { Problem } from '../../problems/problems.js';
import { Refuses } from '../../problems/refuses.js';
import { ActAnswered, Commanded } from '../acts/act-docs.js';
import { Key } from '../acts/act-request.js';
import type { Acted } from '../acts/acts.js';
import { BulkAnswered } from './bulk-answer.interceptor.js';
import type { BulkDone } from './bulk.js';
import { BulkAnswer, BulkRuling } from './bulk-request.js';
import { RuleInBulk } from './rule-in-bulk.js';
import { NextFields, TakeNext } from './take-next.js';

/** The commands that choose a finding, or name many (contract section 7). */
@ApiTags('review')
@Controller('v1/findings')
export class ManyFindingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly deadlines: Deadlines,
  ) {}

  @Post('take-next')
  @Requires('review-findings')
  @Commanded()
  @ActAnswered()
  @ApiOperation({
    summary: 'Claim the gravest and oldest open finding that nobody holds',
    description:
      'The same key gets the same finding. Findings that involve you are skipped. The review policy sets how long the claim lasts.',
  })
  @ApiResponse({ status: 204, description: 'No finding is left' })
  @Refuses('queue-contended', 'idempotency-key-reused')
  takeNextFinding(
    @Sender() by: Identity,
    @Key() key: string,
    @Query() filter: NextFields,
  ): Promise<Acted | undefined> {
    return this.commands.execute(new TakeNext(by, key, this.deadlines.in(filter)));
  }

  @Post('bulk')
  @Requires('review-findings')
  @Commanded()
  @UseInterceptors(BulkAnswered)
  @ApiExtraModels(BulkAnswer)
  @ApiOperation({
    summary: 'Propose one ruling for many findings',
    description:
      'Send it first with `dryRun`: the answer says what would happen to each finding, and names a `preview`. Send it again with that `preview`: it claims each finding and proposes the ruling, unless a finding has changed since the preview.',
  })
  @ApiResponse({
    status: 200,
    type: BulkAnswer,
    description: 'What happened to each finding, or would happen',
  })
  @Refuses('policy-superseded', 'preview-changed', 'idempotency-key-reused', 'ruling-incomplete')
  async ruleInBulk(
    @Sender() by: Identity,
    @Key() key: string,
    @Body() { ids, dryRun, preview, ...ruling }: BulkRuling,
  ): Promise<BulkDone> {
    if (dryRun !== true && preview === undefined)
      throw new Problem('invalid-request', undefined, {
        errors: [{ pointer: '/preview', reason: 'is required without dryRun' }],
      });
    const named = dryRun === true ? undefined : preview;
    return this.commands.execute(
      new RuleInBulk({ by, key, ids, ruling: { ...ruling }, preview: named }),
    );
  }
}
