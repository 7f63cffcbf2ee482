import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { ReportsController } from './reports.controller.js';

/** The reports, as JSON a page at a time, or whole as CSV or XLSX. */
@Module({ imports: [ReadingModule], controllers: [ReportsController] })
export class ReportsModule {}
