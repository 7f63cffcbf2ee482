import { Module } from '@nestjs/common';
import { RowStore } from '#read-model';
import { DatabaseUrl } from '../settings/tokens.js';
import { OperationController } from './operation.controller.js';
import { ParkedController } from './parked.controller.js';
import {
  DecideParkedHandler,
  Decisions,
  ListParkedHandler,
  ListPositionsHandler,
  ResumePartitionHandler,
} from './parked.js';
import { AskReadinessHandler } from './readiness.js';

const decisions = {
  provide: Decisions,
  inject: [DatabaseUrl],
  useFactory: ({ url }: DatabaseUrl) =>
    new Decisions(RowStore.open(url, { poolSize: 1, applicationName: 'shoeprint-decisions' })),
};

/** Health, metrics, and decisions about parked tables and stopped partitions. */
@Module({
  controllers: [OperationController, ParkedController],
  providers: [
    AskReadinessHandler,
    ListParkedHandler,
    ListPositionsHandler,
    DecideParkedHandler,
    ResumePartitionHandler,
    decisions,
  ],
})
export class OperationModule {}
