import { randomUUID } from 'node:crypto';
import { contiguous } from '../contiguous.js';
import { type Batch, Batcher, type BatcherStats, QUEUE_BYTES_MAX } from '../batcher.js';
import {
  type Appended,
  type Appending,
  BrokenLog,
  EventLog,
  type Follower,
  type LogHealth,
  NotRecorded,
  OutcomeUnknown,
  type StoredRecord,
  type RecordHandler,
} from '../port.js';
import { type PullSource, PullFollower, type Wanted } from '../pull-follower.js';

/** Faults that a memory log simulates until they are changed. */
export interface MemoryFaults {
  /** Runs before each send stores anything; the send waits for it. */
  beforeSend?: () => Promise<void>;
  /** Sends fail with `NotRecorded` before they store anything. */
  failBefore?: boolean;
  /** Sends fail with `OutcomeUnknown` after they stored everything. */
  failAfter?: boolean;
  /** Every send is stored twice, as if a client retried after its answer was lost. */
  storeTwice?: boolean;
  /** Reads and appends fail, as while a server restarts. */
  unreachable?: boolean;
  /** Followers deliver every record twice. */
  deliverTwice?: boolean;
  /** Readers do not see the record at this offset. */
  hole?: { readonly partition: number; readonly offset: number };
}

/** A store that several memory logs can share, as processes share a server. */
export class MemoryStore {
  readonly id = randomUUID();
  readonly faults: MemoryFaults = {};
  private readonly records: readonly StoredRecord[][];
  private readonly listeners = new Set<() => void>();

  constructor(readonly partitions: number) {
    this.records = Array.from({ length: partitions }, () => []);
  }

  /**
   * Appends batches and returns the first offset of each. Copies the bytes, so that later changes
   * do not affect them.
   */
  append(batches: readonly Batch[]): number[] {
    const firsts = batches.map(({ partition, records }) => {
      const stored = this.of(partition);
      const first = stored.length;
      for (const { key, value } of records)
        stored.push({ partition, offset: stored.length, key, value: Uint8Array.from(value) });
      return first;
    });
    for (const listener of this.listeners) listener();
    return firsts;
  }

  of(partition: number): StoredRecord[] {
    const stored = this.records[partition];
    if (!stored) throw new RangeError(`partition ${partition} does not exist`);
    return stored;
  }

  /** Calls `listener` after each append. Returns a function that unsubscribes. */
  onAppended(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** Options of a memory log. */
export interface MemoryLogOptions {
  readonly partitions?: number;
  /** A store to share with another log. */
  readonly store?: MemoryStore;
  readonly queueBytesMax?: number;
  readonly sendBytesMax?: number;
}

const PARTITIONS = 4;
const SEND_BYTES_MAX = 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const POLL_MS = 20;

/**
 * A log in this process's memory, for tests. It keeps every promise of `EventLog` but durability,
 * and can simulate faults.
 */
export class MemoryLog extends EventLog {
  readonly store: MemoryStore;
  readonly id: string;
  readonly partitions: number;
  private readonly batcher: Batcher;
  private closed: Promise<void> | undefined;
  private readonly followers = new Set<Follower>();

  constructor({
    partitions = PARTITIONS,
    store = new MemoryStore(partitions),
    queueBytesMax = QUEUE_BYTES_MAX,
    sendBytesMax = SEND_BYTES_MAX,
  }: MemoryLogOptions = {}) {
    super();
    this.store = store;
    this.id = store.id;
    this.partitions = store.partitions;
    this.batcher = new Batcher({
      partitions: store.partitions,
      queues: 1,
      queueOf: () => 0,
      sendBytesMax,
      queueBytesMax,
      send: (batches) => this.send(batches),
    });
  }

  /** Faults to simulate, shared by all logs over the store. Set a member to switch a fault on. */
  get faults(): MemoryFaults {
    return this.store.faults;
  }

  /** Returns counts of sends and records. */
  stats(): BatcherStats {
    return this.batcher.stats();
  }

  append(appending: Appending): Promise<Appended> {
    return this.batcher.append(appending);
  }

  async read(partition: number, from: number, bytes = READ_BYTES): Promise<StoredRecord[]> {
    if (this.faults.unreachable) throw new Error('the memory log cannot be reached');
    const stored = this.store.of(partition);
    if (from > stored.length)
      throw new BrokenLog(
        `partition ${partition} ends at ${stored.length}, before ${from}`,
        partition,
        from,
      );
    const { hole } = this.faults;
    const found: StoredRecord[] = [];
    for (
      let offset = from, left = bytes;
      offset < stored.length && (left > 0 || found.length === 0);
      offset += 1
    ) {
      const record = stored[offset] as StoredRecord;
      if (hole?.partition === partition && hole.offset === offset) continue;
      found.push(record);
      left -= record.value.length;
    }
    return [...contiguous(found, partition, from)];
  }

  async head(partition: number): Promise<number> {
    if (this.faults.unreachable) throw new Error('the memory log cannot be reached');
    return this.store.of(partition).length;
  }

  follow(handler: RecordHandler): Follower {
    const source: PullSource = {
      partitions: this.partitions,
      fetch: (wanted: readonly Wanted[]) =>
        Promise.all(wanted.map(({ partition, from }) => this.read(partition, from))),
      onAppended: (wake) => this.store.onAppended(wake),
      pollMs: POLL_MS,
    };
    const follower = new PullFollower(source, {
      take: async (partition, records) => {
        await handler.take(partition, records);
        if (this.faults.deliverTwice) await handler.take(partition, records);
      },
      stopped: (partition, why) => handler.stopped(partition, why),
    });
    this.followers.add(follower);
    return follower;
  }

  async health(): Promise<LogHealth> {
    const { queuedBytes, queueBytesMax } = this.batcher.stats();
    return {
      reachable: !this.faults.unreachable,
      takesRecords: !this.faults.unreachable,
      powerSafe: false,
      notes: ['not power-safe: the log is in memory'],
      queuedBytes,
      queueBytesMax,
    };
  }

  close(graceMs?: number): Promise<void> {
    return (this.closed ??= this.letGo(graceMs));
  }

  private async letGo(graceMs?: number): Promise<void> {
    await this.batcher.close(graceMs);
    await Promise.all([...this.followers].map((follower) => follower.close()));
  }

  private async send(batches: readonly Batch[]): Promise<number[]> {
    await this.faults.beforeSend?.();
    if (this.faults.failBefore || this.faults.unreachable)
      throw new NotRecorded('the memory log is set to refuse');
    const firsts = this.store.append(batches);
    if (this.faults.storeTwice) this.store.append(batches);
    if (this.faults.failAfter) throw new OutcomeUnknown('the memory log is set to lose its answer');
    return firsts;
  }
}
