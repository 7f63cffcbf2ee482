import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { ListsController } from './lists.controller.js';
import { ShowCoupHandler, ShowShoeHandler } from './show.js';

/** Tables, shoes, coups and findings as they stand. */
@Module({
  imports: [ReadingModule],
  controllers: [ListsController],
  providers: [ShowShoeHandler, ShowCoupHandler],
})
export class ListsModule {}
