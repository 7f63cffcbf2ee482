// `npm run kafka [-- --nodes 3] [--partitions 16] [--topic NAME]`: a broker for a developer, until
// Ctrl-C.
import { parseArgs } from 'node:util';
import kafkajs from 'kafkajs';
import { startKafka } from './cluster.mjs';
import { kafkaVersion, whyNoBroker } from './jars.mjs';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1' },
    partitions: { type: 'string', default: '16' },
    topic: { type: 'string', default: 'shoeprint.table-events.v1' },
  },
});

const nodes = Number(values.nodes);
if (nodes !== 1 && nodes !== 3) {
  console.error(`--nodes must be 1 or 3, not ${values.nodes}`);
  process.exit(2);
}
const why = await whyNoBroker();
if (why) {
  console.error(`Kafka cannot start: ${why}.`);
  process.exit(1);
}

console.error(`Starting Kafka ${kafkaVersion} (the first start fetches its jars) ...`);
const cluster = await startKafka({ nodes });
await createTopic();
console.log(`Kafka ${kafkaVersion}, ${cluster.nodes.length === 1 ? 'one node' : `${cluster.nodes.length} nodes`}, listens at ${cluster.brokers.join(' and ')}.
Its data is in ${cluster.dir} and is deleted when it stops. Ctrl-C stops it.

To use it:
  SHOEPRINT_LOG=kafka
  KAFKA_BROKERS=${cluster.brokers.join(',')}
  KAFKA_TOPIC=${values.topic}
  SHOEPRINT_PARTITIONS=${values.partitions}`);

// Keeps this process alive. The pipe to the warden does not, so that a test can end without
// stopping its broker.
const staying = setInterval(() => undefined, 60_000);
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (!ending) void stop();
    ending = true;
  });
}

async function stop() {
  await cluster.stop();
  clearInterval(staying);
  console.error('Kafka has stopped.');
}

async function createTopic() {
  const admin = new kafkajs.Kafka({
    brokers: cluster.brokers,
    clientId: 'shoeprint-launcher',
    logLevel: kafkajs.logLevel.ERROR,
  }).admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: false,
    topics: [
      {
        topic: values.topic,
        numPartitions: Number(values.partitions),
        replicationFactor: cluster.nodes.length,
        configEntries: topicConfig(),
      },
    ],
  });
  await admin.disconnect();
}

/** Returns the settings of the topic that libs/event-log asks for (kafka-topic.ts). */
function topicConfig() {
  return Object.entries({
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'message.timestamp.type': 'LogAppendTime',
    'min.insync.replicas': cluster.nodes.length > 1 ? '2' : '1',
    'unclean.leader.election.enable': 'false',
  }).map(([name, value]) => ({ name, value }));
}
