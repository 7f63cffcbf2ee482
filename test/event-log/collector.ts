import type { StoredRecord, RecordHandler } from '#event-log';

/** A record handler that keeps the records it takes, and first runs what a test passes to it. */
export class Collector implements RecordHandler {
  readonly taken: StoredRecord[][] = [];
  readonly stops: { readonly partition: number; readonly why: Error }[] = [];
  /** The most takes of one partition that were under way at once. */
  atOnceMax = 0;
  private readonly busy = new Map<number, number>();

  constructor(
    private readonly first: (
      partition: number,
      records: readonly StoredRecord[],
    ) => Promise<void> = async () => undefined,
  ) {}

  async take(partition: number, records: readonly StoredRecord[]): Promise<void> {
    const busy = (this.busy.get(partition) ?? 0) + 1;
    this.atOnceMax = Math.max(this.atOnceMax, busy);
    this.busy.set(partition, busy);
    try {
      await this.first(partition, records);
      (this.taken[partition] ??= []).push(...records);
    } finally {
      this.busy.set(partition, (this.busy.get(partition) as number) - 1);
    }
  }

  stopped(partition: number, why: Error): void {
    this.stops.push({ partition, why });
  }

  /**
   * Returns the values of a partition as text, each offset once, since delivery is at least once.
   */
  texts(partition: number): string[] {
    const once = new Map(
      (this.taken[partition] ?? []).map(({ offset, value }) => [offset, text(value)]),
    );
    return [...once.values()];
  }

  offsets(partition: number): number[] {
    return (this.taken[partition] ?? []).map(({ offset }) => offset);
  }
}

export const text = (value: Uint8Array): string => Buffer.from(value).toString();
