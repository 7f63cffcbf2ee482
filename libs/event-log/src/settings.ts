import type { KafkaSettings } from './kafka/client.js';
import type { PostgresLogSettings } from './postgres/postgres-log.js';

/** Which log, and how it is reached. */
export type LogSettings =
  | ({ readonly kind: 'postgres' } & PostgresLogSettings)
  | ({ readonly kind: 'kafka' } & KafkaSettings);
