import { Refusal } from '#process';

/** One record as it is handed to the log and comes out of it: bytes under a key. The log never looks into them. */
export interface LogRecord {
  /** What orders it: records of one key lie in one partition. */
  readonly key: string;
  readonly value: Uint8Array;
}

/** A record where it lies. Offsets of a partition begin at 0 and have no holes. */
export interface StoredRecord extends LogRecord {
  readonly partition: number;
  readonly offset: number;
}

/** How soon an append goes out: what people wait for at a table goes before what a file brings. */
export type Urgency = 'live' | 'bulk';

/** Some records of one partition, to be appended in this order. */
export interface Appending {
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly urgency: Urgency;
}

/** Where records came to lie: `next` is the offset after the last of them, which is what a reader waits for. */
export interface Appended {
  readonly partition: number;
  readonly first: number;
  readonly next: number;
}

/** Nothing of the append was handed to the log: the caller may send it again, or not. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}

/** Nobody can tell whether the records are in the log: the caller sends the same again, and admission takes them once. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The log is there, but not as it was asked for, as with another number of partitions: nothing is opened. */
export class LogRefused extends Refusal {
  override readonly name = 'LogRefused';
}

/** The log is not what it was, or not what a log may be: bytes that cannot be read, a hole, another log. It stops whoever reads it. */
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
   * Handles records, which start at the requested offset or follow those handled before. Records may come again after a
   * failure (at least once). The follower waits for the promise before it delivers more of the same partition, so a slow
   * handler is not overrun. A rejection stops that partition.
   */
  take(partition: number, records: readonly StoredRecord[]): Promise<void>;
  /** Reports that a partition is followed no further: a hole, unreadable bytes, a rejection of `take`. Others continue. */
  stopped(partition: number, why: Error): void;
}

/** A running reader of some partitions. */
export interface Follower {
  /** Follows one more partition from an offset (or again, from another one). */
  add(partition: number, from: number): void;
  /** Follows it no longer; resolves once nothing of it is being taken. */
  remove(partition: number): Promise<void>;
  /** Ends, once nothing is being taken. */
  close(): Promise<void>;
}

/** How the log does. */
export interface LogHealth {
  readonly reachable: boolean;
  /** Whether an acknowledged record survives the loss of power of any one machine, and if not, why. */
  readonly powerSafe: boolean;
  readonly notes: readonly string[];
  /** Bytes that wait to be appended, and how many may. */
  readonly queuedBytes: number;
  readonly queueBytesMax: number;
}

/** An append-only log in partitions, and its own injection token. Kafka, PostgreSQL and memory implement it. */
export abstract class EventLog {
  /** The identity of this log: the topic's id. Another log under the same name has another id. */
  abstract readonly id: string;
  /** The number of partitions, set for life. */
  abstract readonly partitions: number;
  /**
   * Resolves once all the records are durable, in their order. Rejects with `NotRecorded` if nothing was handed over
   * (the queue is full, the log is closing, a record is over `RECORD_BYTES_MAX`), with `OutcomeUnknown` if it may have been.
   */
  abstract append(appending: Appending): Promise<Appended>;
  /** Returns records from an offset on: about `bytes`, at least one record if there is one, none at the head. Rejects with `BrokenLog` at a hole. */
  abstract read(partition: number, from: number, bytes?: number): Promise<StoredRecord[]>;
  /** Returns the offset that the next record will have. */
  abstract head(partition: number): Promise<number>;
  abstract follow(handler: RecordHandler): Follower;
  abstract health(): Promise<LogHealth>;
  /** Stops appends, finishes the queued ones (after `graceMs` they reject with `NotRecorded` or `OutcomeUnknown`), and releases all connections. */
  abstract close(graceMs?: number): Promise<void>;
}

/** A record's value is at most this long (contract section 8). */
export const RECORD_BYTES_MAX = 60_000;
