import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { ReadAt } from '#read-model';
import { SenderPerson, Requires } from '../../identity/requires.js';
import type { Person } from '../../identity/identity.js';
import { TextParam } from '../../http/parameters.js';
import { Read } from '../../reading/documented.js';
import { RequiredTextField } from '../../reading/filter-fields.js';
import { Reader, Reading } from '../../reading/reading.js';
import { actAnswer, ShownActAnswer } from './act.answers.js';
import { ShowAct } from './show-act.js';

class ActFields {
  @RequiredTextField({ description: 'The table of the finding', example: 'B04' })
  table!: string;
}

/** The route of one act on a finding. */
@ApiTags('review')
@Controller('v1/review-events')
export class ReviewEventsController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':ref')
  @Requires('read-findings')
  @Read('An act on a finding, and what became of it', ShownActAnswer)
  @TextParam('ref', { description: 'The reference of the event, `source#id`, percent-encoded' })
  async getReviewEvent(
    @Param('ref') ref: string,
    @Query() { table }: ActFields,
    @Reader() by: Reading,
    @SenderPerson() { id }: Person,
  ): Promise<ReadAt<object>> {
    const { positions, result } = await this.queries.execute(new ShowAct(ref, table, by));
    return { positions, result: actAnswer(result, id) };
  }
}
