import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NotRecorded, OutcomeUnknown, KafkaLog } from '#event-log';
import type { KafkaCluster } from '../../scripts/kafka/cluster.mjs';
import { eventually } from '../kit/eventually.js';
import {
  describeOnKafka,
  freshTopic,
  kafkaBehindProxies,
  whyNoKafkaToKill,
  type KafkaBehindProxies,
} from '../kit/kafka.js';
import { IS_LONG } from '../kit/rounds.js';
import { Collector } from './collector.js';

const PARTITIONS = 6;
const WRITERS_A_PARTITION = 2;
/** The brokers that are killed, one after the other. */
const KILLED = IS_LONG ? [1, 2] : [1];
/** Time limit for three brokers on a busy machine. */
const BROKER_MS_MAX = 60_000;
const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);

describeOnKafka('the log in a Kafka of three brokers', await whyNoKafkaToKill(), () => {
  let cluster: KafkaCluster;
  let proxies: KafkaBehindProxies['proxies'];
  beforeAll(async () => {
    ({ cluster, proxies } = await kafkaBehindProxies(3));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    await cluster.stop();
  });

  it(
    'waits until the brokers know the topic that it makes, though one of them answered before',
    async () => {
      const topic = freshTopic();
      for (const proxy of proxies.values()) proxy.hideSettings(topic, 2);
      const log = await KafkaLog.open({
        brokers: cluster.brokers,
        topic,
        partitions: PARTITIONS,
        create: true,
      });
      expect([...proxies.values()].some(({ leftToHide }) => leftToHide < 2)).toBe(true);
      expect((await log.health()).reachable).toBe(true);
      await log.close();
    },
    BROKER_MS_MAX,
  );

  it(
    'makes new connections to follow when those to one broker stay half-open, though the others answer',
    async () => {
      const notices: string[] = [];
      const log = await KafkaLog.open({
        brokers: cluster.brokers,
        topic: freshTopic(),
        partitions: PARTITIONS,
        create: true,
        onNotice: (text) => void notices.push(text),
      });
      const taker = new Collector();
      const follower = log.follow(taker);
      for (const partition of partitions) follower.add(partition, 0);
      const append = (value: string) =>
        Promise.all(
          partitions.map((partition) =>
            log.append({
              partition,
              urgency: 'live',
              records: [{ key: 'T1', value: Buffer.from(value) }],
            }),
          ),
        );
      const isRead = (value: string): boolean =>
        partitions.every((partition) => taker.texts(partition).includes(value));
      await append('before');
      await eventually('the first records', () => isRead('before'));
      proxies.get(2)?.silence()();
      await eventually('a new consumer', () =>
        notices.some((notice) => notice.includes('a broker answered no fetch')),
      );
      await eventually('appends again', () => append('after').catch(() => undefined));
      await eventually('records after it', () => isRead('after'));
      await log.close();
    },
    BROKER_MS_MAX * 2,
  );

  it('is power-safe, and keeps every acknowledged record without a hole while a broker is killed and restarted', async () => {
    const log = await KafkaLog.open({
      brokers: cluster.brokers,
      topic: freshTopic(),
      partitions: PARTITIONS,
      create: true,
    });
    const health = await eventually('a log that answers', async () => {
      const seen = await log.health();
      return seen.reachable && seen;
    });
    expect(health).toMatchObject({ powerSafe: true, notes: [] });
    const taker = new Collector();
    const follower = log.follow(taker);
    for (const partition of partitions) follower.add(partition, 0);

    const acknowledged: string[][] = partitions.map(() => []);
    const total = () => acknowledged.reduce((sum, of) => sum + of.length, 0);
    let writing = true;
    const write = async (partition: number, writer: number): Promise<void> => {
      for (let at = 0; writing; at += 1) {
        const value = `${writer} ${at}`;
        const outcome = await log
          .append({
            partition,
            urgency: 'live',
            records: [{ key: 'T1', value: Buffer.from(value) }],
          })
          .catch((error: unknown) => error);
        if (!(outcome instanceof Error)) acknowledged[partition]?.push(value);
        else if (!(outcome instanceof NotRecorded || outcome instanceof OutcomeUnknown))
          throw outcome;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const writers = partitions.flatMap((partition) =>
      Array.from({ length: WRITERS_A_PARTITION }, (_, writer) => write(partition, writer)),
    );

    for (const node of KILLED) {
      await eventually(
        'every partition appended to',
        () => acknowledged.every((of) => of.length >= 20),
        BROKER_MS_MAX,
      );
      await cluster.kill(node);
      const before = acknowledged.map((of) => of.length);
      await eventually(
        'appends to every partition while one broker is down',
        () =>
          acknowledged.every((of, partition) => of.length >= (before[partition] as number) + 20),
        BROKER_MS_MAX,
      );
      await cluster.restart(node);
    }
    writing = false;
    await Promise.all(writers);

    const heads = await Promise.all(partitions.map((partition) => log.head(partition)));
    await eventually(
      'every record read',
      () =>
        partitions.every(
          (partition) => taker.offsets(partition).at(-1) === (heads[partition] as number) - 1,
        ),
      BROKER_MS_MAX,
    );
    expect(taker.stops).toEqual([]);
    for (const partition of partitions) {
      expect(taker.offsets(partition)).toEqual(
        Array.from({ length: heads[partition] as number }, (_, offset) => offset),
      );
      const there = new Set(taker.texts(partition));
      expect(acknowledged[partition]?.filter((value) => !there.has(value))).toEqual([]);
    }
    const twice = heads.reduce(
      (sum, head, partition) => sum + head - new Set(taker.texts(partition)).size,
      0,
    );
    process.stderr.write(
      `three brokers, ${KILLED.length} killed in turn: ${total()} acknowledged, 0 lost, ${twice} stored twice, readers restarted ${log.restarts} times\n`,
    );
    await log.close();
  }, 180_000);
});
