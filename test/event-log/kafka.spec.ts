import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import kafkajs, { type Admin } from 'kafkajs';
import {
  BrokenLog,
  type LogRecord,
  NotRecorded,
  OutcomeUnknown,
  partitionOf,
  RECORD_BYTES_MAX,
  KafkaLog,
  LogAway,
} from '#event-log';
import { judge } from '../../libs/event-log/src/kafka/sender.js';
import { ANY_CHARACTER } from '../kit/any-character.js';
import { eventually } from '../kit/eventually.js';
import {
  describeOnKafka,
  freshTopic,
  kafkaBehindProxy,
  kafkaForTests,
  whyNoKafkaToKill,
} from '../kit/kafka.js';
import { freePort } from '../kit/processes.js';
import { Collector } from './collector.js';
import { describeEventLog, type LogStore } from './contract.js';

const PARTITIONS = 4;
/**
 * A broker that this file may kill, unless KAFKA_BROKERS is set or Java is missing: the broker of
 * the test run must not be killed.
 */
const shared = process.env.KAFKA_BROKERS ? 'KAFKA_BROKERS is set' : await whyNoKafkaToKill();
const own = shared === undefined ? await kafkaBehindProxy() : undefined;
const kafka = own ? { brokers: own.cluster.brokers } : await kafkaForTests();
const skipped = 'skipped' in kafka ? kafka.skipped : undefined;
const brokers = 'brokers' in kafka ? kafka.brokers : [];

const record = (value: string, key = 'T1'): LogRecord => ({ key, value: Buffer.from(value) });
const live = (partition: number, ...values: string[]) => ({
  partition,
  urgency: 'live' as const,
  records: values.map((value) => record(value)),
});
/** Version 0 and the type of a marker, then version 0 and the epoch of its coordinator. */
const MARKERS = {
  abort: Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  commit: Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
};
const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });

async function asAdmin<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = client.admin();
  await admin.connect();
  return ask(admin).finally(() => admin.disconnect());
}

async function setBatchBytesMax(topic: string, value: string): Promise<void> {
  const resource = {
    type: kafkajs.ConfigResourceTypes.TOPIC,
    name: topic,
    configEntries: [{ name: 'max.message.bytes', value }],
  };
  await asAdmin((admin) => admin.alterConfigs({ validateOnly: false, resources: [resource] }));
}

/** A broker answers a change of its settings before it acts on it, at times 8 ms before. */
async function untilRefused(topic: string, partition: number): Promise<void> {
  const producer = client.producer({ retry: { retries: 0 } });
  await producer.connect();
  const isTaken = () =>
    producer.send({ topic, messages: [{ value: 'tried', partition }] }).then(
      () => true,
      (error: unknown) => {
        if ((error as { type?: string }).type === 'MESSAGE_TOO_LARGE') return false;
        throw error;
      },
    );
  await eventually('a refused append', async () => !(await isTaken())).finally(() =>
    producer.disconnect(),
  );
}

async function makeStore(): Promise<LogStore> {
  const topic = freshTopic();
  return {
    open: (settings) =>
      KafkaLog.open({ brokers, topic, partitions: PARTITIONS, create: true, ...settings }),
    drop: () => asAdmin((admin) => admin.deleteTopics({ topics: [topic] })),
    restart: async () => {
      await own?.cluster.kill(1);
      await own?.cluster.restart(1);
    },
    breakConnections: async () => own?.proxy.cut(),
    hold: async () => {
      await own?.cluster.kill(1, 'SIGSTOP');
      return async () => void (await own?.cluster.kill(1, 'SIGCONT'));
    },
    loseAnswers: async () => {
      const undo = own?.proxy.loseAnswers();
      return async () => undo?.();
    },
    refuse: async () => {
      await setBatchBytesMax(topic, '10');
      // In the last partition, where no test of a refused append looks.
      await untilRefused(topic, PARTITIONS - 1);
      return () => setBatchBytesMax(topic, '1000000');
    },
  };
}

describeOnKafka('the log in Kafka', skipped, () => {
  afterAll(async () => {
    await own?.proxy.close();
    await own?.cluster.stop();
  });

  describeEventLog(
    'Kafka',
    makeStore,
    own ? ['restart', 'breakConnections', 'hold', 'loseAnswers', 'refuse'] : ['refuse'],
  );

  const opened: KafkaLog[] = [];
  const open = async (topic = freshTopic(), partitions = 1, create = true): Promise<KafkaLog> => {
    const log = await KafkaLog.open({ brokers, topic, partitions, create });
    opened.push(log);
    return log;
  };
  afterEach(() => Promise.all(opened.splice(0).map((log) => log.close(0))));

  describe('its topic', () => {
    it('is created with unlimited retention, no compaction and the time of the broker', async () => {
      const topic = freshTopic();
      await open(topic);
      const { resources } = await asAdmin((admin) =>
        admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
        }),
      );
      const config = Object.fromEntries(
        resources[0]?.configEntries.map(({ configName, configValue }) => [
          configName,
          configValue,
        ]) ?? [],
      );
      expect(config).toMatchObject({
        'cleanup.policy': 'delete',
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'message.timestamp.type': 'LogAppendTime',
        'unclean.leader.election.enable': 'false',
      });
    });

    it('is rejected if it is missing and must not be created, has another number of partitions, or is compacted', async () => {
      const topic = freshTopic();
      await expect(open(topic, 4, false)).rejects.toThrow(`the topic ${topic} does not exist`);
      await open(topic, 4);
      await expect(open(topic, 5)).rejects.toThrow('has 4 partitions, not 5');
      const compacted = freshTopic();
      await asAdmin((admin) =>
        admin.createTopics({
          waitForLeaders: false,
          topics: [
            {
              topic: compacted,
              numPartitions: 1,
              replicationFactor: 1,
              configEntries: [{ name: 'cleanup.policy', value: 'compact' }],
            },
          ],
        }),
      );
      await expect(open(compacted, 1)).rejects.toThrow('compaction removes records');
    });

    it('is away, which may pass, while no broker can be reached or none answers', async () => {
      const silent = createServer((socket) => socket.resume().on('error', () => undefined));
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const { port } = silent.address() as AddressInfo;
      try {
        for (const broker of [`127.0.0.1:${await freePort()}`, `127.0.0.1:${port}`]) {
          const opening = KafkaLog.open({ brokers: [broker], topic: freshTopic(), partitions: 1 });
          await expect(opening).rejects.toBeInstanceOf(LogAway);
        }
      } finally {
        silent.close();
      }
      await expect(open(freshTopic(), 1, false)).rejects.toBeInstanceOf(LogAway);
    });

    it('counts as another log after it was deleted and created again: health reports it, readers stop, and appends fail', async () => {
      const topic = freshTopic();
      const log = await open(topic, 2);
      const taker = new Collector();
      const follower = log.follow(taker);
      follower.add(0, 0);
      follower.add(1, 0);
      await log.append(live(0, 'a', 'b'));
      await eventually('the records', () => taker.texts(0).length === 2);
      await asAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
      const again = await eventually('the topic created again', () =>
        open(topic, 2).catch(() => undefined),
      );
      expect(again.id).not.toBe(log.id);
      await eventually('a health that says so', async () => {
        const { reachable, notes } = await log.health();
        expect(reachable).toBe(false);
        return notes.some((note) => note.includes('was deleted and created again'));
      });
      await eventually('the stop', () => taker.stops.length === 2);
      expect(taker.stops.map(({ why }) => why)).toEqual([
        expect.any(BrokenLog),
        expect.any(BrokenLog),
      ]);
      const outcome = await log.append(live(0, 'c')).catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(OutcomeUnknown);
      await expect(log.append(live(0, 'd'))).rejects.toBeInstanceOf(NotRecorded);
      expect(await again.head(0)).toBeLessThanOrEqual(1);
    });
  });

  describe('its readers', () => {
    it.each([
      ['a read', 'commit', 'before another record'],
      ['a read', 'abort', 'before another record'],
      ['a follower', 'commit', 'before another record'],
      ['a follower', 'commit', 'the last of the partition'],
    ] as const)(
      'return the marker of a transaction, which another program wrote, as a record without a key: %s, %s, %s',
      async (reader, end, place) => {
        const topic = freshTopic();
        const log = await open(topic);
        await log.append(live(0, 'a'));
        const taker = new Collector();
        if (reader === 'a follower') log.follow(taker).add(0, 0);
        const producer = client.producer({
          idempotent: true,
          maxInFlightRequests: 1,
          transactionalId: topic,
          createPartitioner: () => () => 0,
        });
        await producer.connect();
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [{ key: 'T1', value: 'b' }] });
        await (end === 'commit' ? transaction.commit() : transaction.abort());
        await producer.disconnect();
        await eventually(
          'the marker of the transaction, which takes offset 2',
          async () => (await log.head(0)) === 3,
        );
        const isLast = place === 'the last of the partition';
        if (!isLast) expect(await log.append(live(0, 'c'))).toMatchObject({ first: 3 });
        if (reader === 'a read') await taker.take(0, await log.read(0, 0));
        await eventually('all records', () => taker.texts(0).length === (isLast ? 3 : 4));
        const [marker] = taker.taken.flat().filter(({ offset }) => offset === 2);
        expect(marker).toMatchObject({ key: '', value: MARKERS[end] });
        expect(taker.texts(0).filter((_, offset) => offset !== 2)).toEqual(
          isLast ? ['a', 'b'] : ['a', 'b', 'c'],
        );
        expect(await log.read(0, 2)).toMatchObject([
          { offset: 2, value: MARKERS[end] },
          ...(isLast ? [] : [{}]),
        ]);
        expect(taker.stops).toEqual([]);
      },
    );

    it.each(['a read', 'a follower'])(
      'return a record without a key or a value, which another program wrote, with an empty one: %s',
      async (reader) => {
        const topic = freshTopic();
        const log = await open(topic);
        await log.append(live(0, 'a'));
        const producer = client.producer({ createPartitioner: () => () => 0 });
        await producer.connect();
        await producer.send({
          topic,
          messages: [
            { key: null, value: 'b' },
            { key: 'T1', value: null },
          ],
        });
        await producer.disconnect();
        await log.append(live(0, 'c'));
        const taker = new Collector();
        if (reader === 'a read') await taker.take(0, await log.read(0, 0));
        else log.follow(taker).add(0, 0);
        await eventually('all records', () => taker.texts(0).length === 4);
        expect(taker.stops).toEqual([]);
        expect(taker.texts(0)).toEqual(['a', 'b', '', 'c']);
        expect(taker.taken[0]?.slice(0, 4).map(({ key }) => key)).toEqual(['T1', '', 'T1', 'T1']);
      },
    );

    it('say when the log took a record', async () => {
      const log = await open(freshTopic());
      const before = Date.now();
      await log.append(live(0, 'a'));
      const [record] = await log.read(0, 0);
      expect(record?.time).toBeGreaterThanOrEqual(before);
      expect(record?.time).toBeLessThanOrEqual(Date.now());
    });

    it('reject an offset whose records were deleted with BrokenLog', async () => {
      const topic = freshTopic();
      const log = await open(topic);
      await log.append(live(0, 'a', 'b', 'c'));
      await asAdmin(async (admin) => {
        await admin.fetchTopicOffsets(topic); // without it kafkajs does not know the leaders
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
      });
      await expect(log.read(0, 1)).rejects.toMatchObject({
        name: 'BrokenLog',
        partition: 0,
        offset: 1,
      });
      expect((await log.read(0, 2)).map(({ offset }) => offset)).toEqual([2]);
      const taker = new Collector();
      log.follow(taker).add(0, 0);
      await eventually('the stop', () => taker.stops[0]);
      expect(taker.stops[0]?.why).toBeInstanceOf(BrokenLog);
      expect(taker.taken).toEqual([]);
    });
  });

  describe('its appends', () => {
    it('go to the partition that the default partitioner of a Kafka client picks for the key', () => {
      const partitioner = kafkajs.Partitioners.DefaultPartitioner();
      const key = fc.oneof(
        fc.string({ unit: ANY_CHARACTER, minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
      );
      fc.assert(
        fc.property(key, fc.integer({ min: 1, max: 1000 }), (name, partitions) => {
          const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
            partitionId,
            partitionErrorCode: 0,
            leader: 1,
            replicas: [],
            isr: [],
          }));
          expect(partitionOf(name, partitions)).toBe(
            partitioner({ topic: 't', partitionMetadata, message: { key: name, value: null } }),
          );
        }),
      );
    });

    it('leave no holes when two logs append to one partition at once, and keep the order of each', async () => {
      const topic = freshTopic();
      const logs = [await open(topic, 3), await open(topic, 3, false)] as const;
      const firsts = await Promise.all(
        logs.map((log, which) =>
          Promise.all(
            Array.from({ length: 200 }, (_, at) =>
              log.append(live(2, `${which} ${at}`)).then(({ first }) => first),
            ),
          ),
        ),
      );
      expect([...firsts.flat()].sort((a, b) => a - b)).toEqual(
        Array.from({ length: 400 }, (_, at) => at),
      );
      const taker = new Collector();
      logs[0].follow(taker).add(2, 0);
      await eventually('all records', () => taker.texts(2).length === 400);
      for (const which of [0, 1])
        expect(taker.texts(2).filter((value) => value.startsWith(`${which} `))).toEqual(
          Array.from({ length: 200 }, (_, at) => `${which} ${at}`),
        );
    });

    it('are rejected before anything is sent if a record is too long', async () => {
      const log = await open();
      const { sends } = log.stats();
      await expect(
        log.append({
          partition: 0,
          urgency: 'live',
          records: [record('x'.repeat(RECORD_BYTES_MAX + 1))],
        }),
      ).rejects.toBeInstanceOf(NotRecorded);
      expect(log.stats().sends).toBe(sends);
    });

    it('are not power-safe on one broker, and health reports why', async () => {
      const log = await open();
      const copies = await asAdmin((admin) => admin.describeCluster());
      if (copies.brokers.length < 3)
        expect(await log.health()).toMatchObject({
          reachable: true,
          powerSafe: false,
          notes: expect.arrayContaining([
            expect.stringContaining('copy, not 3'),
            expect.stringContaining('min.insync.replicas is 1'),
          ]),
        });
      else
        expect(await log.health()).toMatchObject({ reachable: true, powerSafe: true, notes: [] });
    });
  });
});

describe('a failed send', () => {
  const failed = (fields: object) => Object.assign(new Error('failed'), fields);

  it.each(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'TOPIC_AUTHORIZATION_FAILED'])(
    'has written nothing and is not retried if the broker answers %s',
    (type) => {
      expect(judge(failed({ name: 'KafkaJSProtocolError', type }))).toEqual({
        notWritten: true,
        final: true,
      });
    },
  );

  it.each([
    ['too few replicas are in sync', { name: 'KafkaJSProtocolError', type: 'NOT_ENOUGH_REPLICAS' }],
    ['the port is closed', { name: 'KafkaJSConnectionError', code: 'ECONNREFUSED' }],
    ['the leader is unknown', { name: 'KafkaJSBrokerNotFound' }],
  ])('has written nothing and is retried if %s', (_, fields) => {
    const wrapped = Object.assign(new Error('retries exceeded'), {
      name: 'KafkaJSNumberOfRetriesExceeded',
      cause: failed(fields),
    });
    expect(judge(wrapped)).toEqual({ notWritten: true, final: false });
  });

  it.each([
    ['a connection that closed', { name: 'KafkaJSConnectionClosedError' }],
    ['a connection that broke', { name: 'KafkaJSConnectionError', code: 'ECONNRESET' }],
    ['a timeout', { name: 'KafkaJSRequestTimeoutError' }],
    [
      'a leader that was replaced while it waited for its replicas',
      { name: 'KafkaJSProtocolError', type: 'NOT_LEADER_FOR_PARTITION' },
    ],
    [
      'replicas that fell out of sync afterwards',
      { name: 'KafkaJSProtocolError', type: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND' },
    ],
    ['an unknown error', {}],
  ])('may have written everything after %s', (_, fields) => {
    expect(judge(failed(fields))).toEqual({ notWritten: false, final: false });
  });
});
