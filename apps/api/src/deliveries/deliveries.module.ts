import { Module } from '@nestjs/common';
import { ReadingModule } from '../reading/reading.module.js';
import { DeliveriesController } from './deliveries.controller.js';

/** What keys have sent. */
@Module({ imports: [ReadingModule], controllers: [DeliveriesController] })
export class DeliveriesModule {}
