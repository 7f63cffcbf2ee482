import { setImmediate as turn } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { recordBatch } from './batch.js';
import { type Cluster, clusterOf, encoder, errorOf, type Request } from './cluster.js';
import type { LogRecord } from '../port.js';

/** ProducerOptions a broker says of one partition's batch. */
export interface Produced {
  readonly partition: number;
  readonly errorCode: number;
  /** The offset of the first record. */
  readonly first: number;
}

/** One partition's batch that waits for its leader, or is under way to it. */
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
  /** A broker may take so long for the copies. */
  readonly timeoutMs: number;
}

/** A request brings at most this much, and at least one batch: about as long as a live append may have to wait for bulk ones. */
const REQUEST_BYTES_MAX = 1024 * 1024;
const PRODUCE = 0;
const PRODUCE_VERSION = 7;
const ALL_COPIES = -1;

/**
 * Sends batches to the leaders of their partitions: one request at a time to each broker, with the batches of all the partitions
 * that wait for it by then, each answered by itself. Nothing is tried again here, and nothing is resolved but what the
 * broker's answer names: kafkajs's own producer, given several partitions, can resolve with one of them never sent.
 */
export class KafkaProducer {
  private readonly cluster: Cluster;
  private connected: Promise<void> | undefined;
  private readonly leaders = new Map<string, Leader>();
  private closed = false;

  constructor(
    kafka: Kafka,
    private readonly options: ProducerOptions,
  ) {
    this.cluster = clusterOf(kafka);
  }

  /** Resolves once there is a connection and it is known who leads what. */
  connect(): Promise<void> {
    this.connected ??= this.connectOnce().catch((error: unknown) => {
      this.connected = undefined;
      throw error;
    });
    return this.connected;
  }

  private async connectOnce(): Promise<void> {
    if (this.closed) throw new Error('the log is closed'); // whoever tries again must not open it anew
    await this.cluster.connect();
    await this.cluster.addTargetTopic(this.options.topic);
  }

  close(): Promise<void> {
    this.closed = true;
    this.connected = undefined;
    return this.cluster.disconnect();
  }

  /** One attempt. Resolves with the offset of the first record; rejects with kafkajs's error, or where the answer does not name the partition. */
  async produce(partition: number, records: readonly LogRecord[]): Promise<number> {
    try {
      await this.connect();
      await this.cluster.refreshMetadataIfNecessary();
      const [leader] = Object.keys(
        this.cluster.findLeaderForPartitions(this.options.topic, [partition]),
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
      await this.lookAgain(error as KafkaError);
      throw error;
    }
  }

  private queued(leader: string, partition: number, batch: Buffer): Promise<Produced> {
    return new Promise((resolve, reject) => {
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
      await turn(); // what this turn of the event loop brings for other partitions goes along
      const batches = taken(to);
      try {
        answer(batches, await this.send(nodeId, batches));
      } catch (error) {
        for (const { reject } of batches) reject(error as Error);
      }
    }
    to.isSending = false;
  }

  private async send(nodeId: string, batches: readonly Waiting[]): Promise<readonly Produced[]> {
    const broker = await this.cluster.findBroker({ nodeId });
    try {
      return await broker.connectionPool.send(this.request(batches));
    } catch (error) {
      if ((error as Error).name === 'KafkaJSConnectionClosedError') await broker.disconnect();
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

  /** After a failure: who leads may have changed, and a connection may be gone. */
  private async lookAgain(error: KafkaError): Promise<void> {
    if (this.closed) return;
    if (
      error.name === 'KafkaJSConnectionClosedError' &&
      error.host !== undefined &&
      error.port !== undefined
    )
      this.cluster.removeBroker({ host: error.host, port: error.port });
    if (!this.cluster.isConnected()) this.connected = undefined;
    await this.cluster.refreshMetadata().catch(() => (this.connected = undefined)); // the next attempt says why, if it is so still
  }
}

interface KafkaError extends Error {
  readonly host?: string;
  readonly port?: number;
}

const LEADER_NOT_AVAILABLE = 5;

/** Takes what goes into the next request. A partition has one batch under way: there are no two of one among those that wait. */
function taken(to: Leader): Waiting[] {
  let bytes = 0;
  const enough = to.waiting.findIndex(
    ({ batch }, at) => (bytes += batch.length) > REQUEST_BYTES_MAX && at > 0,
  );
  return to.waiting.splice(0, enough < 0 ? to.waiting.length : enough);
}

/** Answers each batch by what is said of its partition, and only where that is said once. */
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

/** The answer to a request of version 7, for one topic; throws where it is about another. */
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
    int64(); // where its log starts
    return produced;
  });
}
