import { setTimeout as pause } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { asError } from '#process';
import { contiguous } from '../contiguous.js';
import { REQUEST_MS_MAX } from './client.js';
import { Connection } from './connection.js';
import {
  type Cluster,
  encoder,
  READ_UNCOMMITTED,
  type Request,
  type WireMessage,
} from './internals.js';
import { TopicClient } from './topic-client.js';
import { BrokenLog, LogAway, type StoredRecord } from '../port.js';

interface TopicAnswer {
  readonly errorCode: number;
  readonly topicId: string;
}

interface WireOptions {
  readonly topic: string;
  /**
   * For how long a broker may lead on although the others have another leader, in milliseconds: its
   * session in the cluster.
   */
  readonly sessionMs: number;
  readonly onNotice: (text: string) => void;
}

const UNKNOWN_TOPIC = 3;
/** Longest time for what is asked, with all attempts. */
const ASKED_MS_MAX = 9000;
/** Longest time for one attempt, although kafkajs bounds each of its requests. */
const ATTEMPT_MS_MAX = REQUEST_MS_MAX + 500;
const ATTEMPT_MS_MIN = 250;
const PAUSE_MS = 100;
/** How much longer than a session a doubtful answer is asked for again, and how often at least. */
const DOUBT_MS = 1500;
const DOUBTS_MIN = 4;
const DOUBT_PAUSE_MS = 300;

/**
 * Sends requests that kafkajs 2.2.4 supports but does not expose: a fetch from an offset without a
 * consumer group, and a query of a topic's id.
 *
 * A broker that has slept answers as a leader until it learns that there is another, with the end
 * that the log had when it fell asleep. So what says that records are missing is asked again, with
 * the leaders looked up again, for longer than the session of a broker. Only then is it believed.
 * Until then the partition is unsure.
 */
export class KafkaWire {
  private readonly connection: Connection<TopicClient>;
  private readonly unsurePartitions = new Set<number>();
  private closed = false;

  constructor(
    clients: () => Kafka,
    private readonly options: WireOptions,
  ) {
    this.connection = new Connection({
      make: () => new TopicClient(clients, options.topic),
      isAnswer: ({ name }) => name === OUT_OF_RANGE,
      onNotice: options.onNotice,
    });
  }

  /** How often its connection was replaced. */
  get replacements(): number {
    return this.connection.replacements;
  }

  /** The partitions about which a broker's answer is not believed yet. */
  get unsure(): number[] {
    return [...this.unsurePartitions];
  }

  /**
   * Returns the topic's id (16 bytes in hex), which the cluster assigns at creation: another topic
   * under the same name has another id. Returns undefined if the topic is missing for longer than a
   * broker's session; a broker that has just started knows no topics yet. The id needs version 10
   * of Metadata, and kafkajs supports it up to version 6.
   */
  async topicId(msMax?: number): Promise<string | undefined> {
    const missingMs = this.options.sessionMs + DOUBT_MS;
    const missingUntil = performance.now() + missingMs;
    const ask = async (client: TopicClient) => {
      const cluster = await client.connected();
      const broker = await cluster.brokerPool.findConnectedBroker();
      const request = metadataRequest(client.topic);
      const { errorCode, topicId } = await broker.connectionPool.send(request);
      if (errorCode === UNKNOWN_TOPIC && performance.now() > missingUntil) return undefined;
      if (errorCode !== 0) throw new Error(`topic ${client.topic}: error ${errorCode}`);
      return topicId;
    };
    return this.again('for the topic id', ask, msMax ?? missingMs + ASKED_MS_MAX);
  }

  /** Returns the head of each partition: the offset after the last acknowledged record. */
  async heads(partitions: readonly number[]): Promise<Map<number, number>> {
    return this.again('for the heads', async (client) => {
      const cluster = await client.withLeaders();
      const [answer] = await cluster.fetchTopicsOffset([
        {
          topic: client.topic,
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

  /** Returns the head of a partition. One that is below `atLeast` is believed late. */
  async head(partition: number, atLeast: number): Promise<number> {
    let head = 0;
    await this.believed(partition, async () => {
      head = (await this.heads([partition])).get(partition) as number;
      return head >= atLeast ? head : undefined;
    });
    return head;
  }

  /**
   * Returns records from an offset on, without holes, and an empty list at the head. Throws
   * `BrokenLog` if the log does not continue from that offset.
   */
  async read(partition: number, from: number, bytes: number): Promise<WireRecord[]> {
    const fetched = await this.believed(partition, () => this.fetch(partition, from, bytes));
    if (!fetched)
      throw new BrokenLog(
        `partition ${partition} has no offset ${from}: the partition ends before it, or the record was deleted`,
        partition,
        from,
      );
    const records = recordsFrom(partition, from, fetched.messages);
    if (records.length === 0 && from < fetched.highWatermark)
      throw new BrokenLog(
        `partition ${partition} has no record at offset ${from}, but its head is ${fetched.highWatermark}`,
        partition,
        from,
      );
    return upTo(records, bytes);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.connection.close();
  }

  /** Returns undefined if the leader says that the offset is outside of the partition. */
  private async fetch(partition: number, from: number, bytes: number) {
    const ask = async (client: TopicClient) => {
      const broker = await leaderOf(await client.withLeaders(), client.topic, partition);
      const { responses } = await broker.fetch({
        maxWaitTime: 0,
        minBytes: 1,
        maxBytes: bytes,
        isolationLevel: READ_UNCOMMITTED,
        topics: [
          {
            topic: client.topic,
            partitions: [{ partition, fetchOffset: String(from), maxBytes: bytes }],
          },
        ],
      });
      const answer = responses[0]?.partitions[0];
      return {
        messages: answer?.messages ?? [],
        highWatermark: Number(answer?.highWatermark ?? from),
      };
    };
    return this.again('a fetch', ask).catch((error: unknown) => {
      if (asError(error).name === OUT_OF_RANGE) return undefined;
      throw error;
    });
  }

  /**
   * Looks until an answer is not undefined. Resolves with undefined once each answer was that, with
   * leaders looked up again, for longer than a broker's session.
   */
  private async believed<T>(
    partition: number,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const until = performance.now() + this.options.sessionMs + DOUBT_MS;
    try {
      for (let doubts = 1; ; doubts += 1) {
        const found = await look();
        if (found !== undefined) return found;
        if (doubts >= DOUBTS_MIN && performance.now() > until) return undefined;
        if (doubts === 1)
          this.options.onNotice(`partition ${partition} is unsure: its leader may be an old one`);
        this.unsurePartitions.add(partition);
        await pause(DOUBT_PAUSE_MS);
        await this.connection.ask('new leaders', ATTEMPT_MS_MAX, async (client) => {
          client.distrust();
          await client.withLeaders();
        });
      }
    } finally {
      this.unsurePartitions.delete(partition);
    }
  }

  /** Retries what a change of leader or a restarted broker interrupts. */
  private async again<T>(
    what: string,
    attempt: (client: TopicClient) => Promise<T>,
    msMax = ASKED_MS_MAX,
  ): Promise<T> {
    const until = performance.now() + msMax;
    for (;;) {
      if (this.closed) throw new Error('the log is closed');
      const left = Math.max(until - performance.now(), ATTEMPT_MS_MIN);
      try {
        return await this.connection.ask(what, Math.min(left, ATTEMPT_MS_MAX), async (client) =>
          attempt(client).catch((error: unknown) => {
            client.distrust();
            throw error;
          }),
        );
      } catch (error) {
        if (asError(error).name === OUT_OF_RANGE) throw error;
        if (performance.now() > until)
          throw new LogAway(
            `no broker answered ${what} within ${Math.round(msMax)} ms: ${asError(error).message}`,
            { cause: error },
          );
        await pause(PAUSE_MS);
      }
    }
  }
}

const OUT_OF_RANGE = 'KafkaJSOffsetOutOfRange';

/** Returns the broker that leads a partition. */
async function leaderOf(cluster: Cluster, topic: string, partition: number) {
  const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  if (nodeId === undefined) throw new Error(`partition ${partition} has no leader`);
  return cluster.findBroker({ nodeId });
}

const NO_BYTES = Buffer.alloc(0);

/** A record, or the marker of a transaction, which consumers of kafkajs do not get. */
export interface WireRecord extends StoredRecord {
  readonly isMarker: true | undefined;
}

/**
 * Returns messages as records, except those before `from`. A key or value that another program left
 * out is empty. The marker of a transaction is a record without a key, whose value is the marker's
 * key and value as the broker keeps them. Throws `BrokenLog` at a hole.
 */
export function recordsFrom(
  partition: number,
  from: number,
  messages: readonly WireMessage[],
): WireRecord[] {
  const records: WireRecord[] = [];
  for (const { offset: text, key, value, timestamp, isControlRecord } of messages) {
    const offset = Number(text);
    if (offset < from) continue;
    const time = Number(timestamp);
    records.push({
      partition,
      offset,
      key: isControlRecord ? '' : (key?.toString('utf8') ?? ''),
      value: isControlRecord
        ? Buffer.concat([key ?? NO_BYTES, value ?? NO_BYTES])
        : (value ?? NO_BYTES),
      time: time >= 0 ? time : undefined,
      isMarker: isControlRecord || undefined,
    });
  }
  contiguous(records, partition, from);
  return records;
}

/**
 * Returns the records up to a size. A broker answers with whole batches; the next read returns the
 * rest.
 */
function upTo(records: WireRecord[], bytes: number): WireRecord[] {
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
