import { Counter, Gauge, type Registry } from 'prom-client';
import type { EventLog } from '#event-log';
import type { Problem } from '../../problems/problems.js';
import { Buckets } from './buckets.js';

/** The outcome of an event that was sent. */
export type IngestResult = 'recorded' | 'malformed' | 'refused' | 'not-recorded' | 'unknown';

/**
 * The metrics of ingestion. The labels are types and results, which are few, and never ids. Every
 * request passes here, so it only counts, and makes metrics of the counts when Prometheus asks.
 */
export class IngestMetrics {
  private readonly events = new Map<string, Map<IngestResult, number>>();
  private readonly bytes: Buckets;
  private readonly seconds: Buckets;

  constructor(registry: Registry, log: EventLog) {
    const registers = [registry];
    const { events } = this;
    new Counter({
      name: 'shoeprint_ingest_events_total',
      help: 'Events taken in, by type ("none" where it could not be read) and what became of them.',
      labelNames: ['type', 'result'],
      registers,
      collect() {
        this.reset();
        for (const [type, results] of events)
          for (const [result, count] of results) this.inc({ type, result }, count);
      },
    });
    this.bytes = new Buckets(
      registry,
      'shoeprint_ingest_request_bytes',
      'Bytes of the bodies of events, unpacked.',
      [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216],
    );
    this.seconds = new Buckets(
      registry,
      'shoeprint_ingest_request_seconds',
      'From a body of events read to its answer, durability included.',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    );
    for (const [name, help, figure] of [
      ['shoeprint_ingest_queue_bytes', 'Bytes that wait to be appended to the log.', 'queuedBytes'],
      [
        'shoeprint_ingest_queue_bytes_max',
        'Bytes that may wait to be appended; over it requests are answered 503.',
        'queueBytesMax',
      ],
      [
        'shoeprint_log_reachable',
        'Whether the log answers and takes records: 1 or 0; /readyz says why not.',
        'takesRecords',
      ],
      [
        'shoeprint_log_power_safe',
        'Whether what is acknowledged survives the loss of power of any one machine: 1 or 0; /readyz says why not.',
        'powerSafe',
      ],
    ] as const) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(Number((await log.health())[figure]));
        },
      });
    }
  }

  /** Counts the events of a request by type, all with one result. */
  count(types: ReadonlyMap<string, number>, result: IngestResult): void {
    for (const [type, events] of types) this.add(type, result, events);
  }

  add(type: string, result: IngestResult, events: number): void {
    let results = this.events.get(type);
    if (results === undefined) {
      results = new Map();
      this.events.set(type, results);
    }
    results.set(result, (results.get(result) ?? 0) + events);
  }

  request(bytes: number, seconds: number): void {
    this.bytes.observe(bytes);
    this.seconds.observe(seconds);
  }
}

/** Returns the result of the events of a request that ended in this problem. */
export function ingestResultOf({ problem }: Problem): IngestResult {
  if (problem === 'not-recorded') return 'not-recorded';
  return problem === 'outcome-unknown' ? 'unknown' : 'refused';
}
