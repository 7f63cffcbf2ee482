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
import { StoppedRecordController } from './stopped-record.controller.js';
import { PassRecordHandler, ShowStoppedRecordHandler, StoppedRecords } from './stopped-record.js';

const decisions = {
  provide: ParkingStore,
  inject: [DatabaseUrl],
  useFactory: ({ url }: DatabaseUrl) =>
    new ParkingStore(RowStore.open(url, { poolSize: 1, applicationName: 'shoeprint-decisions' })),
};

/** Health, metrics, and decisions about parked tables and stopped partitions. */
@Module({
  imports: [IdentityModule],
  controllers: [OperationController, ParkedController, StoppedRecordController],
  providers: [
    AskReadinessHandler,
    DatabaseWatch,
    ListParkedHandler,
    ListPositionsHandler,
    DecideParkedHandler,
    ResumePartitionHandler,
    StoppedRecords,
    ShowStoppedRecordHandler,
    PassRecordHandler,
    decisions,
  ],
})
export class OperationModule {}
