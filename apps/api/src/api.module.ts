import {
  type DynamicModule,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';
import { CqrsModule, UnhandledExceptionBus } from '@nestjs/cqrs';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { RuleBook } from '#audit';
import { EventLog } from '#event-log';
import { readModelDataSource, RowStore } from '#read-model';
import type { Registry } from 'prom-client';
import { asError } from '#process';
import { accessOptions } from './identity/access-database.js';
import { AccountsController } from './identity/accounts.controller.js';
import {
  ChangeAccountHandler,
  CreateAccountHandler,
  ListAccountsHandler,
} from './identity/accounts.js';
import { CreateKeyHandler, ListKeysHandler, RevokeKeyHandler } from './identity/device-keys.js';
import { Gate } from './identity/gate.js';
import { Identities } from './identity/identities.js';
import { KeysController } from './identity/keys.controller.js';
import { SessionController } from './identity/session.controller.js';
import { SignInHandler, SignOutHandler } from './identity/sign-in.js';
import { IngestModule } from './ingest/ingest.module.js';
import { Metrics } from './operation/metrics.js';
import { OperationController } from './operation/operation.controller.js';
import { ParkedController } from './operation/parked.controller.js';
import {
  DecideParkedHandler,
  Decisions,
  ListParkedHandler,
  ListPositionsHandler,
  ResumePartitionHandler,
} from './operation/parked.js';
import { AskReadinessHandler } from './operation/readiness.js';
import { READING_CONTROLLERS, READING_PROVIDERS } from './reading/reading-parts.js';
import { ApiSettings } from './settings/api-settings.js';
import { InstalledRules, ROWS } from './settings/tokens.js';

/** What the api is made of; it opens its own connections to the database, and closes them. The log it only uses. */
export interface ApiParts {
  readonly settings: ApiSettings;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly book: RuleBook;
  readonly registry: Registry;
}

/** Connections for what people and screens ask; each asks for a moment. */
const ROWS_POOL_MAX = 10;
/** A report of a year ends in this time or is given up, and its connection is free again. */
const ROWS_STATEMENT_MS_MAX = 30_000;
const CONNECT_MS_MAX = 2000;

/** The rows as #read-model reads them, bounded in time. */
function rowsOptions(databaseUrl: string, lost: (error: Error) => void): TypeOrmModuleOptions {
  const { options } = readModelDataSource(databaseUrl, {
    poolSize: ROWS_POOL_MAX,
    applicationName: 'shoeprint-api',
  });
  const extra = { ...(options.extra as object), statement_timeout: ROWS_STATEMENT_MS_MAX };
  return {
    ...options,
    connectTimeoutMS: CONNECT_MS_MAX,
    poolErrorHandler: lost,
    extra,
    retryAttempts: 1,
  } as TypeOrmModuleOptions;
}

/** Provides what every module of the api may inject. */
@Module({})
class PartsModule {
  static of({ settings, log, book, registry }: ApiParts): DynamicModule {
    const providers: Provider[] = [
      { provide: ApiSettings, useValue: settings },
      { provide: EventLog, useValue: log },
      { provide: InstalledRules, useValue: new InstalledRules(book) },
      { provide: Metrics, useValue: new Metrics(registry) },
    ];
    return {
      module: PartsModule,
      global: true,
      providers,
      exports: [ApiSettings, EventLog, InstalledRules, Metrics],
    };
  }
}

/** Whether the api is being closed: a connection that ends then is no loss. */
class Closing {
  hasBegun = false;
}

/** The api whole: its parts, its connections, and a module for each subject. */
@Module({})
export class ApiModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('cqrs');

  constructor(
    private readonly unhandled: UnhandledExceptionBus,
    private readonly closing: Closing,
  ) {}

  static of(parts: ApiParts): DynamicModule {
    const closing = new Closing();
    const lost = (error: Error): void => {
      if (!closing.hasBegun)
        new Logger('database').warn({
          message: 'an idle connection was lost',
          error: error.message,
        });
    };
    return {
      module: ApiModule,
      imports: [
        PartsModule.of(parts),
        CqrsModule.forRoot(),
        IngestModule,
        TypeOrmModule.forRoot({ ...accessOptions(parts.databaseUrl, lost), retryAttempts: 1 }),
        TypeOrmModule.forRootAsync({
          name: ROWS,
          useFactory: () => rowsOptions(parts.databaseUrl, lost),
          dataSourceFactory: async (options) =>
            new DataSource(options as DataSourceOptions).initialize(),
        }),
      ],
      controllers: [
        SessionController,
        AccountsController,
        KeysController,
        OperationController,
        ParkedController,
        ...READING_CONTROLLERS,
      ],
      providers: [
        { provide: Closing, useValue: closing },
        Identities,
        Gate,
        SignInHandler,
        SignOutHandler,
        CreateAccountHandler,
        ChangeAccountHandler,
        ListAccountsHandler,
        CreateKeyHandler,
        RevokeKeyHandler,
        ListKeysHandler,
        AskReadinessHandler,
        ListParkedHandler,
        ListPositionsHandler,
        DecideParkedHandler,
        ResumePartitionHandler,
        {
          provide: Decisions,
          useFactory: () =>
            new Decisions(
              RowStore.open(parts.databaseUrl, {
                poolSize: 1,
                applicationName: 'shoeprint-decisions',
              }),
            ),
        },
        ...READING_PROVIDERS,
      ],
    };
  }

  /** Before any connection is let go. */
  onModuleDestroy(): void {
    this.closing.hasBegun = true;
  }

  /** A handler that fails with nobody waiting for it would be dropped by the buses; here it is told, loudly. */
  onApplicationBootstrap(): void {
    this.unhandled.subscribe(({ exception }: { exception: unknown }) => {
      const { message, stack } = asError(exception);
      this.logger.fatal({
        message: 'a handler failed with nobody waiting for it',
        error: message,
        stack,
      });
    });
  }
}
