import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

/** The long poll of a fetch: what a newly followed partition waits at most, while the others are idle. New records end it at once. */
const POLL_MS = 50;
/** A fetch costs the broker and this process much, however little it brings: while answers come so soon after one another, the next waits a little for more. */
const SOON_MS = 3;
const GATHER_MS = 10;
/** kafkajs puts an answer together in one buffer: larger ones cost more an event than they save in requests. */
const FETCH_BYTES_MAX = 4 * 1024 * 1024;
const PARTITION_BYTES_MAX = 512 * 1024;

interface ConsumerOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /** Where to read on in a partition, or undefined if it is not to be read now. */
  readonly position: (partition: number) => { offset: number; paused: boolean } | undefined;
  /** Takes a batch at once; nothing is read until it has returned. */
  readonly onBatch: (batch: EachBatchPayload['batch']) => void;
  readonly onCrash: (error: Error) => void;
}

/**
 * One life of a kafkajs consumer, in a group of its own that nobody joins before or after: positions are kept elsewhere, and
 * a consumer that crashed needs not wait for its former self to leave. It is given all the partitions, pauses those that are
 * not to be read, and begins where `position` says, each time it joins.
 */
export class KafkaConsumer {
  private readonly consumer: Consumer;
  private joined = false;
  private started: Promise<void> | undefined;
  private answeredAt = 0;
  private gathering: Promise<void> | undefined;

  constructor(private readonly options: ConsumerOptions) {
    this.consumer = options.kafka.consumer({
      groupId: `shoeprint-${randomUUID()}`,
      sessionTimeout: 10_000,
      heartbeatInterval: 3000,
      rebalanceTimeout: 10_000,
      minBytes: 1,
      maxBytes: FETCH_BYTES_MAX,
      maxBytesPerPartition: PARTITION_BYTES_MAX,
      maxWaitTimeInMs: POLL_MS,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      readUncommitted: true,
      retry: {
        initialRetryTime: 50,
        maxRetryTime: 300,
        retries: 3,
        restartOnFailure: async () => false,
      },
    });
  }

  /** Resolves once it reads; a failure is told to `onCrash`, or rejects where it did not come so far. */
  start(): Promise<void> {
    this.started = this.run();
    return this.started;
  }

  private async run(): Promise<void> {
    const { topic, partitions, onBatch, onCrash } = this.options;
    const { GROUP_JOIN, CRASH, FETCH } = this.consumer.events;
    this.consumer.on(FETCH, () => this.answered());
    this.consumer.on(GROUP_JOIN, () => this.takePlaces());
    this.consumer.on(CRASH, ({ payload }) => {
      this.joined = false;
      onCrash(payload.error);
    });
    await this.consumer.connect();
    await this.consumer.subscribe({ topic, fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      // All partitions of an answer are handed over at once, and wait together.
      partitionsConsumedConcurrently: partitions,
      eachBatch: async (payload) => {
        if (payload.isRunning() && !payload.isStale()) onBatch(payload.batch);
        await this.gathering;
      },
    });
  }

  /** An answer came: the next is asked for at once, unless it is one of many. */
  private answered(): void {
    const now = performance.now();
    this.gathering = now - this.answeredAt < SOON_MS ? pause(GATHER_MS) : undefined;
    this.answeredAt = now;
  }

  /** Reads a partition from an offset on, or again from another one. */
  seek(partition: number, offset: number): void {
    if (!this.joined) return; // it asks for the position when it joins
    this.consumer.seek({ topic: this.options.topic, partition, offset: String(offset) });
    this.resume(partition);
  }

  pause(partition: number): void {
    if (this.joined) this.consumer.pause([{ topic: this.options.topic, partitions: [partition] }]);
  }

  resume(partition: number): void {
    if (this.joined) this.consumer.resume([{ topic: this.options.topic, partitions: [partition] }]);
  }

  /** Leaves the group and closes the connections; where the brokers are gone that takes a request's time. */
  async close(): Promise<void> {
    this.joined = false;
    await this.started?.catch(() => undefined); // a consumer that is stopped while it joins would read on without end
    await this.consumer.disconnect();
  }

  /** kafkajs tells of a join before it fetches, and waits for this: no record is read from anywhere else. */
  private takePlaces(): void {
    const { topic, partitions, position } = this.options;
    this.joined = true;
    for (let partition = 0; partition < partitions; partition += 1) {
      const place = position(partition);
      if (place) this.seek(partition, place.offset);
      if (!place || place.paused) this.consumer.pause([{ topic, partitions: [partition] }]);
    }
  }
}
