import type { KafkaSettings } from './kafka/client.js';
import type { PostgresLogSettings } from './postgres/postgres-log.js';

/** Selects the log and says how to connect to it. */
export type LogSettings =
  | ({ readonly kind: 'postgres' } & PostgresLogSettings)
  | ({ readonly kind: 'kafka' } & KafkaSettings);
