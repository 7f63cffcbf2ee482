import { type DynamicModule, Logger, Module, type OnModuleDestroy } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { readModelDataSource } from '#read-model';
import { accessOptions } from '../identity/database/access-database.js';
import { FOLLOWED, RESUMING_MAX, ROWS } from './tokens.js';

/**
 * The connections of each data source of rows. `ROWS` serves people and screens, two exports at
 * most among them. `FOLLOWED` has one for positions, one for what all streams share, and the rest
 * for streams that resume from far behind.
 */
const POOLS = {
  [ROWS]: { poolSize: 10, applicationName: 'shoeprint-api' },
  [FOLLOWED]: { poolSize: 2 + RESUMING_MAX, applicationName: 'shoeprint-stream' },
} as const;
/**
 * The longest query of rows, such as a report of a year. A longer one is canceled, which frees its
 * connection.
 */
const ROWS_STATEMENT_MS_MAX = 30_000;

/** Returns the options of a data source of the rows. */
function rowsOptions(
  databaseUrl: string,
  name: keyof typeof POOLS,
  lost: (error: Error) => void,
): TypeOrmModuleOptions {
  const { options } = readModelDataSource(databaseUrl, {
    ...POOLS[name],
    statementMs: ROWS_STATEMENT_MS_MAX,
  });
  return { ...options, poolErrorHandler: lost, retryAttempts: 1 } as TypeOrmModuleOptions;
}

/**
 * Warns of idle connections that break. It stops when the api begins to close, because closing ends
 * connections.
 */
class IdleConnections implements OnModuleDestroy {
  private readonly logger = new Logger('database');
  private isClosing = false;

  readonly lost = (error: Error): void => {
    if (!this.isClosing)
      this.logger.warn({ message: 'idle connection lost', error: error.message });
  };

  onModuleDestroy(): void {
    this.isClosing = true;
  }
}

/**
 * The connections of the api to accounts, keys and rows. It opens them, and closes them with the
 * application.
 */
@Module({})
export class DatabaseModule {
  static of(databaseUrl: string): DynamicModule {
    const idle = new IdleConnections();
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({ ...accessOptions(databaseUrl, idle.lost), retryAttempts: 1 }),
        ...([ROWS, FOLLOWED] as const).map((name) =>
          TypeOrmModule.forRootAsync({
            name,
            useFactory: () => rowsOptions(databaseUrl, name, idle.lost),
            dataSourceFactory: async (options) =>
              new DataSource(options as DataSourceOptions).initialize(),
          }),
        ),
      ],
      providers: [{ provide: IdleConnections, useValue: idle }],
    };
  }
}
