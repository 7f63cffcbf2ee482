import type { LogSettings } from '#event-log';
import type { Environment } from '#process';
import { kafkaSettings } from './kafka-settings.js';

/** Where a program without an embedded database finds the rows and the log. */
export interface StoreSettings {
  readonly databaseUrl: string;
  readonly log: LogSettings;
}

const LOGS = ['postgres', 'kafka'] as const;
const PARTITIONS = 16;
/** More than any house needs. Each partition costs a follower's memory and, in Kafka, files. */
const PARTITIONS_MAX = 1024;

/**
 * Reads where the database and the log are. Collects faults in `env`; use the settings only if it
 * has none. The settings of the log are frozen.
 */
export function storeSettings(env: Environment): StoreSettings {
  const databaseUrl = databaseAddress(env);
  const kind = env.oneOf('SHOEPRINT_LOG', LOGS, 'postgres');
  const partitions = logPartitions(env);
  const log: LogSettings =
    kind === 'kafka'
      ? { kind, ...kafkaSettings(env, partitions) }
      : { kind, url: databaseUrl, partitions };
  return { databaseUrl, log: Object.freeze(log) };
}

/** Reads the number of partitions of the log, which cannot change once the log exists. */
export const logPartitions = (env: Environment): number =>
  env.whole('SHOEPRINT_PARTITIONS', PARTITIONS, 1, PARTITIONS_MAX);

const ADDRESS = 'postgres://user:password@host:port/database';

function databaseAddress(env: Environment): string {
  const url = env.secret('DATABASE_URL');
  if (url === undefined)
    env.fault('DATABASE_URL', `is missing: the address of PostgreSQL, ${ADDRESS}`);
  else if (!URL.canParse(url) || !/^postgres(ql)?:\/\//.test(url))
    env.fault('DATABASE_URL', `must be an address such as ${ADDRESS}`);
  return url ?? '';
}
