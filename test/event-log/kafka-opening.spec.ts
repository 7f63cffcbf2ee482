import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { KafkaLog } from '#event-log';
import { asError } from '#process';
import { kafkaClients } from '../../libs/event-log/src/kafka/client.js';
import { KafkaSender } from '../../libs/event-log/src/kafka/sender.js';
import { TopicClient } from '../../libs/event-log/src/kafka/topic-client.js';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { Collector } from './collector.js';

const tested = await kafkaForTests();
const OPEN_MS_MAX = 60_000;

/** A server that takes connections in place of a broker. */
interface Unserving {
  readonly server: Server;
  readonly address: string;
}

async function unserving(treat: (socket: Socket) => void): Promise<Unserving> {
  const server = createServer((socket) => treat(socket.on('error', () => undefined).resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describeOnKafka('opening a log in Kafka', 'skipped' in tested ? tested.skipped : undefined, () => {
  const brokers = 'brokers' in tested ? tested.brokers : [];
  let first: Unserving[];
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    const proxyOfADeadOne = await unserving((socket) => {
      asked.push('the proxy of a dead one');
      socket.end();
    });
    const sleeping = await unserving(() => asked.push('a sleeping one'));
    first = [proxyOfADeadOne, sleeping];
  });
  afterEach(async () => {
    const closed = first.map(({ server }) => new Promise((resolve) => server.close(resolve)));
    await Promise.all(closed);
  });

  it(
    'passes over brokers that take connections and do not serve them',
    async () => {
      const log = await KafkaLog.open({
        brokers: [...first.map(({ address }) => address), ...brokers],
        topic: freshTopic(),
        partitions: 1,
        create: true,
      });
      const taker = new Collector();
      log.follow(taker).add(0, 0);
      const records = [{ key: 'T1', value: Buffer.from('one') }];
      await log.append({ partition: 0, urgency: 'live', records });
      await eventually('the record', () => taker.texts(0).length > 0);
      expect(taker.texts(0)).toEqual(['one']);
      await log.close();
    },
    OPEN_MS_MAX,
  );

  it('asks the next broker first after a connection that failed', async () => {
    const clients = kafkaClients({
      brokers: first.map(({ address }) => address),
      topic: 'none',
      partitions: 1,
    });
    for (let made = 0; made < 3; made += 1) {
      const admin = clients().admin();
      await admin.connect().catch(() => undefined);
      await admin.disconnect().catch(() => undefined);
    }
    // kafkajs asks the first one again before it gives up
    expect(asked.filter((name, at) => name !== asked[at - 1])).toEqual([
      'the proxy of a dead one',
      'a sleeping one',
      'the proxy of a dead one',
    ]);
  });

  it('asks another broker beside one that says nothing', async () => {
    const sleeping = first[1] as Unserving;
    const client = new TopicClient(
      kafkaClients({ brokers: [sleeping.address, ...brokers], topic: 'none', partitions: 1 }),
      'none',
    );
    const cluster = await client.connected();
    const broker = await cluster.brokerPool.findConnectedBroker();
    expect(await broker.apiVersions()).toEqual(expect.any(Object));
    expect(asked).toEqual(['a sleeping one']);
    await client.close();
  });

  it('waits for the connection that is being made, though a request fails meanwhile', async () => {
    const sleeping = first[1] as Unserving;
    const client = new TopicClient(
      kafkaClients({ brokers: [sleeping.address, ...brokers], topic: 'none', partitions: 1 }),
      'none',
    );
    const before = client.connected();
    client.distrust();
    expect(await client.connected()).toBe(await before);
    await client.close();
  });

  it('waits for a topic that was just made and that not every broker knows yet', async () => {
    const settings = { brokers, topic: freshTopic(), partitions: 1, create: true };
    const { topic } = settings;
    const sender = new KafkaSender(kafkaClients(settings), {
      topic,
      sameTopic: async () => undefined,
      onNotice: () => undefined,
    });
    const refused = sender.ready().then(() => undefined, asError);
    await eventually('a refusal', () => sender.standsStillMs() > 0);
    const log = await KafkaLog.open(settings);
    expect(await refused).toBeUndefined();
    await Promise.all([sender.close(), log.close()]);
  });
});
