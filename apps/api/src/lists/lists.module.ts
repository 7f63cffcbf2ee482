import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { Deadlines } from './deadlines.js';
import { ListsController } from './lists.controller.js';
import { ShowCoupHandler, ShowShoeHandler } from './show.js';

/** The lists of tables, shoes, coups and findings. */
@Module({
  imports: [ReadingModule],
  controllers: [ListsController],
  providers: [ShowShoeHandler, ShowCoupHandler, Deadlines],
  exports: [Deadlines],
})
export class ListsModule {}
