import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Kafka } from 'kafkajs';
import pg from 'pg';
import { eventually } from '../kit/eventually.js';

/** Longest time until a client is served by what was away. */
const SERVED_MS_MAX = 60_000;
/** Longest time of one look. Each look has connections of its own. */
const LOOK_MS_MAX = 5_000;
const PROBE_PARTITIONS = 6;

const client = (brokers: readonly string[]): Kafka =>
  new kafkajs.Kafka({
    clientId: 'foreign',
    brokers: [...brokers],
    connectionTimeout: 1_000,
    requestTimeout: 2_000,
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 0 },
  });

/** Creates the topic on which `untilKafkaServes` writes. */
export async function createProbe(brokers: readonly string[], probe: string): Promise<void> {
  const admin = client(brokers).admin({ retry: { retries: 5 } });
  await admin.connect();
  try {
    await admin.createTopics({
      // kafkajs gives up if a broker has not heard of it yet; `untilKafkaServes` waits for that
      waitForLeaders: false,
      topics: [{ topic: probe, numPartitions: PROBE_PARTITIONS }],
    });
  } finally {
    await admin.disconnect();
  }
}

/** Returns the node that leads a partition, as the cluster says now. */
export function leaderOf(
  brokers: readonly string[],
  topic: string,
  partition: number,
): Promise<number> {
  return eventually(`the leader of partition ${partition}`, async () => {
    const admin = client(brokers).admin();
    await admin.connect();
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      const leader = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition);
      return leader && leader.leader > 0 ? leader.leader : undefined;
    } finally {
      await admin.disconnect();
    }
  });
}

/**
 * Resolves once each partition of the log answers where it ends, and the probe's partitions take a
 * record.
 */
export async function untilKafkaServes(
  brokers: readonly string[],
  { log, probe }: { readonly log: string; readonly probe: string },
): Promise<void> {
  await eventually(
    'Kafka serves a client of the tests',
    () => inTime(() => looked(client(brokers), log, probe)),
    SERVED_MS_MAX,
  );
}

async function looked(kafka: Kafka, log: string, probe: string): Promise<true> {
  const [admin, producer] = [kafka.admin(), kafka.producer()];
  try {
    await Promise.all([admin.connect(), producer.connect()]);
    await Promise.all([
      admin.fetchTopicOffsets(log),
      producer.send({
        topic: probe,
        acks: -1,
        timeout: 1_500,
        messages: Array.from({ length: PROBE_PARTITIONS }, (_, partition) => ({
          partition,
          value: 'probe',
        })),
      }),
    ]);
    return true;
  } finally {
    // Not awaited: the next look does not depend on how these connections close.
    for (const each of [admin, producer]) each.disconnect().catch(() => undefined);
  }
}

/** Resolves once the database answers a query on a new connection. */
export async function untilDatabaseServes(url: string): Promise<void> {
  await eventually(
    'PostgreSQL serves a client of the tests',
    async () => {
      const session = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: 1_000,
        query_timeout: 1_000,
      });
      session.on('error', () => undefined); // the query rejects
      try {
        await session.connect();
        return (await session.query('select 1')).rowCount === 1;
      } finally {
        session.end().catch(() => undefined);
      }
    },
    SERVED_MS_MAX,
  );
}

/** Rejects if one look takes too long, whatever the client does. */
async function inTime<T>(look: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(LOOK_MS_MAX, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${LOOK_MS_MAX} ms`);
  });
  late.catch(() => undefined); // it is aborted once the look has ended
  return Promise.race([look(), late]).finally(() => stop.abort());
}
