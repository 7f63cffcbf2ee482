import type { RecordHandler, StoredRecord } from '#event-log';

/** Waiting records are committed at once if they are this many, or this large. */
const RECORDS_MAX = 1_000;
const BYTES_MAX = 256 * 1024;
/** The longest that fewer records wait for others to come with them. */
const WAIT_MS = 500;

/** Records of one partition as they were read, and what to call with what became of them. */
export interface ReadRecords {
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** They are committed. */
  readonly done: () => void;
  /** They are not, and the follower must not go on in this partition. */
  readonly failed: (why: Error) => void;
}

/** A partition that its follower stopped. */
export interface StoppedFollowing {
  readonly partition: number;
  readonly why: Error;
}

/**
 * Takes what the follower reads, until the session commits it. Only then does the follower continue
 * in a partition, so at most one delivery of each partition waits here.
 */
export class SealIntake implements RecordHandler {
  private deliveries: ReadRecords[] = [];
  private stops: StoppedFollowing[] = [];
  private records = 0;
  private bytes = 0;
  private since = 0;
  private why: Error | undefined;

  /** `wake` is called when there is something to do at once. */
  constructor(private readonly wake: () => void) {}

  take(partition: number, records: readonly StoredRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.why) return void reject(this.why);
      if (this.deliveries.length === 0) this.since = performance.now();
      this.deliveries.push({ partition, records, done: resolve, failed: reject });
      this.records += records.length;
      this.bytes += records.reduce((sum, { value }) => sum + value.length, 0);
      if (this.isFull) this.wake();
    });
  }

  stopped(partition: number, why: Error): void {
    if (this.why) return;
    this.stops.push({ partition, why });
    this.wake();
  }

  /** Whether records wait that should be committed now. */
  get isDue(): boolean {
    return this.isFull || (this.deliveries.length > 0 && performance.now() - this.since >= WAIT_MS);
  }

  /** Returns all that waits, in the order of its coming, and empties the intake. */
  drain(): readonly ReadRecords[] {
    const { deliveries } = this;
    this.deliveries = [];
    this.records = 0;
    this.bytes = 0;
    return deliveries;
  }

  /** Returns the partitions that were stopped since the last call. */
  drainStops(): StoppedFollowing[] {
    const { stops } = this;
    this.stops = [];
    return stops;
  }

  /** Stops taking records. What waits is not committed and will be read again. */
  close(why: Error): void {
    this.why = why;
    for (const { failed } of this.deliveries) failed(why);
    this.deliveries = [];
  }

  private get isFull(): boolean {
    return this.records >= RECORDS_MAX || this.bytes >= BYTES_MAX;
  }
}
