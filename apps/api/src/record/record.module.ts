import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { RecordController } from './record.controller.js';
import { SaveRecordHandler } from './save-record.js';

/** The record itself: exact lines, read from the log. */
@Module({
  imports: [ReadingModule],
  controllers: [RecordController],
  providers: [SaveRecordHandler],
})
export class RecordModule {}
