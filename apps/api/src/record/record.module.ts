import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { EvidenceController } from './evidence.controller.js';
import { RecordController } from './record.controller.js';
import { SaveEvidenceHandler } from './save-evidence.js';
import { SaveRecordHandler } from './save-record.js';

/** The record itself: exact lines, read from the log. */
@Module({
  imports: [ReadingModule],
  controllers: [RecordController, EvidenceController],
  providers: [SaveRecordHandler, SaveEvidenceHandler],
})
export class RecordModule {}
