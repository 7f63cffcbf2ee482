import { setImmediate as turn } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { asError } from '#process';
import { recordBatch } from './batch.js';
import { encoder, errorOf, type Request } from './internals.js';
import { TopicClient } from './topic-client.js';
import { type LogRecord, NotRecorded } from '../port.js';

/** A broker's answer for one partition's batch. */
export interface Produced {
  readonly partition: number;
  readonly errorCode: number;
  /** The offset of the first record. */
  readonly first: number;
}

/** One partition's batch that waits for its leader or is under way to it. */
interface Waiting {
  readonly partition: number;
  readonly batch: Buffer;
  readonly resolve: (produced: Produced) => void;
  readonly reject: (why: Error) => void;
}

interface Leader {
  isSending: boolean;
  waiting: Waiting[];
}

interface ProducerOptions {
  readonly topic: string;
  /** Longest time that a broker may wait for its replicas. */
  readonly timeoutMs: number;
}

/**
 * Limit of one request in bytes; it always has at least one batch. This is about as long as a live
 * append waits for bulk ones.
 */
const REQUEST_BYTES_MAX = 1024 * 1024;
const PRODUCE = 0;
const PRODUCE_VERSION = 7;
const ALL_COPIES = -1;

/**
 * Sends batches to the leaders of their partitions: one request at a time to each broker, with the
 * batches of all partitions that wait for it. The broker answers for each batch separately. The
 * producer does not retry, and resolves a batch only if the broker's answer names its partition.
 * kafkajs's own producer, with several partitions, can resolve although one of them was never sent.
 */
export class KafkaProducer {
  private readonly client: TopicClient;
  private readonly leaders = new Map<string, Leader>();
  private closed = false;

  constructor(
    clients: () => Kafka,
    private readonly options: ProducerOptions,
  ) {
    this.client = new TopicClient(clients, options.topic);
  }

  /** Resolves once a broker is connected and the leaders are known. */
  async connect(): Promise<void> {
    await this.client.withLeaders();
  }

  /** Rejects what waits as `NotRecorded`, and ends the connections. */
  close(): Promise<void> {
    this.closed = true;
    for (const to of this.leaders.values())
      for (const { reject } of to.waiting.splice(0)) reject(notSent());
    return this.client.close();
  }

  /**
   * Sends one batch once. Resolves with the offset of the first record. Rejects with kafkajs's
   * error, or if the answer does not name the partition.
   */
  async produce(partition: number, records: readonly LogRecord[]): Promise<number> {
    try {
      const cluster = await this.client.withLeaders();
      const [leader] = Object.keys(
        cluster.findLeaderForPartitions(this.options.topic, [partition]),
      );
      if (leader === undefined) throw errorOf(LEADER_NOT_AVAILABLE);
      const { errorCode, first } = await this.queued(
        leader,
        partition,
        recordBatch(records, Date.now()),
      );
      if (errorCode !== 0) throw errorOf(errorCode);
      return first;
    } catch (error) {
      this.lookAgain(error as KafkaError);
      throw error;
    }
  }

  private queued(leader: string, partition: number, batch: Buffer): Promise<Produced> {
    return new Promise((resolve, reject) => {
      if (this.closed) throw notSent();
      const to = this.leaders.get(leader) ?? { isSending: false, waiting: [] };
      this.leaders.set(leader, to);
      to.waiting.push({ partition, batch, resolve, reject });
      if (to.isSending) return;
      to.isSending = true;
      void this.run(leader, to);
    });
  }

  private async run(nodeId: string, to: Leader): Promise<void> {
    while (to.waiting.length > 0) {
      await turn(); // other partitions' batches of this turn of the event loop join in
      const batches = taken(to);
      try {
        answer(batches, await this.send(nodeId, batches));
      } catch (error) {
        for (const { reject } of batches) reject(asError(error));
      }
    }
    to.isSending = false;
  }

  private async send(nodeId: string, batches: readonly Waiting[]): Promise<readonly Produced[]> {
    const cluster = await this.client.withLeaders();
    const broker = await cluster.findBroker({ nodeId });
    if (this.closed) throw notSent();
    try {
      return await broker.connectionPool.send(this.request(batches));
    } catch (error) {
      if (asError(error).name === 'KafkaJSConnectionClosedError') await broker.disconnect();
      throw error;
    }
  }

  private request(batches: readonly Waiting[]): Request<readonly Produced[]> {
    const { topic, timeoutMs } = this.options;
    return {
      request: {
        apiKey: PRODUCE,
        apiVersion: PRODUCE_VERSION,
        apiName: 'Produce',
        encode: async () => {
          const body = encoder()
            .writeString(null)
            .writeInt16(ALL_COPIES)
            .writeInt32(timeoutMs)
            .writeInt32(1)
            .writeString(topic)
            .writeInt32(batches.length);
          for (const { partition, batch } of batches)
            body.writeInt32(partition).writeInt32(batch.length).writeBuffer(batch);
          return body;
        },
      },
      response: { decode: async (raw) => decoded(raw, topic), parse: async (produced) => produced },
    };
  }

  /** Has leaders and connections looked up again after a failure, since either may have changed. */
  private lookAgain({ name, host, port }: KafkaError): void {
    if (this.closed) return;
    const isGone = name === 'KafkaJSConnectionClosedError';
    if (isGone && host !== undefined && port !== undefined) this.client.forget({ host, port });
    this.client.distrust();
  }
}

const notSent = (): NotRecorded => new NotRecorded('the connection was replaced before the send');

interface KafkaError extends Error {
  readonly host?: string;
  readonly port?: number;
}

const LEADER_NOT_AVAILABLE = 5;

/**
 * Takes the batches of the next request. Each partition has at most one batch under way, so no two
 * waiting batches have the same partition.
 */
function taken(to: Leader): Waiting[] {
  let bytes = 0;
  const enough = to.waiting.findIndex(
    ({ batch }, at) => (bytes += batch.length) > REQUEST_BYTES_MAX && at > 0,
  );
  return to.waiting.splice(0, enough < 0 ? to.waiting.length : enough);
}

/**
 * Settles each batch by the broker's answer for its partition. Rejects a batch unless the answer
 * names its partition exactly once.
 */
export function answer(
  batches: readonly Pick<Waiting, 'partition' | 'resolve' | 'reject'>[],
  produced: readonly Produced[],
): void {
  for (const { partition, resolve, reject } of batches) {
    const named = produced.filter((one) => one.partition === partition);
    if (named.length === 1) resolve(named[0] as Produced);
    else
      reject(new Error(`the broker's answer names partition ${partition} ${named.length} times`));
  }
}

/**
 * Decodes the answer to a produce request of version 7 for one topic. Throws if it is about another
 * topic.
 */
export function decoded(raw: Buffer, topic: string): Produced[] {
  let at = 0;
  const int16 = (): number => raw.readInt16BE((at += 2) - 2);
  const int32 = (): number => raw.readInt32BE((at += 4) - 4);
  const int64 = (): number => Number(raw.readBigInt64BE((at += 8) - 8));
  const topics = int32();
  const length = int16();
  const name = raw.toString('utf8', at, (at += length));
  if (topics !== 1 || name !== topic)
    throw new Error(`the broker's answer is about ${topics} topics, first ${name}`);
  return Array.from({ length: int32() }, () => {
    const produced = { partition: int32(), errorCode: int16(), first: int64() };
    int64(); // the broker's time
    int64(); // the log's first offset
    return produced;
  });
}
