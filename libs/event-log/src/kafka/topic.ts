import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Admin, type Kafka, type PartitionMetadata } from 'kafkajs';
import type { KafkaSettings } from './client.js';
import { LogAway, LogRefused, RECORD_BYTES_MAX } from '../port.js';

/** Properties of the topic at the time of opening. */
export interface TopicFound {
  /** Limit of one send in bytes: keys, values and 64 for each record. */
  readonly sendBytesMax: number;
  /** Reasons why a loss of power of one machine may lose an acknowledged record. */
  readonly weaknesses: readonly string[];
  /** Other notes for an operator. */
  readonly remarks: readonly string[];
  /** After how much silence the cluster takes the partitions of a broker away, in milliseconds. */
  readonly sessionMs: number;
}

const MADE_MS_MAX = 10_000;
const BATCH_BYTES_MAX = 1_000_000;
/** Most bytes that a batch has in addition to its records. */
const BATCH_OVERHEAD = 100;
/** The least limit that is accepted: two of the longest records with their keys. */
const BATCH_BYTES_MIN = 2 * (RECORD_BYTES_MAX + 1000);

/**
 * Creates the topic if the settings ask for it and it is missing, and checks it. Throws if it is
 * missing or cannot serve as a log.
 */
export async function openTopic(kafka: Kafka, settings: KafkaSettings): Promise<TopicFound> {
  const admin = kafka.admin({ retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 10 } });
  await admin.connect();
  try {
    if (settings.create) await createTopic(admin, settings);
    return await examine(admin, settings, settings.create ? MADE_MS_MAX : 0);
  } finally {
    await admin.disconnect();
  }
}

/**
 * Creates the topic with unlimited retention, no compaction (which would remove records), the
 * broker's own time, and sends of up to 1 MB.
 */
async function createTopic(admin: Admin, { topic, partitions }: KafkaSettings): Promise<void> {
  if ((await admin.listTopics()).includes(topic)) return;
  const { brokers } = await admin.describeCluster();
  const copies = Math.min(brokers.length, 3);
  const config = {
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(BATCH_BYTES_MAX),
    'min.insync.replicas': copies === 3 ? '2' : '1',
    'unclean.leader.election.enable': 'false',
  };
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  await admin.createTopics({
    waitForLeaders: false,
    timeout: 5000,
    topics: [{ topic, numPartitions: partitions, replicationFactor: copies, configEntries }],
  });
}

async function examine(
  admin: Admin,
  { topic, partitions }: KafkaSettings,
  patienceMs: number,
): Promise<TopicFound> {
  const until = performance.now() + patienceMs;
  const found = await whenKnown(topic, until, () => partitionsOf(admin, topic));
  if (found.length !== partitions)
    throw new LogRefused(
      `SHOEPRINT_PARTITIONS: the topic ${topic} has ${found.length} partitions, not ${partitions}: their number cannot change`,
    );
  const config = await whenKnown(topic, until, () => configOf(admin, topic));
  const batchBytesMax = Math.min(
    Number(config.get('max.message.bytes') ?? BATCH_BYTES_MAX),
    BATCH_BYTES_MAX,
  );
  if (batchBytesMax < BATCH_BYTES_MIN)
    throw new LogRefused(
      `the topic ${topic} takes batches that are too small: max.message.bytes is ${batchBytesMax} (expected at least ${BATCH_BYTES_MIN})`,
    );
  if (config.get('cleanup.policy') !== 'delete')
    throw new LogRefused(
      `the topic ${topic} has cleanup.policy ${config.get('cleanup.policy')}: compaction removes records`,
    );
  return {
    sendBytesMax: batchBytesMax - BATCH_OVERHEAD,
    weaknesses: weaknesses(Math.min(...found.map(({ replicas }) => replicas.length)), config),
    remarks: remarks(config),
    sessionMs: await sessionOf(admin),
  };
}

/** Returns the partitions and their replicas. */
async function partitionsOf(admin: Admin, topic: string): Promise<readonly PartitionMetadata[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions ?? [];
}

async function configOf(admin: Admin, topic: string): Promise<ReadonlyMap<string, string>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  });
  return new Map(
    resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
  );
}

/**
 * Asks about the topic until `until`: after a topic is created, some brokers do not know it yet,
 * whatever another one answered before, and some leaders are not elected.
 */
async function whenKnown<T>(topic: string, until: number, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const { type } = error as { type?: string };
      const passes = type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
      if (type === 'UNKNOWN_TOPIC_OR_PARTITION' && performance.now() > until)
        throw missing(topic, error);
      if (!passes || performance.now() > until) throw error;
    }
    await pause(50);
  }
}

/** A broker that has just started knows no topics yet, so the topic may be there later. */
const missing = (topic: string, cause: unknown): LogAway =>
  new LogAway(`the topic ${topic} does not exist`, { cause });

/** The longest default session of a broker: 9 s, and 18 s where ZooKeeper decides. */
const SESSION_MS = 18_000;
const SESSIONS = ['broker.session.timeout.ms', 'zookeeper.session.timeout.ms'];

/** Returns the longest session of a broker. Where it cannot be asked, the longest default. */
async function sessionOf(admin: Admin): Promise<number> {
  try {
    const { brokers } = await admin.describeCluster();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: brokers.map(({ nodeId }) => ({
        type: kafkajs.ConfigResourceTypes.BROKER,
        name: String(nodeId),
        configNames: SESSIONS,
      })),
    });
    const found = resources
      .flatMap(({ configEntries }) => configEntries)
      .map(({ configValue }) => Number(configValue))
      .filter((ms) => Number.isSafeInteger(ms) && ms > 0);
    return found.length === 0 ? SESSION_MS : Math.max(...found);
  } catch {
    return SESSION_MS; // an account that may not describe brokers
  }
}

function weaknesses(copies: number, config: ReadonlyMap<string, string>): string[] {
  const inSync = Number(config.get('min.insync.replicas'));
  const found: string[] = [];
  if (copies < 3)
    found.push(`the topic has ${copies === 1 ? 'one copy' : `${copies} copies`}, not 3`);
  if (inSync < 2)
    found.push(
      `min.insync.replicas is ${inSync}, not 2: an acknowledged record may be on one machine only`,
    );
  if (config.get('unclean.leader.election.enable') !== 'false')
    found.push(
      'unclean.leader.election.enable is on: a machine that lags may become leader and lose the records that it lacks',
    );
  return found.map((weakness) => `not power-safe: ${weakness}`);
}

const remarks = (config: ReadonlyMap<string, string>) =>
  ['retention.ms', 'retention.bytes']
    .filter((name) => config.get(name) !== '-1')
    .map((name) => `${name} is ${config.get(name)}, not -1: records are not kept forever`);
