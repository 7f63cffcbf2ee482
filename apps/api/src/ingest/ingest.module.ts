import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { EventLog } from '#event-log';
import { IdentityModule } from '../identity/identity.module.js';
import { Metrics } from '../operation/metrics.js';
import { ReadingModule } from '../reading/reading.module.js';
import { AppendEventsHandler } from './append-events.js';
import { takeEventBodies } from './body/event-body.js';
import { CheckEventsHandler } from './check/check-events.js';
import { IngestController } from './ingest.controller.js';
import { LogAppends } from './log-appends.js';
import { IngestMetrics } from './metrics/ingest-metrics.js';

const metrics = {
  provide: IngestMetrics,
  inject: [Metrics, EventLog],
  useFactory: ({ registry }: Metrics, log: EventLog) => new IngestMetrics(registry, log),
};

/** Records events. Other modules provide `EventLog`, `InstalledRules`, `Metrics` and the buses. */
@Module({
  imports: [IdentityModule, ReadingModule],
  controllers: [IngestController],
  providers: [AppendEventsHandler, CheckEventsHandler, LogAppends, metrics],
  exports: [LogAppends, IngestMetrics],
})
export class IngestModule {
  /** Adds the parsers of event bodies, which must happen before Nest registers its routes. */
  constructor(host: HttpAdapterHost) {
    takeEventBodies(host.httpAdapter.getInstance<FastifyInstance>());
  }
}
