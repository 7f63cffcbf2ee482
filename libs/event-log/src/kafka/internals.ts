import { createRequire } from 'node:module';
import type { Kafka } from 'kafkajs';

// Everything of kafkajs 2.2.4 that is used beyond its public face is named in this file.

/**
 * A request as kafkajs defines it. `encode` returns the body, and kafkajs adds a header and sends
 * it.
 */
export interface Request<Answer> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    readonly encode: () => Promise<Encoder>;
  };
  readonly response: {
    readonly decode: (raw: Buffer) => Promise<Answer>;
    readonly parse: (data: Answer) => Promise<Answer>;
  };
}

/** One message as kafkajs decodes it. */
export interface WireMessage {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** When it was written, in milliseconds since 1970; negative if that is not known. */
  readonly timestamp: string;
  /** Whether this is a transaction marker, which takes an offset but is not a record. */
  readonly isControlRecord?: boolean;
}

interface Fetched {
  readonly responses: {
    readonly partitions: { readonly highWatermark: string; readonly messages: WireMessage[] }[];
  }[];
}

interface Broker {
  readonly connectionPool: { send<Answer>(request: Request<Answer>): Promise<Answer> };
  /** Asks for something that every broker knows. */
  apiVersions(): Promise<object>;
  fetch(request: object): Promise<Fetched>;
  disconnect(): Promise<void>;
}

/** The part of kafkajs's own cluster object that this package uses. */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  isConnected(): boolean;
  removeBroker(which: { host: string; port: number }): void;
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: number[]): Record<string, number[]>;
  findBroker(which: { nodeId: string }): Promise<Broker>;
  fetchTopicsOffset(
    topics: object[],
  ): Promise<{ partitions: { partition: number; offset: string }[] }[]>;
  readonly brokerPool: { findConnectedBroker(): Promise<Broker> };
}

/**
 * Returns kafkajs's own cluster object, which handles TLS, SASL and reconnecting, for requests that
 * kafkajs 2.2.4 does not expose. `Kafka` creates it under a private symbol. kafkajs has no new
 * releases; if another version lacks the symbol, this throws at start.
 */
export function clusterOf(kafka: Kafka): Cluster {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (!symbol)
    throw new Error(
      'this version of kafkajs has no private:Kafka:createCluster (expected kafkajs 2.2.4)',
    );
  const create = (kafka as unknown as Record<symbol, (options: object) => Cluster>)[symbol] as (
    options: object,
  ) => Cluster;
  return create({
    allowAutoTopicCreation: false,
    metadataMaxAge: 60_000,
    isolationLevel: READ_UNCOMMITTED,
  });
}

/** Kafka's isolation level that reads all records, with or without a transaction. */
export const READ_UNCOMMITTED = 0;

/** An encoder of request bodies, from kafkajs. */
export interface Encoder {
  writeBuffer(bytes: Buffer): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeString(text: string | null): Encoder;
  writeUVarIntString(text: string): Encoder;
}

const required = createRequire(import.meta.url);

/** Returns an empty encoder. */
export const encoder = (): Encoder =>
  new (required('kafkajs/src/protocol/encoder') as new () => Encoder)();

/** Returns the error for a broker's error code, as kafkajs names it. */
export const errorOf = (code: number): Error =>
  (
    required('kafkajs/src/protocol/error') as { createErrorFromCode: (code: number) => Error }
  ).createErrorFromCode(code);

/** The queue of requests of one connection, as far as this package changes it. */
export interface RequestQueue {
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** Returns the prototype of the queues of requests. */
export const requestQueues = (): RequestQueue =>
  (required('kafkajs/src/network/requestQueue') as { prototype: RequestQueue }).prototype;

/** The message of the error, of no class of its own, of a connection that never got an answer. */
export const NOT_CONNECTED = 'Broker not connected';
