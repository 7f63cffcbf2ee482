import { Refusal } from '#process';

/**
 * One record as the log takes and returns it: bytes under a key. The log never looks into the
 * bytes.
 */
export interface LogRecord {
  /** Records with the same key are in the same partition, in order. */
  readonly key: string;
  readonly value: Uint8Array;
}

/** A record with its position. Offsets of a partition begin at 0 and have no holes. */
export interface StoredRecord extends LogRecord {
  readonly partition: number;
  readonly offset: number;
  /** When the log took it, in milliseconds since 1970; undefined if the log does not keep that. */
  readonly time?: number | undefined;
}

/**
 * How soon an append is sent: `live` appends, for which people wait at a table, go before the
 * `bulk` ones of a file.
 */
export type Urgency = 'live' | 'bulk';

/** Records to append to one partition, in this order. */
export interface Appending {
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly urgency: Urgency;
}

/**
 * Where records were appended. `next` is the offset after the last of them, which a reader waits
 * for.
 */
export interface Appended {
  readonly partition: number;
  readonly first: number;
  readonly next: number;
}

/** No record of the append is in the log or ever will be. The caller may send it again. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}

/**
 * The records may or may not be in the log. The caller sends the same records again, and admission
 * counts them once.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/**
 * The log exists but does not match the settings, for example in its number of partitions. It is
 * not opened.
 */
export class LogRefused extends Refusal {
  override readonly name = 'LogRefused';
}

/** The log cannot be reached, or does not answer, for now. The same request may succeed later. */
export class LogAway extends Error {
  override readonly name = 'LogAway';
}

/**
 * The log is damaged or is another log: unreadable bytes, a hole, or another topic under the same
 * name. Readers stop.
 */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';

  constructor(
    message: string,
    readonly partition?: number,
    readonly offset?: number,
  ) {
    super(message);
  }
}

/** Handles the records that a follower reads: consecutive records of one partition, in order. */
export interface RecordHandler {
  /**
   * Handles records, which start at the requested offset or follow those handled before. Records
   * may come again after a failure (at least once). The follower waits for the promise before it
   * delivers more of the same partition, so a slow handler is not overrun. A rejection stops that
   * partition.
   */
  take(partition: number, records: readonly StoredRecord[]): Promise<void>;
  /**
   * Reports that the follower stopped a partition because of a hole, unreadable bytes or a
   * rejection of `take`. Other partitions continue.
   */
  stopped(partition: number, why: Error): void;
}

/** A running reader of some partitions. */
export interface Follower {
  /**
   * Follows a partition from an offset. A partition that is already followed continues from the new
   * offset.
   */
  add(partition: number, from: number): void;
  /** Stops following a partition. Resolves once its handler is idle. */
  remove(partition: number): Promise<void>;
  /** Stops all partitions. Resolves once every handler is idle. */
  close(): Promise<void>;
}

/** The health of a log. */
export interface LogHealth {
  /** Whether it answers, so that it can be read. */
  readonly reachable: boolean;
  /** Whether it answers and takes records. `notes` says why if it does not. */
  readonly takesRecords: boolean;
  /**
   * Whether an acknowledged record survives a loss of power of any one machine. `notes` says why if
   * it does not.
   */
  readonly powerSafe: boolean;
  readonly notes: readonly string[];
  /** Bytes that wait to be appended, and their limit. */
  readonly queuedBytes: number;
  readonly queueBytesMax: number;
}

/** Work that makes no progress although a new client is served. */
export interface Standstill {
  /** For how long, in milliseconds. */
  readonly ms: number;
  readonly what: string;
}

/**
 * An append-only log in partitions, and its own injection token. Kafka, PostgreSQL and memory
 * implement it.
 */
export abstract class EventLog {
  /**
   * Identity of this log, for example the topic's id. Another log under the same name has another
   * id.
   */
  abstract readonly id: string;
  /** Number of partitions. It never changes. */
  abstract readonly partitions: number;
  /**
   * Resolves once all the records are durable, in their order. Rejects with `NotRecorded` if none
   * was sent (the queue is full, the log is closing, a record is over `RECORD_BYTES_MAX`), and with
   * `OutcomeUnknown` if they may have been recorded.
   */
  abstract append(appending: Appending): Promise<Appended>;
  /**
   * Returns records from an offset on: about `bytes`, at least one record if there is one, and an
   * empty list at the head. Rejects with `BrokenLog` at a hole.
   */
  abstract read(partition: number, from: number, bytes?: number): Promise<StoredRecord[]>;
  /**
   * Returns the offset that the next record will have. A caller that knows of records passes the
   * least offset that it expects as `atLeast`. A head below it is then returned only once it is
   * sure, which may take some seconds: a broker that has slept may answer with an old one.
   */
  abstract head(partition: number, atLeast?: number): Promise<number>;
  /** The partitions whose end is not sure now, because brokers disagree. None by default. */
  get unsure(): readonly number[] {
    return [];
  }
  abstract follow(handler: RecordHandler): Follower;
  abstract health(): Promise<LogHealth>;
  /**
   * Returns for how long this log has done no work that waits for it, if a client that is made now
   * is served: then the fault is in this process, and another start cures it. Undefined if nothing
   * waits, and while the log itself is away. Undefined by default.
   */
  async standstill(): Promise<Standstill | undefined> {
    return undefined;
  }
  /**
   * For how long something has waited for this log without any progress, in milliseconds: appends
   * without an acknowledgement, or records that exist and do not arrive. 0 if nothing waits, and by
   * default.
   */
  get stillMs(): number {
    return 0;
  }
  /**
   * How many connections were replaced since the log was opened, because they did not answer or
   * only failed. 0 by default.
   */
  get replacedConnections(): number {
    return 0;
  }
  /**
   * Stops appends, finishes the queued ones (after `graceMs` they reject with `NotRecorded` or
   * `OutcomeUnknown`), and releases all connections.
   */
  abstract close(graceMs?: number): Promise<void>;
}

/** Longest value of a record in bytes (contract section 8). */
export const RECORD_BYTES_MAX = 60_000;
