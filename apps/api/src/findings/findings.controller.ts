import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  HISTORY_ORDERS,
  type FindingFacets,
  type FindingHistory,
  type FindingWhole,
  type HistoryOrder,
  type ReadAt,
} from '#read-model';
import { FindingField } from './finding-field.js';
import type { Identity } from '../identity/identity.js';
import { Requires, Sender } from '../identity/requires.js';
import { Deadlines } from '../lists/deadlines.js';
import { FindingFacetsFields } from '../lists/list-fields.js';
import { Refuses } from '../problems/refuses.js';
import { Read } from '../reading/documented.js';
import { ChoiceField, paged } from '../reading/filter-fields.js';
import { Reader, Reading } from '../reading/reading.js';
import { AskFacets } from './ask-facets.js';
import { FindingFacetsAnswer } from './finding-facets.answer.js';
import { FindingHistoryAnswer } from './finding-history.answer.js';
import { FindingWholeAnswer } from './finding-whole.answer.js';
import { ShowFinding, ShowHistory } from './show-finding.js';

class HistoryOrderFields {
  @ChoiceField(HISTORY_ORDERS, 'oldest')
  order?: HistoryOrder;
}

/** The query of the history of a finding: in what order, a page at a time. */
class HistoryFields extends paged(HistoryOrderFields) {}

/** The routes of single findings and of their counts (contract section 7). */
@ApiTags('lists')
@Controller('v1/findings')
export class FindingsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly deadlines: Deadlines,
  ) {}

  @Get('facets')
  @Requires('read-findings')
  @Read(
    'How many findings match a filter, by state, severity, code, table, dealer and flags',
    FindingFacetsAnswer,
  )
  countFindings(
    @Query() fields: FindingFacetsFields,
    @Reader() by: Reading,
  ): Promise<ReadAt<FindingFacets>> {
    const filter = this.deadlines.in(Object.assign({}, fields, by.readBy));
    return this.queries.execute(new AskFacets(filter, by.least));
  }

  @Get(':id')
  @Requires('read-findings')
  @Read(
    'A finding with everything that a reviewer needs: its review, coup, bets, people, video, history',
    FindingWholeAnswer,
  )
  @Refuses('not-found', 'conflict')
  @FindingField()
  getFinding(
    @Param('id') id: string,
    @Reader() by: Reading,
    @Sender() identity: Identity,
  ): Promise<ReadAt<FindingWhole>> {
    return this.queries.execute(new ShowFinding(id, identity, by));
  }

  @Get(':id/history')
  @Requires('read-findings')
  @Read('What people did about a finding, and who looked at it', FindingHistoryAnswer)
  @Refuses('not-found')
  @FindingField()
  listHistory(
    @Param('id') id: string,
    @Query() fields: HistoryFields,
    @Reader() by: Reading,
    @Sender() identity: Identity,
  ): Promise<ReadAt<FindingHistory>> {
    return this.queries.execute(new ShowHistory(id, identity, by, fields));
  }
}
