import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Commit } from '../writer.js';

/** The metrics of an auditor, as docs/operating/metrics.md describes them. */
export class AuditorMetrics {
  readonly registry = new Registry();
  readonly events = this.counter('shoeprint_projection_events_total', 'Events folded and written');
  readonly byLane = this.counter(
    'shoeprint_projection_lane_events_total',
    'Events of these that the fast path took',
  );
  readonly steppedAgain = this.counter(
    'shoeprint_projection_stepped_again_total',
    'Events that the fast path took and the judges stepped through later',
  );
  readonly commits = this.counter(
    'shoeprint_projection_commits_total',
    'Transactions that wrote rows and positions',
  );
  readonly failures = this.counter(
    'shoeprint_projection_failures_total',
    'Transactions and appends that failed and were retried',
  );
  readonly takeovers = this.counter(
    'shoeprint_projection_takeovers_total',
    'Partitions taken over',
  );
  readonly fenced = this.counter(
    'shoeprint_projection_fenced_total',
    'Partitions found to be owned by another process',
  );
  readonly gaps = this.counter(
    'shoeprint_projection_gaps_declared_total',
    'Holes in the numbers of devices that this process declared gaps',
  );
  readonly lagEvents = this.gauge(
    'shoeprint_projection_lag_events',
    'Records of the log that are not in the rows yet, by owned partition',
    ['partition'],
  );
  readonly lagSeconds = this.gauge(
    'shoeprint_projection_lag_seconds',
    'Age of the last event written, by owned partition; 0 without lag',
    ['partition'],
  );
  readonly lagMisses = this.counter(
    'shoeprint_projection_lag_misses_total',
    'Measurements of a lag that failed because the log did not answer',
  );
  readonly owned = this.gauge(
    'shoeprint_projection_partitions_owned',
    'Partitions owned by this process',
  );
  readonly parked = this.gauge(
    'shoeprint_projection_parked_tables',
    'Parked tables of the partitions that this process owns',
  );
  readonly unsure = this.gauge(
    'shoeprint_projection_unsure_partitions',
    'Partitions whose brokers disagree about their end, as this process sees it',
  );
  readonly stopped = this.gauge(
    'shoeprint_projection_stopped_partitions',
    'Stopped partitions of the log, including those of other owners',
  );
  readonly waiting = this.gauge(
    'shoeprint_findings_waiting',
    'Findings in force without a final ruling, of the partitions that this process owns',
    ['severity', 'state'],
  );
  readonly oldest = this.gauge(
    'shoeprint_finding_oldest_seconds',
    'How long ago the first of them was raised; 0 if none waits',
    ['severity'],
  );
  readonly lapsed = this.counter(
    'shoeprint_findings_lapsed_total',
    'Findings that left a full desk before a ruling',
  );
  readonly fullest = this.gauge(
    'shoeprint_desk_fullest_ratio',
    'How full the fullest desk of a table is of findings that wait; over 1 while a shoe has more than fit',
  );
  readonly commitSeconds = this.histogram(
    'shoeprint_projection_commit_seconds',
    'Time that a transaction took',
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  );
  readonly takeoverSeconds = this.histogram(
    'shoeprint_projection_takeover_seconds',
    'Time that a takeover of a partition took',
    [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30],
  );
  readonly visible = this.histogram(
    'shoeprint_ingest_to_visible_seconds',
    'Time from the receipt of an event to the commit of its rows',
    [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60],
  );

  /** Counts a committed transaction. */
  committed({ events, ms, received, lapsed, lane, again }: Commit): void {
    this.commits.inc();
    this.events.inc(events);
    this.byLane.inc(lane);
    this.steppedAgain.inc(again);
    this.lapsed.inc(lapsed);
    this.commitSeconds.observe(ms / 1000);
    const now = Date.now();
    for (const each of received) this.visible.observe(Math.max(0, now - Date.parse(each)) / 1000);
  }

  /** Removes the series of a partition that is no longer owned. */
  forget(partition: number): void {
    for (const gauge of [this.lagEvents, this.lagSeconds])
      gauge.remove({ partition: String(partition) });
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  private gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
  ): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }
}
