export * from './port.js';
export { partitionOf } from './partition.js';
export { MemoryLog, MemoryStore, type MemoryFaults, type MemoryLogOptions } from './memory-log.js';
export { QUEUE_BYTES_MAX, type GatherStats } from './gather.js';
export { PostgresLog, type PostgresLogSettings } from './postgres-log.js';
export { KafkaLog } from './kafka-log.js';
export { type KafkaSettings } from './kafka-client.js';
export { logSettings, type LogSettings } from './settings.js';
export { openLog } from './open.js';
