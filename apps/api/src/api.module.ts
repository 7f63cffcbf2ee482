import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { CqrsModule, UnhandledExceptionBus } from '@nestjs/cqrs';
import { asError } from '#process';
import { RequestPipe } from './http/validation.pipe.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { FindingsModule } from './findings/findings.module.js';
import { HouseModule } from './house/house.module.js';
import { IngestModule } from './ingest/ingest.module.js';
import { ListsModule } from './lists/lists.module.js';
import { OperationModule } from './operation/operation.module.js';
import { RecordModule } from './record/record.module.js';
import { ReviewModule } from './review/review.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { RulesModule } from './rules/rules.module.js';
import { DatabaseModule } from './settings/database.module.js';
import { type ApiParts, PartsModule } from './settings/parts.module.js';
import { SiteLogModule } from './site-log/site-log.module.js';
import { StreamModule } from './stream/stream.module.js';

/** The whole api: its parts, its connections, and a module for each subject. */
@Module({})
export class ApiModule implements OnApplicationBootstrap {
  private readonly logger = new Logger('cqrs');

  constructor(private readonly unhandled: UnhandledExceptionBus) {}

  static of(parts: ApiParts): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        PartsModule.of(parts),
        DatabaseModule.of(parts.databaseUrl),
        CqrsModule.forRoot(),
        HouseModule,
        IngestModule,
        IdentityModule,
        OperationModule,
        ListsModule,
        FindingsModule,
        RecordModule,
        ReportsModule,
        RulesModule,
        ReviewModule,
        DeliveriesModule,
        SiteLogModule,
        ExportsModule,
        StreamModule,
      ],
      providers: [{ provide: APP_PIPE, useClass: RequestPipe }],
    };
  }

  /** Logs the exceptions of handlers that nobody awaits. The buses would drop them. */
  onApplicationBootstrap(): void {
    this.unhandled.subscribe(({ exception }: { exception: unknown }) => {
      const { message, stack } = asError(exception);
      this.logger.fatal({
        message: 'unhandled exception in a handler',
        error: message,
        stack,
      });
    });
  }
}
