import type { Appended, Appending, LogRecord } from './port.js';

/** An append that waits, or is under way. */
export interface Waiting extends Appending {
  /** Weight of all its records in bytes, by `weightOf`. */
  readonly weight: number;
  /** When it was added, by `performance.now()`. */
  readonly since: number;
  /** Number of its records that have been sent. */
  handed: number;
  /** Offset of its first record, once known. */
  first?: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (why: Error) => void;
}

/**
 * The records of one append that go into one send: from index `from` up to but not including `to`.
 */
export interface Slice {
  readonly of: Waiting;
  readonly from: number;
  readonly to: number;
}

/**
 * Bytes that each record counts for on top of its key and value, in the queue and on the wire. It
 * also bounds the number of empty records.
 */
const RECORD_OVERHEAD = 64;

/**
 * Returns what a record counts for in a queue and in a send: the bytes of its key and value, and
 * the overhead.
 */
export const weightOf = ({ key, value }: LogRecord): number =>
  Buffer.byteLength(key) + value.length + RECORD_OVERHEAD;

/**
 * Queues appends and decides what is sent next. Live appends go first, in order of arrival, then
 * bulk appends in theirs. An append of at most half a send is sent whole. A longer one is sent in
 * slices, with no other append of its partition between them.
 */
export class AppendQueue {
  /** A send is under way. */
  sending = false;
  private live: Waiting[] = [];
  private bulk: Waiting[] = [];
  /** The append that has been sent in part. */
  private parted: Waiting | undefined;

  constructor(private readonly sendBytesMax: number) {}

  add(waiting: Waiting): void {
    this[waiting.urgency].push(waiting);
  }

  /** Removes and returns every append that waits. */
  clear(): Waiting[] {
    const all = [...(this.parted ? [this.parted] : []), ...this.live, ...this.bulk];
    this.live = [];
    this.bulk = [];
    this.parted = undefined;
    return all;
  }

  /** Removes and returns the appends that were added before a time and not sent at all. */
  takeOlder(than: number): Waiting[] {
    const isOlder = ({ since }: Waiting): boolean => since < than;
    const older = [...this.live, ...this.bulk].filter(isOlder);
    this.live = this.live.filter((waiting) => !isOlder(waiting));
    this.bulk = this.bulk.filter((waiting) => !isOlder(waiting));
    return older;
  }

  /** Drops the rest of an append after one of its slices failed. */
  drop(waiting: Waiting): void {
    if (this.parted === waiting) this.parted = undefined;
  }

  /** Takes the slices of the next send. Returns none only if nothing waits. */
  next(): Slice[] {
    const send = new SendBuilder();
    // Keep half of a send for other appends, or a steady trickle of live events would block a bulk
    // load forever.
    const othersWait = this.parted !== undefined || this.bulk.length > 0;
    this.live = this.takeFrom(
      this.live,
      send,
      othersWait ? this.sendBytesMax / 2 : this.sendBytesMax,
    );
    if (this.parted) this.part(this.parted, send, this.sendBytesMax);
    if (!this.parted) this.live = this.takeFrom(this.live, send, this.sendBytesMax);
    if (!this.parted) this.bulk = this.takeFrom(this.bulk, send, this.sendBytesMax);
    return send.slices;
  }

  /**
   * Moves the appends that fit under `limit` from a queue to the send and returns the rest. Skips
   * only appends whose partition is in the middle of a sliced append.
   */
  private takeFrom(queue: Waiting[], send: SendBuilder, limit: number): Waiting[] {
    const blocked: Waiting[] = [];
    for (const [at, waiting] of queue.entries()) {
      if (waiting.partition === this.parted?.partition) {
        blocked.push(waiting);
        continue;
      }
      if (send.weight + waiting.weight <= limit) {
        send.add({ of: waiting, from: 0, to: waiting.records.length }, waiting.weight);
        continue;
      }
      const goesInParts =
        waiting.weight > this.sendBytesMax / 2 &&
        this.parted === undefined &&
        this.part(waiting, send, limit);
      return [...blocked, ...queue.slice(goesInParts ? at + 1 : at)];
    }
    return blocked;
  }

  /**
   * Adds as many records as fit, and at least one to an empty send. Returns whether it added any.
   */
  private part(waiting: Waiting, send: SendBuilder, limit: number): boolean {
    const from = waiting.handed;
    let to = from;
    let weight = 0;
    while (to < waiting.records.length) {
      const next = weightOf(waiting.records[to] as LogRecord);
      if (send.weight + weight + next > limit && (to > from || send.weight > 0)) break;
      weight += next;
      to += 1;
    }
    if (to === from) return false;
    send.add({ of: waiting, from, to }, weight);
    this.parted = to < waiting.records.length ? waiting : undefined;
    return true;
  }
}

/** Collects the slices of one send. */
class SendBuilder {
  readonly slices: Slice[] = [];
  weight = 0;

  add(slice: Slice, weight: number): void {
    this.slices.push(slice);
    slice.of.handed = slice.to;
    this.weight += weight;
  }
}
