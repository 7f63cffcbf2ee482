import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { ListsModule } from '../lists/lists.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { ActLog } from './act-log.js';
import { Acts } from './acts.js';
import { Bulk } from './bulk.js';
import { HandOuts } from './hand-outs.js';
import { LooksAtFindings } from './looks-at-findings.js';
import { ManyFindingsController } from './many-findings.controller.js';
import { NextFindings } from './next-findings.js';
import { RuleInBulkHandler } from './rule-in-bulk.js';
import { TakeNextHandler } from './take-next.js';
import { PerformActHandler } from './perform-act.js';
import { PersonTurns } from './person-turns.js';
import { ReviewController } from './review.controller.js';
import { ActDesk } from './act-desk.js';
import { ReviewEventsController } from './review-events.controller.js';
import { ReviewMetrics } from './review-metrics.js';
import { ReviewRows } from './review-rows.js';
import { SessionPace } from './session-pace.js';
import { ShowActHandler } from './show-act.js';

/** What people do about findings: acts that go to the log, and that the fold decides about. */
@Module({
  imports: [IngestModule, ListsModule, ReadingModule],
  controllers: [ManyFindingsController, ReviewController, ReviewEventsController],
  providers: [
    ActLog,
    Acts,
    Bulk,
    HandOuts,
    LooksAtFindings,
    NextFindings,
    PersonTurns,
    ActDesk,
    ReviewMetrics,
    ReviewRows,
    SessionPace,
    PerformActHandler,
    RuleInBulkHandler,
    ShowActHandler,
    TakeNextHandler,
  ],
  exports: [LooksAtFindings],
})
export class ReviewModule {}
