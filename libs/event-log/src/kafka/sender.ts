import { setTimeout as pause } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { asError } from '#process';
import { REQUEST_MS_MAX } from './client.js';
import { Connection } from './connection.js';
import { KafkaProducer } from './producer.js';
import { BrokenLog, type LogRecord, NotRecorded, OutcomeUnknown } from '../port.js';

/** Longest time for an append, with all its attempts. */
const SEND_MS_MAX = 7000;
/** Longest time for one attempt, although kafkajs bounds each of its requests. */
const ATTEMPT_MS_MAX = REQUEST_MS_MAX + 500;
/** The last attempt has at least this time. */
const ATTEMPT_MS_MIN = 250;
/** How long an append waits for a look at the topic between two attempts. */
const LOOK_MS_MAX = 500;
const PAUSE_MS = 50;
const PAUSE_MS_MAX = 400;

interface SenderOptions {
  readonly topic: string;
  /** Rejects with BrokenLog if the topic is no longer the one that was opened. */
  readonly sameTopic: (msMax: number) => Promise<void>;
  readonly onNotice: (text: string) => void;
}

/**
 * Appends as a plain producer, without idempotence. The caller has at most one send under way for
 * each partition.
 *
 * Retried records may be in the log twice; in exchange a restart of a broker goes unnoticed. A
 * failure is `NotRecorded` only if every attempt proves that it wrote nothing. A closed connection,
 * a timeout or a changed leader proves nothing.
 */
export class KafkaSender {
  private readonly connection: Connection<KafkaProducer>;
  /** Least offset of the next record. A smaller one can only come from another log. */
  private readonly next = new Map<number, number>();
  private broken: BrokenLog | undefined;

  constructor(
    clients: () => Kafka,
    private readonly options: SenderOptions,
  ) {
    this.connection = new Connection({
      make: () =>
        new KafkaProducer(clients, { topic: options.topic, timeoutMs: REQUEST_MS_MAX - 500 }),
      isAnswer: (error) => judge(error).final,
      onNotice: options.onNotice,
    });
  }

  /**
   * Resolves once a broker is connected that knows the topic. One that was just made is not known
   * to every broker yet.
   */
  async ready(): Promise<void> {
    const until = performance.now() + SEND_MS_MAX;
    for (;;) {
      const msMax = Math.min(ATTEMPT_MS_MAX, until - performance.now());
      try {
        await this.connection.ask('the first connection', msMax, (producer) => producer.connect());
        return;
      } catch (error) {
        if (performance.now() + PAUSE_MS_MAX + ATTEMPT_MS_MIN > until) throw error;
      }
      await pause(PAUSE_MS_MAX);
    }
  }

  /** How often its connection was replaced. */
  get replacements(): number {
    return this.connection.replacements;
  }

  /** For how long appends to some partition have failed, without one that was acknowledged. */
  standsStillMs(): number {
    return this.connection.standsStillMs();
  }

  /** The same, of appends to which no broker answered at all. */
  unansweredMs(): number {
    return this.connection.unansweredMs();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /**
   * Resolves with the offset of the first record once all are acknowledged. They must fit in one
   * send.
   */
  async send(partition: number, records: readonly LogRecord[]): Promise<number> {
    const until = performance.now() + SEND_MS_MAX;
    let maybeWritten = false;
    for (let wait = PAUSE_MS; ; wait = Math.min(wait * 2, PAUSE_MS_MAX)) {
      if (this.broken)
        throw maybeWritten
          ? new OutcomeUnknown(this.broken.message)
          : new NotRecorded(this.broken.message);
      try {
        return await this.attempt(partition, records, until);
      } catch (error) {
        const verdict = judge(asError(error));
        maybeWritten ||= !verdict.notWritten;
        if (verdict.final || performance.now() + wait > until) {
          const text = `partition ${partition} of ${this.options.topic}: ${asError(error).message}`;
          throw maybeWritten
            ? new OutcomeUnknown(text, { cause: error })
            : new NotRecorded(text, { cause: error });
        }
        this.options.onNotice(
          `retrying append to partition ${partition}: ${asError(error).message}`,
        );
      }
      await pause(wait);
      await this.options.sameTopic(LOOK_MS_MAX).catch((error: unknown) => {
        if (error instanceof BrokenLog) this.broken = error;
      });
    }
  }

  private async attempt(
    partition: number,
    records: readonly LogRecord[],
    until: number,
  ): Promise<number> {
    const left = Math.max(until - performance.now(), ATTEMPT_MS_MIN);
    const first = await this.connection.ask(
      `appends to partition ${partition}`,
      Math.min(left, ATTEMPT_MS_MAX),
      (producer) => producer.produce(partition, records),
    );
    this.check(partition, first);
    this.next.set(partition, first + records.length);
    return first;
  }

  /** Throws unless the acknowledged offset follows those acknowledged before. */
  private check(partition: number, first: number): void {
    if (!Number.isSafeInteger(first) || first < 0)
      throw new Error(`the broker acknowledged ${first}, which is not an offset`);
    const least = this.next.get(partition) ?? 0;
    if (first >= least) return;
    this.broken = new BrokenLog(
      `partition ${partition} of ${this.options.topic} acknowledged offset ${first} after ${least - 1}: this is not the log that was opened`,
      partition,
      first,
    );
    throw new OutcomeUnknown(this.broken.message);
  }
}

interface KafkaError extends Error {
  readonly type?: string;
  readonly code?: string;
}

/** Error codes by which a broker rejects the whole batch. All but the last two are permanent. */
const REFUSED = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_TIMESTAMP',
  'NOT_ENOUGH_REPLICAS',
  'LEADER_NOT_AVAILABLE',
]);
const PASSES = new Set(['NOT_ENOUGH_REPLICAS', 'LEADER_NOT_AVAILABLE']);
/** Errors that occur before a connection is open. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const BEFORE_SENDING = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSLockTimeout',
  'KafkaJSSASLAuthenticationError',
]);

/**
 * Returns what a failed attempt proves. NOT_LEADER_FOR_PARTITION and UNKNOWN_TOPIC_OR_PARTITION
 * prove nothing: a leader that is replaced while it waits for its replicas returns them for records
 * that it has written and replicated.
 */
export function judge(error: Error): { notWritten: boolean; final: boolean } {
  if (error instanceof OutcomeUnknown) return { notWritten: false, final: true };
  if (error instanceof NotRecorded) return { notWritten: true, final: false };
  const { name, type = '', code = '', message } = origin(error);
  if (REFUSED.has(type)) return { notWritten: true, final: !PASSES.has(type) };
  const notWritten =
    UNCONNECTED.has(code) ||
    BEFORE_SENDING.has(name) ||
    (name === 'KafkaJSConnectionError' && message === 'Not connected');
  return { notWritten, final: name === 'KafkaJSSASLAuthenticationError' };
}

const origin = (error: Error): KafkaError =>
  error.cause instanceof Error ? origin(error.cause) : error;
