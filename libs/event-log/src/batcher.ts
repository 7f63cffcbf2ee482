import { asError } from '#process';
import { AppendQueue, type Slice, type Waiting, weightOf } from './append-queue.js';
import {
  type Appended,
  type Appending,
  type LogRecord,
  NotRecorded,
  OutcomeUnknown,
  RECORD_BYTES_MAX,
  type Urgency,
} from './port.js';

/** The records of one partition in one send, in their order. */
export interface Batch {
  readonly partition: number;
  readonly records: readonly LogRecord[];
}

/** How a `Batcher` sends. */
export interface BatcherOptions {
  /** Partitions are numbered from 0. */
  readonly partitions: number;
  /**
   * Each queue has at most one send under way. `queueOf` returns the queue of a partition, from 0
   * to `queues - 1`.
   */
  readonly queues: number;
  readonly queueOf: (partition: number) => number;
  /**
   * Limit of one send in bytes: keys, values and 64 for each record. It must hold at least two of
   * the longest records.
   */
  readonly sendBytesMax: number;
  /**
   * Appends each partition's records durably. Resolves with the offset of the first record of each
   * batch, in the order of the batches. Rejects with `NotRecorded` only if no record of the whole
   * send is in the log or ever will be; any other rejection counts as `OutcomeUnknown`. A send has
   * at most one batch for each partition.
   */
  readonly send: (batches: readonly Batch[], queue: number) => Promise<readonly number[]>;
  /** Limit of the bytes that wait or are under way. */
  readonly queueBytesMax?: number;
  /** How many of those bytes are reserved for live appends. */
  readonly liveReserveBytes?: number;
}

/** Counts since the start. */
export interface BatcherStats {
  readonly queuedBytes: number;
  readonly queueBytesMax: number;
  /** Sends that ended, including those that failed. */
  readonly sends: number;
  /** Acknowledged records. */
  readonly records: number;
  /** Rejected sends. */
  readonly failures: number;
}

/** Default limit of the bytes of waiting appends. */
export const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const LIVE_RESERVE_BYTES = 8 * 1024 * 1024;
const GRACE_MS = 10_000;
/** How long an append may have waited behind a send that failed. */
const BEHIND_MS_MAX = 2_000;

/**
 * Batches appends: appends that arrive while a send is under way go into the next one. There is no
 * timer, so an idle log appends at once. Appends of one urgency keep their order within a
 * partition.
 */
export class Batcher {
  private readonly queues: readonly AppendQueue[];
  private readonly queueBytesMax: number;
  private readonly bulkBytesMax: number;
  private readonly open = new Set<Waiting>();
  private queuedBytes = 0;
  private sends = 0;
  private records = 0;
  private failures = 0;
  private closing = false;
  private whenEmpty: (() => void) | undefined;

  constructor(private readonly options: BatcherOptions) {
    const {
      queues,
      sendBytesMax,
      queueBytesMax = QUEUE_BYTES_MAX,
      liveReserveBytes = Math.min(LIVE_RESERVE_BYTES, queueBytesMax / 8),
    } = options;
    if (sendBytesMax < 2 * RECORD_BYTES_MAX)
      throw new RangeError(
        `a send of ${sendBytesMax} bytes does not hold two of the longest records`,
      );
    this.queues = Array.from({ length: queues }, () => new AppendQueue(sendBytesMax));
    this.queueBytesMax = queueBytesMax;
    this.bulkBytesMax = queueBytesMax - liveReserveBytes;
  }

  /**
   * Appends as `EventLog.append` does. Throws `RangeError` if the partition does not exist or there
   * are no records: both are bugs of the caller.
   */
  async append(appending: Appending): Promise<Appended> {
    const { partition, records, urgency } = appending;
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.options.partitions)
      throw new RangeError(
        `partition ${partition} does not exist (expected 0 to ${this.options.partitions - 1})`,
      );
    if (records.length === 0) throw new RangeError('an append needs at least one record');
    const weight = this.admit(records, urgency);
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const asked = { partition, records, urgency, weight, since };
      const waiting: Waiting = { handed: 0, resolve, reject, ...asked };
      this.open.add(waiting);
      this.queuedBytes += weight;
      const number = this.options.queueOf(partition);
      const queue = this.queues[number] as AppendQueue;
      queue.add(waiting);
      if (!queue.sending) this.start(queue, number);
    });
  }

  stats(): BatcherStats {
    const { queuedBytes, queueBytesMax, sends, records, failures } = this;
    return { queuedBytes, queueBytesMax, sends, records, failures };
  }

  /**
   * Rejects new appends and finishes the waiting ones. After `graceMs`, appends that were not sent
   * reject with `NotRecorded`, and those under way with `OutcomeUnknown`.
   */
  async close(graceMs = GRACE_MS): Promise<void> {
    this.closing = true;
    if (this.open.size === 0) return;
    const empty = new Promise<void>((resolve) => (this.whenEmpty = resolve));
    const timer = setTimeout(() => this.giveUp(), graceMs);
    await empty;
    clearTimeout(timer);
  }

  /** Returns the weight of the records. Throws `NotRecorded` if the queue cannot take them. */
  private admit(records: readonly LogRecord[], urgency: Urgency): number {
    if (this.closing) throw new NotRecorded('the log is closing');
    let weight = 0;
    for (const record of records) {
      if (record.value.length > RECORD_BYTES_MAX)
        throw new NotRecorded(
          `a record of ${record.value.length} bytes is over the limit of ${RECORD_BYTES_MAX}`,
        );
      // PostgreSQL's `text` cannot hold such keys, and one of them would fail every append of the
      // same send.
      if (record.key.includes('\0') || !wellFormed(record.key))
        throw new NotRecorded('a key must be well-formed text without NUL');
      weight += weightOf(record);
    }
    const max = urgency === 'live' ? this.queueBytesMax : this.bulkBytesMax;
    if (this.queuedBytes + weight > max)
      throw new NotRecorded(
        `${weight} bytes do not fit in the queue: ${this.queuedBytes} of ${max} bytes wait to be appended`,
      );
    return weight;
  }

  private start(queue: AppendQueue, number: number): void {
    queue.sending = true;
    // Everything appended in the same turn of the event loop shares a send: one request writes to
    // several partitions.
    queueMicrotask(() => void this.run(queue, number));
  }

  private async run(queue: AppendQueue, number: number): Promise<void> {
    for (;;) {
      const slices = queue.next();
      if (slices.length === 0) break;
      const batches = [...batchesOf(slices).values()];
      try {
        const firsts = await this.options.send(
          batches.map(({ partition, slices: own }) => ({
            partition,
            records: own.flatMap(({ of, from, to }) => of.records.slice(from, to)),
          })),
          number,
        );
        for (const [at, batch] of batches.entries())
          this.acknowledge(batch.slices, firsts[at] as number);
      } catch (error) {
        this.failures += 1;
        for (const { of, from } of slices) {
          queue.drop(of);
          this.fail(of, from, error);
        }
        this.refuseOlder(queue, error);
      }
      this.sends += 1;
    }
    queue.sending = false;
  }

  private acknowledge(slices: readonly Slice[], first: number): void {
    let offset = first;
    for (const { of, from, to } of slices) {
      of.first ??= offset;
      offset += to - from;
      this.records += to - from;
      if (to < of.records.length) continue;
      of.resolve({ partition: of.partition, first: of.first, next: offset });
      this.settled(of);
    }
  }

  private fail(waiting: Waiting, recorded: number, error: unknown): void {
    const nothing = error instanceof NotRecorded && recorded === 0;
    const why = asError(error).message;
    if (nothing || error instanceof OutcomeUnknown) waiting.reject(error);
    else if (recorded > 0)
      waiting.reject(
        new OutcomeUnknown(
          `${recorded} of ${waiting.records.length} records are in the log, then: ${why}`,
          { cause: error },
        ),
      );
    else waiting.reject(new OutcomeUnknown(why, { cause: error }));
    this.settled(waiting);
  }

  /**
   * Rejects what has waited long behind a send that failed, since its own send may take as long
   * again. A sender waits for one send, not for two.
   */
  private refuseOlder(queue: AppendQueue, error: unknown): void {
    const why = asError(error).message;
    for (const waiting of queue.takeOlder(performance.now() - BEHIND_MS_MAX)) {
      waiting.reject(new NotRecorded(`the append before it failed: ${why}`, { cause: error }));
      this.settled(waiting);
    }
  }

  private settled(waiting: Waiting): void {
    if (!this.open.delete(waiting)) return;
    this.queuedBytes -= waiting.weight;
    if (this.open.size === 0) this.whenEmpty?.();
  }

  private giveUp(): void {
    for (const queue of this.queues) {
      for (const waiting of queue.clear()) {
        if (waiting.handed > 0) continue;
        waiting.reject(new NotRecorded('the log was closed before the records were sent'));
        this.settled(waiting);
      }
    }
    for (const waiting of [...this.open]) {
      waiting.reject(new OutcomeUnknown('the log was closed while the records were under way'));
      this.settled(waiting);
    }
  }
}

/**
 * Returns whether the text has no lone surrogate. The ES2023 library does not declare
 * `isWellFormed` yet.
 */
const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Groups the slices of a send by partition, in their order. */
function batchesOf(slices: readonly Slice[]): Map<number, { partition: number; slices: Slice[] }> {
  const batches = new Map<number, { partition: number; slices: Slice[] }>();
  for (const slice of slices) {
    const { partition } = slice.of;
    const batch = batches.get(partition);
    if (batch) batch.slices.push(slice);
    else batches.set(partition, { partition, slices: [slice] });
  }
  return batches;
}
