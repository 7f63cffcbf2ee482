import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';
import { expect, it } from '@jest/globals';
import {
  clusterOf,
  encoder,
  errorOf,
  NOT_CONNECTED,
  requestQueues,
} from '../../libs/event-log/src/kafka/internals.js';

const required = createRequire(import.meta.url);
const versionIn = (path: string): string =>
  (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;

it('the client of Kafka is the version whose insides are used, and is pinned exactly', () => {
  const { dependencies } = required('../../package.json') as {
    dependencies: Record<string, string>;
  };
  expect(dependencies['kafkajs']).toBe('2.2.4');
  expect(versionIn(required.resolve('kafkajs/package.json'))).toBe('2.2.4');
});

it('the client of Kafka has everything that is used beyond its public face', () => {
  const cluster = clusterOf(new kafkajs.Kafka({ brokers: ['127.0.0.1:1'] }));
  for (const name of [
    'connect',
    'disconnect',
    'isConnected',
    'removeBroker',
    'addTargetTopic',
    'refreshMetadata',
    'refreshMetadataIfNecessary',
    'findLeaderForPartitions',
    'findBroker',
    'fetchTopicsOffset',
  ] as const)
    expect([name, typeof cluster[name]]).toEqual([name, 'function']);
  expect(typeof cluster.brokerPool.findConnectedBroker).toBe('function');
  const { prototype: broker } = required('kafkajs/src/broker') as { prototype: object };
  expect(readFileSync(required.resolve('kafkajs/src/broker'), 'utf8')).toContain(
    `throw new Error('${NOT_CONNECTED}')`,
  );
  expect(broker).toMatchObject({
    apiVersions: expect.any(Function),
    fetch: expect.any(Function),
    disconnect: expect.any(Function),
  });
  const written = encoder()
    .writeBuffer(Buffer.from([1]))
    .writeInt16(2)
    .writeInt32(3)
    .writeString('a')
    .writeUVarIntString('b') as unknown as { buffer: Buffer };
  expect(written.buffer.toString('hex')).toBe('01000200000003000161' + '0262');
  expect(errorOf(6)).toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION' });
  expect(requestQueues()).toMatchObject({
    checkPendingRequests: expect.any(Function),
    scheduleCheckPendingRequests: expect.any(Function),
  });
});
