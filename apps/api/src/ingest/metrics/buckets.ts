import type { Metric, MetricValueWithName, Registry } from 'prom-client';

/**
 * A Prometheus histogram without labels. A value costs tens of nanoseconds. In prom-client it costs
 * microseconds, a large part of what a request of one event may cost.
 */
export class Buckets {
  private readonly counts: Float64Array;
  private sum = 0;
  private count = 0;

  /** Takes the upper bounds of the buckets, ascending, without infinity. */
  constructor(
    registry: Registry,
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
    registry.registerMetric(this as unknown as Metric);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at += 1;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
    this.count += 1;
  }

  /** Returns the values in the form that a registry reads from its metrics. */
  get(): Promise<{
    readonly name: string;
    readonly help: string;
    readonly type: 'histogram';
    readonly values: readonly MetricValueWithName<string>[];
    readonly aggregator: 'sum';
  }> {
    const { name, help, bounds, counts } = this;
    let below = 0;
    const values: MetricValueWithName<string>[] = [...bounds, '+Inf'].map((le, at) => {
      below += counts[at] as number;
      return { metricName: `${name}_bucket`, labels: { le }, value: below };
    });
    values.push(
      { metricName: `${name}_sum`, labels: {}, value: this.sum },
      { metricName: `${name}_count`, labels: {}, value: this.count },
    );
    return Promise.resolve({ name, help, type: 'histogram', values, aggregator: 'sum' });
  }

  reset(): void {
    this.counts.fill(0);
    this.sum = 0;
    this.count = 0;
  }
}
