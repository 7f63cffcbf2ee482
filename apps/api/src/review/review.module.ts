import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { ListsModule } from '../lists/lists.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { ActLog } from './acts/act-log.js';
import { Acts } from './acts/acts.js';
import { Bulk } from './many/bulk.js';
import { HandOuts } from './many/hand-outs.js';
import { LooksAtFindings } from './looks-at-findings.js';
import { ManyFindingsController } from './many/many-findings.controller.js';
import { NextFindings } from './many/next-findings.js';
import { RuleInBulkHandler } from './many/rule-in-bulk.js';
import { TakeNextHandler } from './many/take-next.js';
import { PerformActHandler } from './acts/perform-act.js';
import { PersonTurns } from './person-turns.js';
import { ReviewController } from './acts/review.controller.js';
import { ActDesk } from './acts/act-desk.js';
import { ReviewEventsController } from './acts/review-events.controller.js';
import { ReviewMetrics } from './review-metrics.js';
import { ReviewRows } from './review-rows.js';
import { SessionPace } from './session-pace.js';
import { ShowActHandler } from './acts/show-act.js';

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
