import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { REQUEST_MS_MAX } from './client.js';

/**
 * Longest wait of a fetch, and so of a newly followed partition while the others are idle. New
 * records end the wait at once.
 */
const POLL_MS = 50;
/**
 * Each fetch has a fixed cost for the broker and this process. If two answers arrive within
 * `SOON_MS`, the next fetch waits `GATHER_MS` to collect more records.
 */
const SOON_MS = 3;
const GATHER_MS = 10;
/**
 * kafkajs assembles an answer in one buffer. Larger answers cost more for each event than they save
 * in requests.
 */
const FETCH_BYTES_MAX = 4 * 1024 * 1024;
const PARTITION_BYTES_MAX = 512 * 1024;
/**
 * A broker that does not answer is asked again within this time. One that leads no partition any
 * more is not asked again, and its silence says nothing.
 */
const STILL_ASKED_MS = REQUEST_MS_MAX + 1000;

/** When a broker was asked, as `performance.now` has it. */
interface Unanswered {
  readonly since: number;
  /** kafkajs asks again after a fetch that missed its time limit. */
  readonly last: number;
}

interface ConsumerOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /**
   * Returns where to continue in a partition, or undefined if the partition must not be read now.
   */
  readonly position: (partition: number) => { offset: number; paused: boolean } | undefined;
  /** Takes a batch synchronously. Reading continues when it returns. */
  readonly onBatch: (batch: EachBatchPayload['batch']) => void;
  readonly onCrash: (error: Error) => void;
}

/**
 * One run of a kafkajs consumer, in a consumer group of its own. The caller keeps the positions,
 * and a consumer that replaces a crashed one does not wait for the old one to leave. It is assigned
 * all partitions, pauses those that must not be read, and seeks to `position` each time it joins.
 */
export class KafkaConsumer {
  private readonly consumer: Consumer;
  private joined = false;
  private started: Promise<void> | undefined;
  /** When a fetch was answered last, or the group was joined. */
  private answeredAt = 0;
  /** The brokers that were asked and have not answered since, by their ids. */
  private readonly unanswered = new Map<number, Unanswered>();
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

  /**
   * Resolves once the consumer reads. Failures before the first join reject. Later failures go to
   * `onCrash`.
   */
  start(): Promise<void> {
    this.started = this.run();
    return this.started;
  }

  private async run(): Promise<void> {
    const { topic, partitions, onBatch, onCrash } = this.options;
    const { GROUP_JOIN, CRASH, FETCH_START, FETCH } = this.consumer.events;
    this.consumer.on(FETCH_START, ({ payload }) => this.asked(payload.nodeId));
    this.consumer.on(FETCH, ({ payload }) => this.answered(payload.nodeId));
    this.consumer.on(GROUP_JOIN, () => {
      this.answeredAt = performance.now();
      this.unanswered.clear();
      this.takePositions();
    });
    this.consumer.on(CRASH, ({ payload }) => {
      this.joined = false;
      onCrash(payload.error);
    });
    await this.consumer.connect();
    await this.consumer.subscribe({ topic, fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      // Delivers all partitions of an answer at once, so that they also wait together.
      partitionsConsumedConcurrently: partitions,
      eachBatch: async (payload) => {
        if (payload.isRunning() && !payload.isStale()) onBatch(payload.batch);
        await this.gathering;
      },
    });
  }

  private asked(broker: number): void {
    const last = performance.now();
    this.unanswered.set(broker, { since: this.unanswered.get(broker)?.since ?? last, last });
  }

  /**
   * Runs after each answer. The next fetch starts at once unless answers come in quick succession.
   */
  private answered(broker: number): void {
    const now = performance.now();
    this.unanswered.delete(broker);
    this.gathering = now - this.answeredAt < SOON_MS ? pause(GATHER_MS) : undefined;
    this.answeredAt = now;
  }

  /**
   * Returns for how many milliseconds some broker has not answered a fetch, or no broker was asked;
   * 0 until it has joined. A fetch without records is answered after `POLL_MS`.
   */
  quietMs(): number {
    if (!this.joined) return 0;
    const now = performance.now();
    const silent = [...this.unanswered.values()].filter(({ last }) => now - last < STILL_ASKED_MS);
    return now - Math.min(this.answeredAt, ...silent.map(({ since }) => since));
  }

  /** Reads a partition from an offset on. A partition that is already read continues there. */
  seek(partition: number, offset: number): void {
    if (!this.joined) return; // it reads `position` when it joins
    this.consumer.seek({ topic: this.options.topic, partition, offset: String(offset) });
    this.resume(partition);
  }

  pause(partition: number): void {
    if (this.joined) this.consumer.pause([{ topic: this.options.topic, partitions: [partition] }]);
  }

  resume(partition: number): void {
    if (this.joined) this.consumer.resume([{ topic: this.options.topic, partitions: [partition] }]);
  }

  /**
   * Leaves the group and closes the connections. Takes up to a request's timeout if the brokers are
   * down.
   */
  async close(): Promise<void> {
    this.joined = false;
    // A consumer that is stopped while it joins would continue to read.
    await this.started?.catch(() => undefined);
    await this.consumer.disconnect();
  }

  /**
   * Seeks every partition to its position. kafkajs emits the join before it fetches and waits for
   * this handler, so no record is read from another offset.
   */
  private takePositions(): void {
    const { topic, partitions, position } = this.options;
    this.joined = true;
    for (let partition = 0; partition < partitions; partition += 1) {
      const from = position(partition);
      if (from) this.seek(partition, from.offset);
      if (!from || from.paused) this.consumer.pause([{ topic, partitions: [partition] }]);
    }
  }
}
