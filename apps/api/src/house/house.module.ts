import { Global, Module } from '@nestjs/common';
import { HouseController } from './house.controller.js';
import { HouseOutbox } from './house-outbox.js';
import { HouseRecord } from './house-record.js';

/** The record of who did what in the house, for every module that does something. */
@Global()
@Module({
  controllers: [HouseController],
  providers: [HouseOutbox, HouseRecord],
  exports: [HouseRecord],
})
export class HouseModule {}
