import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { KafkaLog, NotRecorded, OutcomeUnknown } from '#event-log';
import { processRegistry } from '#server';
import { startKafka, type KafkaCluster } from '../../scripts/kafka/cluster.mjs';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, whyNoKafkaToKill } from '../kit/kafka.js';
import { Collector } from './collector.js';
import { StaleLeaderProxy } from './stale-leader-proxy.js';

const reasonOf = (settled: PromiseSettledResult<unknown>): Error => {
  if (settled.status === 'fulfilled') throw new Error('it was appended');
  return settled.reason as Error;
};

const STANDSTILL = 'shoeprint_log_standstill_seconds';
const REPLACED = 'shoeprint_log_connections_replaced_total';

/** Returns a function that reads a metric of a program with this log. */
function measuring(log: KafkaLog): (name: string) => Promise<number | undefined> {
  const registry = processRegistry(log);
  return async (name) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value;
}

/** Together they take longer than a client waits for the first answers on a new connection. */
const SILENT_APPENDS = 2;
const BACK_MS_MAX = 15_000;
const TEST_MS = 90_000;

describeOnKafka('the log in a Kafka that was away', await whyNoKafkaToKill(), () => {
  let cluster: KafkaCluster;
  let proxy: StaleLeaderProxy;
  let log: KafkaLog;
  const notices: string[] = [];
  beforeAll(async () => {
    cluster = await startKafka({
      isShortLived: true,
      advertise: async (port) => {
        proxy = await StaleLeaderProxy.listen(port);
        return proxy.port;
      },
    });
  }, TEST_MS);
  beforeEach(async () => {
    const topic = freshTopic();
    const onNotice = (text: string) => void notices.push(text);
    const { brokers } = cluster;
    log = await KafkaLog.open({ brokers, topic, partitions: 1, create: true, onNotice });
  });
  afterEach(() => log.close(0));
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  const append = (...values: string[]) =>
    log.append({
      partition: 0,
      urgency: 'live',
      records: values.map((value) => ({ key: 'T1', value: Buffer.from(value) })),
    });

  /** Waits until an append is taken and read. */
  async function worksAgain(taker: Collector): Promise<void> {
    const taken = () =>
      append('after').then(
        () => true,
        () => undefined,
      );
    await eventually('an append after it', taken, BACK_MS_MAX);
    await eventually('it is read', () => taker.texts(0).includes('after'), BACK_MS_MAX);
  }

  it(
    'takes appends and is read again after its broker was silent, also on connections that were made meanwhile',
    async () => {
      const taker = new Collector();
      const measured = measuring(log);
      log.follow(taker).add(0, 0);
      await append('before');
      await eventually('the first record', () => taker.texts(0).length === 1);
      const speak = proxy.hold();
      for (let n = 0; n < SILENT_APPENDS; n += 1) {
        const sent = append(`${n}`);
        await new Promise(setImmediate); // or both would be one send
        const [first, behind] = await Promise.allSettled([sent, append(`${n} behind`)]);
        expect([OutcomeUnknown, NotRecorded]).toContain(reasonOf(first).constructor);
        expect(reasonOf(behind)).toBeInstanceOf(NotRecorded);
      }
      expect(await log.health()).toMatchObject({ reachable: false });
      expect(await log.standstill()).toBeUndefined(); // another start would not help
      expect(await measured(STANDSTILL)).toBeGreaterThan(1);
      expect(await measured(REPLACED)).toBeGreaterThan(0);
      speak();
      await worksAgain(taker);
      await eventually('the health', async () => (await log.health()).reachable, BACK_MS_MAX);
      await eventually('the end of the standstill', async () => (await measured(STANDSTILL)) === 0);
      expect(await measured(REPLACED)).toBe(log.replacedConnections);
      expect(taker.stops).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'makes new connections to follow when those that it has stay half-open, though nothing was appended',
    async () => {
      const taker = new Collector();
      log.follow(taker).add(0, 0);
      await append('before');
      await eventually('the first record', () => taker.texts(0).length === 1);
      const speak = proxy.silence();
      speak();
      await eventually('a new consumer', () =>
        notices.some((notice) => notice.includes('a broker answered no fetch')),
      );
      await worksAgain(taker);
    },
    TEST_MS,
  );

  it(
    'does not believe a leader that has slept, until it has learnt of what came meanwhile',
    async () => {
      await append('a', 'b', 'c');
      const learn = proxy.remember(1);
      const head = log.head(0, 3);
      await eventually('old heads', () => proxy.answered > 2);
      expect(log.unsure).toEqual([0]);
      learn();
      expect(await head).toBe(3);
      expect(log.unsure).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'believes a head below what is known once it was said for longer than a session of a broker',
    async () => {
      await append('a');
      expect(await log.head(0, 5)).toBe(1);
      expect(notices).toContainEqual(expect.stringContaining('partition 0 is unsure'));
      await expect(log.read(0, 5)).rejects.toMatchObject({ name: 'BrokenLog', offset: 5 });
      expect(log.unsure).toEqual([]);
    },
    TEST_MS,
  );
});
