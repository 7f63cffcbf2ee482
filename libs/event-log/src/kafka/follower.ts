import type { EachBatchPayload, Kafka } from 'kafkajs';
import { asError, within } from '#process';
import { KafkaConsumer } from './consumer.js';
import { type KafkaWire, recordsFrom, type WireRecord } from './wire.js';
import { BrokenLog, type Follower, type StoredRecord, type RecordHandler } from '../port.js';

/**
 * Bytes that a partition may read ahead of its handler, and bytes that the handler takes at once.
 */
const AHEAD_BYTES_MAX = 4 * 1024 * 1024;
const TAKE_BYTES_MAX = 1024 * 1024;
const WATCH_MS = 1000;
/** If records exist but do not arrive for this long, the consumer is stuck. */
const STUCK_MS = 5000;
/**
 * If records exist but do not arrive for this long, they may be markers of transactions, which
 * kafkajs keeps to itself.
 */
const MARKER_MS = 2500;
/**
 * If some broker does not answer a fetch for this long, although another connection to it is
 * served, the consumer's connection is dead. It is longer than the limit of one request.
 */
const QUIET_MS = 3500;
/** How long a consumer that was dropped may take to leave its group. */
const CLOSE_MS_MAX = 10_000;
const RESTART_MS = 100;
const RESTART_MS_MAX = 1000;

/**
 * One followed partition: the records that its handler has not taken, and where reading continues.
 */
interface Reading {
  readonly partition: number;
  next: number;
  ahead: StoredRecord[];
  aheadBytes: number;
  lastCame: number;
  /** Since when records exist that do not arrive, also after restarts of the consumer. */
  stillSince: number | undefined;
  confirming: boolean;
}

interface FollowerOptions {
  /** Makes the client of each new consumer. */
  readonly clients: () => Kafka;
  readonly wire: KafkaWire;
  readonly topic: string;
  readonly partitions: number;
  /** Rejects with BrokenLog if the topic is no longer the one that was opened. */
  readonly sameTopic: () => Promise<void>;
  readonly onNotice: (text: string) => void;
  readonly onRestart: (why: string) => void;
  readonly onClosed: () => void;
}

/**
 * Follows partitions through a consumer that it replaces after a crash, or if records exist but do
 * not arrive. It keeps its own positions and checks every batch against them, so it ignores a batch
 * that comes twice, or from another offset after a reset. If a record seems to be missing, it reads
 * the log directly.
 */
export class KafkaFollower implements Follower {
  private readonly readings = new Map<number, Reading>();
  private readonly taking = new Map<number, Promise<void>>();
  private consumer: KafkaConsumer | undefined;
  private restarting: NodeJS.Timeout | undefined;
  private restartMs = RESTART_MS;
  private ending: Promise<void>[] = [];
  private closed: Promise<void> | undefined;
  private readonly watch: NodeJS.Timeout;
  private watching: Promise<void> | undefined;

  constructor(
    private readonly options: FollowerOptions,
    private readonly handler: RecordHandler,
  ) {
    this.watch = setInterval(() => {
      this.watching ??= this.look().finally(() => (this.watching = undefined));
    }, WATCH_MS);
    this.watch.unref();
    this.start();
  }

  add(partition: number, from: number): void {
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.options.partitions)
      throw new RangeError(`partition ${partition} does not exist`);
    if (this.closed) return;
    this.readings.set(partition, {
      partition,
      next: from,
      ahead: [],
      aheadBytes: 0,
      lastCame: performance.now(),
      stillSince: undefined,
      confirming: false,
    });
    this.consumer?.seek(partition, from);
  }

  async remove(partition: number): Promise<void> {
    this.readings.delete(partition);
    this.consumer?.pause(partition);
    await this.taking.get(partition);
  }

  /** Returns for how long records of some partition have existed and not arrived, at most. */
  standsStillMs(): number {
    const now = performance.now();
    return Math.max(
      0,
      ...[...this.readings.values()].map((reading) => now - (reading.stillSince ?? now)),
    );
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    clearInterval(this.watch);
    clearTimeout(this.restarting);
    this.readings.clear();
    this.letGo();
    await Promise.all([...this.taking.values(), ...this.ending, this.watching]);
    this.options.onClosed();
  }

  private start(): void {
    const { clients, topic, partitions } = this.options;
    const consumer: KafkaConsumer = new KafkaConsumer({
      kafka: clients(),
      topic,
      partitions,
      position: (partition) => {
        const reading = this.readings.get(partition);
        return reading && { offset: reading.next, paused: reading.aheadBytes > AHEAD_BYTES_MAX };
      },
      onBatch: (batch) => {
        if (this.consumer === consumer) this.came(batch);
      },
      onCrash: (error) => this.restart(consumer, `the consumer crashed: ${error.message}`),
    });
    this.consumer = consumer;
    consumer.start().then(
      () => (this.restartMs = RESTART_MS),
      (error: unknown) =>
        this.restart(consumer, `the consumer did not start: ${asError(error).message}`),
    );
  }

  /** Drops this consumer and starts another in a new group. */
  private restart(consumer: KafkaConsumer, why: string): void {
    if (this.consumer !== consumer || this.closed) return;
    this.options.onRestart(why);
    this.letGo();
    this.restarting = setTimeout(() => {
      for (const reading of this.readings.values()) reading.lastCame = performance.now();
      this.start();
    }, this.restartMs);
    this.restartMs = Math.min(this.restartMs * 2, RESTART_MS_MAX);
  }

  private letGo(): void {
    const consumer = this.consumer;
    this.consumer = undefined;
    if (!consumer) return;
    const ended = within(CLOSE_MS_MAX, consumer.close()).catch((error: unknown) =>
      this.options.onNotice(`a consumer did not close: ${String(error)}`),
    );
    this.ending.push(ended);
    void ended.then(() => (this.ending = this.ending.filter((one) => one !== ended)));
  }

  private came(batch: EachBatchPayload['batch']): void {
    const reading = this.readings.get(batch.partition);
    if (!reading) return;
    const fresh = batch.messages.filter(({ offset }) => Number(offset) >= reading.next);
    const broken = fresh.findIndex(({ offset }, at) => Number(offset) !== reading.next + at);
    const following = broken < 0 ? fresh : fresh.slice(0, broken);
    if (following.length > 0)
      this.ahead(reading, recordsFrom(reading.partition, reading.next, following));
    // There is a hole, or kafkajs went back.
    if (following.length < fresh.length || fresh.length === 0) this.confirm(reading);
  }

  private ahead(reading: Reading, records: StoredRecord[]): void {
    reading.next += records.length;
    reading.lastCame = performance.now();
    reading.stillSince = undefined;
    for (const record of records) {
      reading.ahead.push(record);
      reading.aheadBytes += record.value.byteLength;
    }
    if (reading.aheadBytes > AHEAD_BYTES_MAX) this.consumer?.pause(reading.partition);
    this.handOn(reading.partition);
  }

  /**
   * Delivers the next records. A partition has at most one `take` under way, even across `remove`
   * and `add`.
   */
  private handOn(partition: number): void {
    const reading = this.readings.get(partition);
    if (!reading || reading.ahead.length === 0 || this.taking.has(partition)) return;
    const taken = this.take(reading).finally(() => {
      this.taking.delete(partition);
      this.handOn(partition);
    });
    this.taking.set(partition, taken);
  }

  /** Never rejects: if the handler rejects, the partition stops. */
  private async take(reading: Reading): Promise<void> {
    try {
      await this.handler.take(reading.partition, shareOf(reading));
      if (
        reading.aheadBytes <= AHEAD_BYTES_MAX / 2 &&
        this.readings.get(reading.partition) === reading
      )
        this.consumer?.resume(reading.partition);
    } catch (error) {
      this.stop(reading, asError(error));
    }
  }

  private stop(reading: Reading, why: Error): void {
    if (this.readings.get(reading.partition) !== reading) return;
    this.readings.delete(reading.partition);
    this.consumer?.pause(reading.partition);
    this.handler.stopped(reading.partition, why);
  }

  /** Asks the log itself, and then goes on from the partition's position. */
  private confirm(reading: Reading): void {
    if (reading.confirming) return;
    this.consumer?.pause(reading.partition);
    void this.ask(reading).finally(() => {
      if (this.readings.get(reading.partition) === reading)
        this.consumer?.seek(reading.partition, reading.next);
    });
  }

  /**
   * Reads the log directly at the partition's position, and hands on the markers of transactions
   * that are there. Stops the partition at a hole, at another topic, or if the log ends before the
   * position. Never rejects.
   */
  private async ask(reading: Reading): Promise<void> {
    if (reading.confirming) return;
    reading.confirming = true;
    try {
      await this.options.sameTopic();
      this.markersCame(reading, await this.options.wire.read(reading.partition, reading.next, 1));
    } catch (error) {
      if (error instanceof BrokenLog) this.stop(reading, error);
      else this.options.onNotice(`partition ${reading.partition}: ${asError(error).message}`);
    } finally {
      reading.confirming = false;
    }
  }

  /** Hands on the markers among records that were read, up to the first other record. */
  private markersCame(reading: Reading, records: readonly WireRecord[]): void {
    if (this.readings.get(reading.partition) !== reading) return;
    const other = records.findIndex(({ isMarker }) => !isMarker);
    const markers = records
      .slice(0, other < 0 ? undefined : other)
      .filter(({ offset }) => offset >= reading.next);
    if (markers[0]?.offset === reading.next) this.ahead(reading, markers);
  }

  /**
   * Checks that the topic is the same, that positions are within the log, that fetches are answered
   * and that existing records arrive.
   */
  private async look(): Promise<void> {
    if (this.readings.size === 0) return;
    const { consumer } = this;
    try {
      await this.options.sameTopic();
      const isQuiet = isQuietTooLong(consumer);
      const heads = await this.options.wire.heads([...this.readings.keys()]);
      for (const reading of [...this.readings.values()])
        this.compare(reading, heads.get(reading.partition));
      if (!consumer) return;
      // It is asked twice, as this process may have slept in between.
      if (isQuiet && isQuietTooLong(consumer))
        this.restart(consumer, `a broker answered no fetch for ${QUIET_MS} ms`);
      else this.restartIfStuck(consumer, heads);
    } catch (error) {
      if (error instanceof BrokenLog)
        for (const reading of [...this.readings.values()]) this.stop(reading, error);
      else this.options.onNotice(asError(error).message);
    }
  }

  /** Notes whether a partition has records that have not arrived, given where it ends. */
  private compare(reading: Reading, head: number | undefined): void {
    if (head === undefined || reading.aheadBytes > AHEAD_BYTES_MAX / 2) return;
    const now = performance.now();
    if (head < reading.next) this.confirm(reading);
    else if (head > reading.next && now - reading.lastCame > MARKER_MS) void this.ask(reading);
    reading.stillSince = head <= reading.next ? undefined : (reading.stillSince ?? now);
    if (head <= reading.next) reading.lastCame = now;
  }

  /** Restarts a consumer from which existing records have not arrived for too long. */
  private restartIfStuck(consumer: KafkaConsumer, heads: ReadonlyMap<number, number>): void {
    const now = performance.now();
    const stuck = [...this.readings.values()].find(
      ({ stillSince, lastCame, aheadBytes }) =>
        stillSince !== undefined && aheadBytes <= AHEAD_BYTES_MAX / 2 && now - lastCame > STUCK_MS,
    );
    if (!stuck) return;
    const { partition, next } = stuck;
    this.restart(
      consumer,
      `partition ${partition} has records up to ${heads.get(partition)}, but none arrived after ${next} for ${STUCK_MS} ms`,
    );
  }
}

const isQuietTooLong = (consumer: KafkaConsumer | undefined): boolean =>
  consumer !== undefined && consumer.quietMs() > QUIET_MS;

/**
 * Removes and returns the next records of a partition: at most `TAKE_BYTES_MAX` bytes, but at least
 * one record.
 */
function shareOf(reading: Reading): StoredRecord[] {
  let bytes = 0;
  let count = 0;
  while (count < reading.ahead.length) {
    const size = (reading.ahead[count] as StoredRecord).value.byteLength;
    if (count > 0 && bytes + size > TAKE_BYTES_MAX) break;
    bytes += size;
    count += 1;
  }
  reading.aheadBytes -= bytes;
  if (count === reading.ahead.length) {
    const all = reading.ahead;
    reading.ahead = [];
    return all;
  }
  return reading.ahead.splice(0, count);
}
