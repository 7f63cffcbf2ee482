import { Module } from '@nestjs/common';
import { ListsModule } from '../lists/lists.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { ReviewModule } from '../review/review.module.js';
import { AskFacetsHandler } from './ask-facets.js';
import { FindingsController } from './findings.controller.js';
import { ShowFindingHandler, ShowHistoryHandler } from './show-finding.js';

/** Single findings with everything about them, and the counts of findings. */
@Module({
  imports: [ReadingModule, ListsModule, ReviewModule],
  controllers: [FindingsController],
  providers: [AskFacetsHandler, ShowFindingHandler, ShowHistoryHandler],
})
export class FindingsModule {}
