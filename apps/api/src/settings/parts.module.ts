import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Registry } from 'prom-client';
import type { RuleBook } from '#audit';
import { EventLog } from '#event-log';
import { Metrics } from '../operation/metrics.js';
import { ApiSettings } from './api-settings.js';
import type { ExportSources } from '../exports/export-settings.js';
import { Beside, DatabaseUrl, ExportFrom, InstalledRules, type RunsBeside } from './tokens.js';

/**
 * The parts of an api. The api opens and closes its own connections to the database. The caller
 * closes the log.
 */
export interface ApiParts {
  readonly settings: ApiSettings;
  readonly log: EventLog;
  readonly databaseUrl: string;
  readonly book: RuleBook;
  readonly registry: Registry;
  /** What packages are made from. Without it this server makes none. */
  readonly exportFrom?: ExportSources;
  /** The auditor and the sealer, if they run in this process. */
  readonly beside?: RunsBeside;
}

/** Provides what every module of the api may inject. */
@Module({})
export class PartsModule {
  static of(parts: ApiParts): DynamicModule {
    const { settings, log, databaseUrl, book, registry, exportFrom, beside } = parts;
    const providers: Provider[] = [
      { provide: ApiSettings, useValue: settings },
      { provide: EventLog, useValue: log },
      { provide: DatabaseUrl, useValue: new DatabaseUrl(databaseUrl) },
      { provide: InstalledRules, useValue: new InstalledRules(book) },
      { provide: Metrics, useValue: new Metrics(registry) },
      { provide: ExportFrom, useValue: new ExportFrom(exportFrom) },
      { provide: Beside, useValue: new Beside(beside) },
    ];
    return {
      module: PartsModule,
      global: true,
      providers,
      exports: [ApiSettings, EventLog, DatabaseUrl, InstalledRules, Metrics, ExportFrom, Beside],
    };
  }
}
