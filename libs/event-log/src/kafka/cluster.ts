import { createRequire } from 'node:module';
import type { Kafka } from 'kafkajs';

/** A request in kafkajs's own terms: `encode` gives the body, which it puts behind a header and sends. */
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
  /** What a transaction leaves in the log: it takes an offset and is no record. */
  readonly isControlRecord?: boolean;
}

interface Fetched {
  readonly responses: {
    readonly partitions: { readonly highWatermark: string; readonly messages: WireMessage[] }[];
  }[];
}

interface Broker {
  readonly connectionPool: { send<Answer>(request: Request<Answer>): Promise<Answer> };
  fetch(request: object): Promise<Fetched>;
  disconnect(): Promise<void>;
}

/** What is used of kafkajs's own cluster object. */
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
 * kafkajs's own cluster object, with its TLS, its SASL and its reconnecting, for what kafkajs 2.2.4 does not show. `Kafka` makes
 * it under a private symbol; kafkajs is no longer released, and another version that lacks it is refused here by name at start.
 */
export function clusterOf(kafka: Kafka): Cluster {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (!symbol)
    throw new Error(
      'this kafkajs has no private:Kafka:createCluster; the log is written for kafkajs 2.2.4',
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

export const READ_UNCOMMITTED = 0;

/** kafkajs's writer of requests. */
export interface Encoder {
  writeBuffer(bytes: Buffer): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeString(text: string | null): Encoder;
  writeUVarIntString(text: string): Encoder;
}

const required = createRequire(import.meta.url);

export const encoder = (): Encoder =>
  new (required('kafkajs/src/protocol/encoder') as new () => Encoder)();

/** The error that a broker's code stands for, as kafkajs names it. */
export const errorOf = (code: number): Error =>
  (
    required('kafkajs/src/protocol/error') as { createErrorFromCode: (code: number) => Error }
  ).createErrorFromCode(code);
