import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Seconds, from a quarter of a millisecond (one event) to the longest request that is waited for. */
const SECONDS = [
  0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What this process counts. Other modules register theirs on `registry`, prefix `shoeprint_`, no ids as labels. */
export class Metrics {
  readonly requests: Histogram<'method' | 'route' | 'status'>;

  constructor(readonly registry: Registry) {
    this.requests = new Histogram({
      name: 'shoeprint_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer, by route template.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    });
  }
}

/** A registry with what Node tells of the process, for an app's main: one a process. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
