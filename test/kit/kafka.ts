import { randomBytes } from 'node:crypto';
import { describe } from '@jest/globals';
import { type KafkaCluster, startKafka } from '../../scripts/kafka/cluster.mjs';
import { whyNoBroker } from '../../scripts/kafka/jars.mjs';
import { KafkaProxy } from './kafka-proxy.js';

/** Brokers to test on, or why there are none. */
export type TestKafka = { readonly brokers: string[] } | { readonly skipped: string };

/** The Kafka that all test files of a run have in common: it is started by the first that asks. Use topics of your own. */
export async function kafkaForTests(): Promise<TestKafka> {
  const url = process.env.TEST_KAFKA_URL;
  if (!url) throw new Error('TEST_KAFKA_URL is not set: run through jest.config.mjs');
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`Kafka for tests: ${await answer.text()}`);
  return (await answer.json()) as TestKafka;
}

/** A Kafka of a test's own, whose nodes it may kill: Apache Kafka itself, since no other can be killed by a process id. */
export async function kafkaToKill(nodes: 1 | 3): Promise<KafkaCluster> {
  return startKafka({ nodes });
}

/** The same, one node, with a proxy before it. */
export async function kafkaBehindProxy(): Promise<{ cluster: KafkaCluster; proxy: KafkaProxy }> {
  let proxy: KafkaProxy | undefined;
  const cluster = await startKafka({
    advertise: async (port) => {
      proxy = await KafkaProxy.listen(port);
      return proxy.port;
    },
  });
  return { cluster, proxy: proxy as KafkaProxy };
}

/** Why no Kafka can be killed here, or undefined where one can. */
export const whyNoKafkaToKill = whyNoBroker;

/** A topic name that nobody has used. */
export const freshTopic = () => `test-${randomBytes(6).toString('hex')}`;

/** `describe`, or where there is a reason to skip, a suite that is skipped and says so loudly on stderr: nobody shall take silence for a pass. */
export function describeOnKafka(
  title: string,
  skipped: string | undefined,
  suite: () => void,
): void {
  if (skipped === undefined) return void describe(title, suite);
  process.stderr.write(`\n*** SKIPPED, not passed: ${title}\n*** ${skipped}\n\n`);
  describe.skip(`${title} (skipped: ${skipped})`, suite);
}
