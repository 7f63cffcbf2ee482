export * from './port.js';
export { partitionOf } from './partition.js';
export { recordsAt } from './records-at.js';
export {
  MemoryLog,
  MemoryStore,
  type MemoryFaults,
  type MemoryLogOptions,
} from './memory/memory-log.js';
export { QUEUE_BYTES_MAX, type BatcherStats } from './batcher.js';
export { PostgresLog, type PostgresLogSettings } from './postgres/postgres-log.js';
export { LOG_ROLE } from './postgres/schema.js';
export { limitToKey, type KeyLimit } from './postgres/limits.js';
export { KafkaLog } from './kafka/kafka-log.js';
export { type KafkaSettings } from './kafka/client.js';
export { type LogSettings } from './settings.js';
export { openLog } from './open.js';
