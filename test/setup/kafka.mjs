// One Kafka for the whole run, started when the first test asks for it: KAFKA_BROKERS if set, else
// a container where Docker answers, else Apache Kafka itself (scripts/kafka). Test files run in
// other processes than this one, so they ask over HTTP on the loopback (test/kit/kafka.ts), and the
// broker belongs to the run and not to the file that came first.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { startKafka } from '../../scripts/kafka/cluster.mjs';
import { whyNoBroker } from '../../scripts/kafka/jars.mjs';

const hasDocker = () => Boolean(process.env.DOCKER_HOST) || existsSync('/var/run/docker.sock');

async function container() {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const started = await new KafkaContainer('confluentinc/cp-kafka:7.9.1').withKraft().start();
  return {
    brokers: [`${started.getHost()}:${started.getMappedPort(9093)}`],
    stop: () => started.stop(),
  };
}

/**
 * The brokers of the run, or why there are none.
 * @typedef {{ brokers?: string[], skipped?: string, stop: () => Promise<unknown> }} Started
 */

/** @returns {Promise<Started>} */
async function start() {
  if (process.env.KAFKA_BROKERS)
    return { brokers: process.env.KAFKA_BROKERS.split(','), stop: async () => undefined };
  if (hasDocker()) return container();
  const skipped = await whyNoBroker();
  if (skipped)
    return {
      skipped: `KAFKA_BROKERS is not set, Docker does not answer, and ${skipped}`,
      stop: async () => undefined,
    };
  const cluster = await startKafka({ isShortLived: true });
  return { brokers: cluster.brokers, stop: () => cluster.stop() };
}

/** @type {(() => Promise<void>) | undefined} */
let stopKafka;

/** Answers what test files ask for, and starts the Kafka when the first asks. */
export async function setup() {
  /** @type {Promise<Started> | undefined} */
  let started;
  const server = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ brokers, skipped }) => response.end(JSON.stringify({ brokers, skipped })),
      (/** @type {unknown} */ error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.env.TEST_KAFKA_URL = `http://127.0.0.1:${port}/`;
  stopKafka = async () => {
    server.closeAllConnections();
    server.close();
    await started?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
  };
}

/** Stops the Kafka of the run, if a test asked for it. */
export async function teardown() {
  await stopKafka?.();
}
