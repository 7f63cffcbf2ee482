import { logSettings, type LogSettings } from '#event-log';
import type { Environment } from '#process';

/** Where a program that has no database of its own finds the log and the rows. */
export interface StoreSettings {
  readonly databaseUrl: string;
  readonly log: LogSettings;
}

/** Reads where the database and the log are; faults are collected in `env`, one of each variable. Only what has no fault may be used. */
export function storeSettings(env: Environment): StoreSettings {
  const databaseUrl = env.secret('DATABASE_URL');
  const { settings, faults } = logSettings(env.variables);
  env.faultsOfOthers(faults);
  if (databaseUrl === undefined)
    env.faultsOfOthers([
      'DATABASE_URL: is missing: where PostgreSQL is, postgres://user:password@host:port/database',
    ]);
  else if (!URL.canParse(databaseUrl) || !/^postgres(ql)?:\/\//.test(databaseUrl))
    env.faultsOfOthers([
      'DATABASE_URL: must be an address such as postgres://user:password@host:port/database',
    ]);
  return { databaseUrl: databaseUrl as string, log: settings as LogSettings }; // each is there where it has no fault
}
