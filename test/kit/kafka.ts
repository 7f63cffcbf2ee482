import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import { type KafkaCluster, startKafka } from '../../scripts/kafka/cluster.mjs';
import { whyNoBroker } from '../../scripts/kafka/jars.mjs';
import { KafkaProxy } from './kafka-proxy.js';

/** Brokers to test on, or the reason why there are none. */
export type TestKafka = { readonly brokers: string[] } | { readonly skipped: string };

/**
 * Returns the Kafka that all test files of a run share. The first call starts it. Use your own
 * topics.
 */
export async function kafkaForTests(): Promise<TestKafka> {
  const url = process.env.TEST_KAFKA_URL;
  if (!url) throw new Error('TEST_KAFKA_URL is not set: run through jest.config.mjs');
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`Kafka for tests: ${await answer.text()}`);
  return (await answer.json()) as TestKafka;
}

/**
 * Starts a Kafka for one test, whose nodes it may kill. It is Apache Kafka itself, because no other
 * can be killed by process id.
 */
export async function kafkaToKill(nodes: 1 | 3): Promise<KafkaCluster> {
  return startKafka({ nodes, isShortLived: true });
}

/** A Kafka that may be killed, and the proxy before each of its nodes, which are numbered from 1. */
export interface KafkaBehindProxies {
  readonly cluster: KafkaCluster;
  readonly proxies: ReadonlyMap<number, KafkaProxy>;
}

/** Starts the same with a proxy between clients and each node. Nodes reach each other without it. */
export async function kafkaBehindProxies(nodes: 1 | 3): Promise<KafkaBehindProxies> {
  const made: KafkaProxy[] = [];
  const cluster = await startKafka({
    nodes,
    isShortLived: true,
    advertise: async (port) => {
      const proxy = await KafkaProxy.listen(port);
      made.push(proxy);
      return proxy.port;
    },
  });
  const proxies = cluster.nodes.map(
    ({ id, advertised }) =>
      [id, made.find(({ port }) => port === advertised) as KafkaProxy] as const,
  );
  return { cluster, proxies: new Map(proxies) };
}

/** Starts one node behind a proxy. */
export async function kafkaBehindProxy(): Promise<{ cluster: KafkaCluster; proxy: KafkaProxy }> {
  const { cluster, proxies } = await kafkaBehindProxies(1);
  return { cluster, proxy: proxies.get(1) as KafkaProxy };
}

/** Returns why no Kafka can be killed here, or undefined if one can. */
export const whyNoKafkaToKill = whyNoBroker;

/** Returns an unused topic name. */
export const freshTopic = () => `test-${randomBytes(6).toString('hex')}`;

/**
 * `describe`, or, with a reason to skip, a skipped suite that says so on stderr, so that nobody
 * takes silence for a pass.
 */
export function describeOnKafka(
  title: string,
  skipped: string | undefined,
  suite: () => void,
): void {
  if (skipped === undefined) return void describe(title, suite);
  process.stderr.write(`\n*** SKIPPED, not passed: ${title}\n*** ${skipped}\n\n`);
  describe.skip(`${title} (skipped: ${skipped})`, suite);
}
