import { asError, TimedOut, within } from '#process';
import type { Kafka } from 'kafkajs';
import { Batcher, type BatcherStats, QUEUE_BYTES_MAX } from '../batcher.js';
import { answeringFirst, kafkaClient, kafkaClients, type KafkaSettings } from './client.js';
import { KafkaFollower } from './follower.js';
import { NOT_CONNECTED } from './internals.js';
import { KafkaSender } from './sender.js';
import { openTopic, type TopicFound } from './topic.js';
import { KafkaWire } from './wire.js';
import {
  type Appended,
  type Appending,
  BrokenLog,
  EventLog,
  type Follower,
  LogAway,
  type LogHealth,
  type Standstill,
  type StoredRecord,
  type RecordHandler,
} from '../port.js';

const READ_BYTES = 1024 * 1024;
const HEALTH_MS_MAX = 2000;
/** A log that acknowledges nothing for this long, while appends wait, cannot be used. */
const STILL_MS_MAX = 10_000;

interface OpenedTopic {
  readonly settings: KafkaSettings;
  readonly id: string;
  readonly found: TopicFound;
  readonly wire: KafkaWire;
}

/**
 * A Kafka topic as the log. Its `id` is the topic's id, which the cluster assigns at creation, so a
 * topic that was deleted and created again is another log. This is noticed at once if a record is
 * acknowledged or read at an offset that this log was past, within a second while the log is
 * followed, and on each health check.
 */
export class KafkaLog extends EventLog {
  readonly id: string;
  readonly partitions: number;
  private readonly batcher: Batcher;
  private readonly sender: KafkaSender;
  private readonly followers = new Set<KafkaFollower>();
  private restartCount = 0;
  /** Makes the clients that show whether the brokers serve a new one. */
  private readonly fresh: () => Kafka;

  /**
   * Opens the topic. Throws `LogAway` if no broker answers or the topic is missing, and
   * `LogRefused` if it cannot serve as a log.
   */
  static async open(given: KafkaSettings): Promise<KafkaLog> {
    try {
      return await KafkaLog.openNow(given);
    } catch (error) {
      throw mayPass(error) ? awayFor(asError(error)) : error;
    }
  }

  private static async openNow(given: KafkaSettings): Promise<KafkaLog> {
    const { onNotice } = given;
    const told = { ...given, ...(onNotice && { onNotice: onceEach(onNotice) }) };
    const settings = { ...told, brokers: await answeringFirst(told) };
    const found = await openTopic(kafkaClient(settings), settings);
    const wire = new KafkaWire(kafkaClients(settings), {
      topic: settings.topic,
      sessionMs: found.sessionMs,
      onNotice: (text) => settings.onNotice?.(text),
    });
    try {
      const id = await wire.topicId();
      if (id === undefined) throw new LogAway(`the topic ${settings.topic} does not exist`);
      return await new KafkaLog({ settings, id, found, wire }).ready();
    } catch (error) {
      await wire.close();
      throw error;
    }
  }

  private constructor(private readonly opened: OpenedTopic) {
    super();
    const { settings, id, found } = opened;
    this.fresh = kafkaClients(settings);
    this.id = id;
    this.partitions = settings.partitions;
    this.sender = new KafkaSender(kafkaClients(settings), {
      topic: settings.topic,
      sameTopic: this.sameTopic,
      onNotice: this.notice,
    });
    this.batcher = new Batcher({
      partitions: settings.partitions,
      queues: settings.partitions,
      queueOf: (partition) => partition,
      sendBytesMax: found.sendBytesMax,
      queueBytesMax: settings.queueBytesMax ?? QUEUE_BYTES_MAX,
      send: (batches) =>
        Promise.all(batches.map(({ partition, records }) => this.sender.send(partition, records))),
    });
  }

  private async ready(): Promise<this> {
    await this.sender.ready().catch(async (error: unknown) => {
      await this.sender.close();
      throw error;
    });
    return this;
  }

  append(appending: Appending): Promise<Appended> {
    return this.batcher.append(appending);
  }

  async read(partition: number, from: number, bytes = READ_BYTES): Promise<StoredRecord[]> {
    this.assertPartition(partition);
    return this.opened.wire.read(partition, from, bytes);
  }

  async head(partition: number, atLeast = 0): Promise<number> {
    this.assertPartition(partition);
    return this.opened.wire.head(partition, atLeast);
  }

  override get unsure(): number[] {
    return this.opened.wire.unsure;
  }

  follow(handler: RecordHandler): Follower {
    const { settings, wire } = this.opened;
    const follower: KafkaFollower = new KafkaFollower(
      {
        clients: kafkaClients(settings),
        wire,
        topic: settings.topic,
        partitions: settings.partitions,
        sameTopic: this.sameTopic,
        onNotice: this.notice,
        onRestart: (why) => {
          this.restartCount += 1;
          this.notice(`restarting a reader: ${why}`);
        },
        onClosed: () => this.followers.delete(follower),
      },
      handler,
    );
    this.followers.add(follower);
    return follower;
  }

  /** Returns counts of sends and records. */
  stats(): BatcherStats {
    return this.batcher.stats();
  }

  /** How often a reader restarted since this log was opened. */
  get restarts(): number {
    return this.restartCount;
  }

  async health(): Promise<LogHealth> {
    const { weaknesses, remarks } = this.opened.found;
    const { queuedBytes, queueBytesMax } = this.batcher.stats();
    const trouble = await this.trouble();
    return {
      reachable: trouble === undefined,
      takesRecords: trouble === undefined,
      powerSafe: weaknesses.length === 0,
      notes: [...weaknesses, ...remarks, ...(trouble === undefined ? [] : [trouble])],
      queuedBytes,
      queueBytesMax,
    };
  }

  override get stillMs(): number {
    return Math.max(this.sender.standsStillMs(), this.unreadMs);
  }

  override get replacedConnections(): number {
    return this.sender.replacements + this.opened.wire.replacements + this.restartCount;
  }

  /** For how long records have existed that some follower did not get. */
  private get unreadMs(): number {
    return Math.max(0, ...[...this.followers].map((each) => each.standsStillMs()));
  }

  override async standstill(): Promise<Standstill | undefined> {
    const unansweredMs = this.sender.unansweredMs();
    const { unreadMs } = this;
    const ms = Math.max(unansweredMs, unreadMs);
    if (ms < STILL_MS_MAX || !(await this.isServedAfresh())) return undefined;
    return { ms, what: ms === unreadMs ? 'records do not arrive' : 'appends are not answered' };
  }

  /** Whether the brokers serve a client that is made now: each partition has a leader. */
  private async isServedAfresh(): Promise<boolean> {
    const { settings } = this.opened;
    const admin = this.fresh().admin();
    const look = async (): Promise<boolean> => {
      await admin.connect();
      const { topics } = await admin.fetchTopicMetadata({ topics: [settings.topic] });
      const partitions = topics[0]?.partitions ?? [];
      return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
    };
    return within(HEALTH_MS_MAX, look())
      .catch(() => false)
      .finally(() => void admin.disconnect().catch(() => undefined));
  }

  async close(graceMs?: number): Promise<void> {
    await Promise.all([
      this.batcher.close(graceMs),
      ...[...this.followers].map((follower) => follower.close()),
    ]);
    await Promise.all([this.sender.close(), this.opened.wire.close()]);
  }

  /** Returns why the log cannot be used, or undefined if it can. */
  private async trouble(): Promise<string | undefined> {
    const stillMs = this.sender.standsStillMs();
    if (stillMs > STILL_MS_MAX)
      return `no append to some partition was acknowledged for ${Math.round(stillMs / 1000)} s`;
    return this.sameTopic(HEALTH_MS_MAX).then(
      () => undefined,
      (error: unknown) => asError(error).message,
    );
  }

  private sameTopic = async (msMax?: number): Promise<void> => {
    const { wire, id, settings } = this.opened;
    const now = await wire.topicId(msMax);
    if (now === undefined) throw new BrokenLog(`the topic ${settings.topic} no longer exists`);
    if (now !== id)
      throw new BrokenLog(
        `the topic ${settings.topic} was deleted and created again: its id is ${now}, not ${id}`,
      );
  };

  private assertPartition(partition: number): void {
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.partitions)
      throw new RangeError(`partition ${partition} does not exist`);
  }

  private notice = (text: string): void => this.opened.settings.onNotice?.(text);
}

/** Whether an error, or what caused it, says that the brokers do not answer for now. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retriable, cause } = error as { readonly retriable?: unknown; readonly cause?: unknown };
  if (error instanceof TimedOut || error instanceof LogAway) return true;
  return retriable === true || error.message === NOT_CONNECTED || mayPass(cause);
}

const awayFor = (why: Error): LogAway =>
  why instanceof LogAway ? why : new LogAway(why.message, { cause: why });

const REPEAT_AFTER_MS = 10_000;
const TEXTS_MAX = 1000;

/**
 * Passes on each text at most once every ten seconds: while a broker is down, kafkajs repeats a
 * message many times a second.
 */
function onceEach(onNotice: (text: string) => void): (text: string) => void {
  const passedAt = new Map<string, number>();
  return (text) => {
    const now = performance.now();
    if (now - (passedAt.get(text) ?? -REPEAT_AFTER_MS) < REPEAT_AFTER_MS) return;
    if (passedAt.size >= TEXTS_MAX) passedAt.clear();
    passedAt.set(text, now);
    onNotice(text);
  };
}
