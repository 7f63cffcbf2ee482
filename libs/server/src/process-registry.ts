import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { EventLog } from '#event-log';

/**
 * Returns a registry with what every program measures: Node's metrics of the process, the limit of
 * its heap, and how the log serves it. Call it once.
 */
export function processRegistry(log: EventLog): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'shoeprint_heap_limit_bytes',
    help: 'The limit of the heap. A process that needs more ends.',
    registers,
  }).set(getHeapStatistics().heap_size_limit);
  new Gauge({
    name: 'shoeprint_log_standstill_seconds',
    help: 'For how long appends or records have waited for the log; 0 if none waits.',
    registers,
    collect() {
      this.set(log.stillMs / 1000);
    },
  });
  new Counter({
    name: 'shoeprint_log_connections_replaced_total',
    help: 'Connections to Kafka that were replaced because they did not answer, or only failed.',
    registers,
    collect() {
      this.reset();
      this.inc(log.replacedConnections);
    },
  });
  return registry;
}
