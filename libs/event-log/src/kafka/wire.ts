import { asError } from '#process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { contiguous } from '../contiguous.js';
import {
  type Cluster,
  clusterOf,
  encoder,
  READ_UNCOMMITTED,
  type Request,
  type WireMessage,
} from './cluster.js';
import { BrokenLog, type StoredRecord } from '../port.js';

interface TopicAnswer {
  readonly errorCode: number;
  readonly topicId: string;
}

const UNKNOWN_TOPIC = 3;
const TRY_MS_MAX = 9000;
const TRY_PAUSE_MS = 100;
/** A topic that is missing for this long no longer exists. */
const MISSING_MS = 3000;

/**
 * Sends requests that kafkajs 2.2.4 supports but does not expose: a fetch from an offset without a
 * consumer group, and a query of a topic's id.
 */
export class KafkaWire {
  private readonly cluster: Cluster;
  private connected = false;
  private closed = false;

  constructor(
    kafka: Kafka,
    private readonly topic: string,
  ) {
    this.cluster = clusterOf(kafka);
  }

  /**
   * Returns the topic's id (16 bytes in hex), which the cluster assigns at creation: another topic
   * under the same name has another id. Returns undefined if the topic is missing for some seconds;
   * a broker that has just started knows no topics yet. The id needs version 10 of Metadata, and
   * kafkajs supports it up to version 6.
   */
  async topicId(msMax = TRY_MS_MAX): Promise<string | undefined> {
    const missingUntil = performance.now() + MISSING_MS;
    const ask = async () => {
      const broker = await this.cluster.brokerPool.findConnectedBroker();
      const { errorCode, topicId } = await broker.connectionPool.send(metadataRequest(this.topic));
      if (errorCode === UNKNOWN_TOPIC && performance.now() > missingUntil) return undefined;
      if (errorCode !== 0) throw new Error(`topic ${this.topic}: error ${errorCode}`);
      return topicId;
    };
    return this.again('for the topic id', ask, msMax);
  }

  /** Returns the head of each partition: the offset after the last acknowledged record. */
  async heads(partitions: readonly number[]): Promise<Map<number, number>> {
    return this.again('for the heads', async () => {
      await this.cluster.refreshMetadataIfNecessary();
      const [answer] = await this.cluster.fetchTopicsOffset([
        {
          topic: this.topic,
          partitions: partitions.map((partition) => ({ partition })),
          fromBeginning: false,
        },
      ]);
      const heads = new Map(
        answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
      );
      if (partitions.some((partition) => !heads.has(partition)))
        throw new Error('not every partition has a leader');
      return heads;
    });
  }

  /**
   * Returns records from an offset on, without holes, and an empty list at the head. Throws
   * `BrokenLog` if the log does not continue from that offset.
   */
  async read(partition: number, from: number, bytes: number): Promise<StoredRecord[]> {
    const { messages, highWatermark } = await this.fetch(partition, from, bytes).catch(
      (error: unknown) => {
        if (asError(error).name !== 'KafkaJSOffsetOutOfRange') throw error;
        throw new BrokenLog(
          `partition ${partition} has no offset ${from}: the partition ends before it, or the record was deleted`,
          partition,
          from,
        );
      },
    );
    const records = recordsFrom(partition, from, messages);
    if (records.length === 0 && from < highWatermark)
      throw new BrokenLog(
        `partition ${partition} has no record at offset ${from}, but its head is ${highWatermark}`,
        partition,
        from,
      );
    return upTo(records, bytes);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.cluster.disconnect();
  }

  private async fetch(
    partition: number,
    from: number,
    bytes: number,
  ): Promise<{ messages: WireMessage[]; highWatermark: number }> {
    return this.again('a fetch', async () => {
      await this.cluster.refreshMetadataIfNecessary();
      const [leader] = Object.keys(this.cluster.findLeaderForPartitions(this.topic, [partition]));
      if (leader === undefined) throw new Error(`partition ${partition} has no leader`);
      const broker = await this.cluster.findBroker({ nodeId: leader });
      const { responses } = await broker.fetch({
        maxWaitTime: 0,
        minBytes: 1,
        maxBytes: bytes,
        isolationLevel: READ_UNCOMMITTED,
        topics: [
          {
            topic: this.topic,
            partitions: [{ partition, fetchOffset: String(from), maxBytes: bytes }],
          },
        ],
      });
      const answer = responses[0]?.partitions[0];
      return {
        messages: answer?.messages ?? [],
        highWatermark: Number(answer?.highWatermark ?? from),
      };
    });
  }

  /** Retries with fresh metadata what a change of leader or a restarted broker interrupts. */
  private async again<T>(what: string, attempt: () => Promise<T>, msMax = TRY_MS_MAX): Promise<T> {
    const until = performance.now() + msMax;
    for (;;) {
      if (this.closed) throw new Error('the log is closed');
      try {
        if (!this.connected) await this.connect();
        return await attempt();
      } catch (error) {
        if ((error as Error).name === 'KafkaJSOffsetOutOfRange') throw error;
        if (performance.now() > until)
          throw new Error(
            `no broker answered ${what} within ${Math.round(msMax)} ms: ${(error as Error).message}`,
            { cause: error },
          );
        await pause(TRY_PAUSE_MS);
        await this.cluster.refreshMetadata().catch(() => (this.connected = false));
      }
    }
  }

  private async connect(): Promise<void> {
    await this.cluster.connect();
    await this.cluster.addTargetTopic(this.topic).catch((error: unknown) => {
      if (!(
        error instanceof Error &&
        'type' in error &&
        error.type === 'UNKNOWN_TOPIC_OR_PARTITION'
      ))
        throw error;
    });
    this.connected = true;
  }
}

/**
 * Returns messages as records, except those before `from`. Throws `BrokenLog` at a hole and at a
 * message that is not a record of this log.
 */
export function recordsFrom(
  partition: number,
  from: number,
  messages: readonly WireMessage[],
): StoredRecord[] {
  const records: StoredRecord[] = [];
  for (const { offset: text, key, value, isControlRecord } of messages) {
    const offset = Number(text);
    if (offset < from) continue;
    if (isControlRecord)
      throw new BrokenLog(
        `partition ${partition} has a transaction marker at offset ${offset}, not a record`,
        partition,
        offset,
      );
    if (!key || !value)
      throw new BrokenLog(
        `partition ${partition} has a record without key or value at offset ${offset}`,
        partition,
        offset,
      );
    records.push({ partition, offset, key: key.toString('utf8'), value });
  }
  contiguous(records, partition, from);
  return records;
}

/**
 * Returns the records up to a size. A broker answers with whole batches; the next read returns the
 * rest.
 */
function upTo(records: StoredRecord[], bytes: number): StoredRecord[] {
  let left = bytes;
  const enough = records.findIndex(({ value }) => (left -= value.byteLength) <= 0);
  return enough < 0 ? records : records.slice(0, enough + 1);
}

/**
 * Returns a Metadata request of version 10 for one topic by name. Headers of these versions end in
 * a tag section, which kafkajs does not write, so the body begins with it.
 */
function metadataRequest(topic: string): Request<TopicAnswer> {
  return {
    request: {
      apiKey: 3,
      apiVersion: 10,
      apiName: 'Metadata',
      encode: async () =>
        encoder()
          .writeBuffer(Buffer.from([0, 2]))
          .writeBuffer(Buffer.alloc(16))
          .writeUVarIntString(topic)
          .writeBuffer(Buffer.from([0, 0, 0, 0, 0])),
    },
    response: { decode: async (raw) => decodeMetadata(raw), parse: async (data) => data },
  };
}

/** Decodes the first topic's error and id from an answer of version 10. */
function decodeMetadata(raw: Buffer): TopicAnswer {
  let at = 0;
  const skip = (bytes: number) => void (at += bytes);
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = raw.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const skipString = () => skip(Math.max(varint() - 1, 0));
  const skipTags = () => {
    for (let left = varint(); left > 0; left -= 1) {
      varint();
      skip(varint());
    }
  };
  skipTags(); // of the header
  skip(4); // throttle time
  for (let left = varint() - 1; left > 0; left -= 1) {
    skip(4); // node id
    skipString(); // host
    skip(4); // port
    skipString(); // rack
    skipTags();
  }
  skipString(); // cluster id
  skip(4); // controller id
  varint(); // number of topics: one
  const errorCode = raw.readInt16BE(at);
  skip(2);
  skipString(); // name
  return { errorCode, topicId: raw.toString('hex', at, at + 16) };
}
