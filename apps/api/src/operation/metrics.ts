import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The buckets in seconds, from a quarter of a millisecond (one event) to ten seconds. */
const SECONDS = [
  0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * The metrics of this process. Other modules register theirs on `registry`, with the prefix
 * `shoeprint_` and without ids as labels.
 */
export class Metrics {
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  /** Long answers, `of` streams or exports. */
  readonly underWay: Gauge<'of'>;
  readonly refused: Counter<'of'>;

  constructor(readonly registry: Registry) {
    this.requests = new Histogram({
      name: 'shoeprint_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer, by route template.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    });
    this.underWay = new Gauge({
      name: 'shoeprint_answers_under_way',
      help: 'Open streams, and exports under way.',
      labelNames: ['of'],
      registers: [registry],
    });
    this.refused = new Counter({
      name: 'shoeprint_answers_refused_total',
      help: 'Streams and exports that were refused because too many were under way.',
      labelNames: ['of'],
      registers: [registry],
    });
  }
}
