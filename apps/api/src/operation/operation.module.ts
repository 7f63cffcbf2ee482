import { Module } from '@nestjs/common';
import { RowStore } from '#read-model';
import { IdentityModule } from '../identity/identity.module.js';
import { DatabaseUrl } from '../settings/tokens.js';
import { DatabaseWatch } from './database-watch.js';
import { OperationController } from './operation.controller.js';
import { ParkedController } from './parked.controller.js';
import {
  DecideParkedHandler,
  ParkingStore,
  ListParkedHandler,
  ListPositionsHandler,
  ResumePartitionHandler,
} from './parked.js';
import { AskReadinessHandler } from './readiness.js';

const decisions = {
  provide: ParkingStore,
  inject: [DatabaseUrl],
  useFactory: ({ url }: DatabaseUrl) =>
    new ParkingStore(RowStore.open(url, { poolSize: 1, applicationName: 'shoeprint-decisions' })),
};

/** Health, metrics, and decisions about parked tables and stopped partitions. */
@Module({
  imports: [IdentityModule],
  controllers: [OperationController, ParkedController],
  providers: [
    AskReadinessHandler,
    DatabaseWatch,
    ListParkedHandler,
    ListPositionsHandler,
    DecideParkedHandler,
    ResumePartitionHandler,
    decisions,
  ],
})
export class OperationModule {}
