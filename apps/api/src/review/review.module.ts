import { Module } from '@nestjs/common';
import { IngestModule } from '../ingest/ingest.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { ActLog } from './act-log.js';
import { ActReplies } from './act-replies.js';
import { Acts } from './acts.js';
import { PerformActHandler } from './perform-act.js';
import { PersonTurns } from './person-turns.js';
import { ReviewController } from './review.controller.js';
import { ReviewDesk } from './review-desk.js';
import { ReviewEventsController } from './review-events.controller.js';
import { ReviewMetrics } from './review-metrics.js';
import { ReviewRows } from './review-rows.js';
import { SessionPace } from './session-pace.js';
import { ShowActHandler } from './show-act.js';

/** What people do about findings: acts that go to the log, and that the fold decides about. */
@Module({
  imports: [IngestModule, ReadingModule],
  controllers: [ReviewController, ReviewEventsController],
  providers: [
    ActLog,
    ActReplies,
    Acts,
    PersonTurns,
    ReviewDesk,
    ReviewMetrics,
    ReviewRows,
    SessionPace,
    PerformActHandler,
    ShowActHandler,
  ],
})
export class ReviewModule {}
