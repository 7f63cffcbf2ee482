import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { logSettings, openLog } from '#event-log';
import { createDatabase } from '../kit/database.js';

describe('the settings of the log', () => {
  let dir: string;
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'shoeprint-settings-'))));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('are PostgreSQL with sixteen partitions unless something else is said', () => {
    expect(logSettings({ DATABASE_URL: 'postgres://a:b@localhost/x' })).toEqual({
      settings: { kind: 'postgres', url: 'postgres://a:b@localhost/x', partitions: 16 },
      faults: [],
    });
  });

  it('are Kafka when that is said, with its topic, and with TLS and a login where they are set', () => {
    const { settings, faults } = logSettings({
      SHOEPRINT_LOG: 'kafka',
      SHOEPRINT_PARTITIONS: '24',
      KAFKA_BROKERS: 'one:9092, [::1]:9093',
      KAFKA_SSL: 'true',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'app',
      KAFKA_SASL_PASSWORD_FILE: file('password', 's3cret\n'),
      DATABASE_URL: '',
    });
    expect(faults).toEqual([]);
    expect(settings).toEqual({
      kind: 'kafka',
      brokers: ['one:9092', '[::1]:9093'],
      topic: 'shoeprint.table-events.v1',
      partitions: 24,
      create: true,
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'app', password: 's3cret' },
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('take the database from a file', () => {
    expect(
      logSettings({ DATABASE_URL_FILE: file('url', 'postgresql://a@h/d\n') }).settings,
    ).toMatchObject({ url: 'postgresql://a@h/d' });
  });

  it.each([
    [{}, ['DATABASE_URL']],
    [{ DATABASE_URL: 'mysql://x' }, ['DATABASE_URL']],
    [{ DATABASE_URL: 'postgres://a', DATABASE_URL_FILE: '/nowhere' }, ['DATABASE_URL']],
    [{ DATABASE_URL_FILE: '/nowhere/at/all' }, ['DATABASE_URL_FILE']],
    [{ DATABASE_URL: 'postgres://a', SHOEPRINT_PARTITIONS: '0' }, ['SHOEPRINT_PARTITIONS']],
    [{ DATABASE_URL: 'postgres://a', SHOEPRINT_PARTITIONS: '1e2' }, ['SHOEPRINT_PARTITIONS']],
    [
      { SHOEPRINT_LOG: 'redis', SHOEPRINT_PARTITIONS: '2000' },
      ['SHOEPRINT_LOG', 'SHOEPRINT_PARTITIONS', 'DATABASE_URL'],
    ],
    [{ SHOEPRINT_LOG: 'kafka' }, ['KAFKA_BROKERS']],
    [
      {
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: 'one',
        KAFKA_TOPIC: 'a topic',
        KAFKA_SSL: 'yes',
        KAFKA_SASL_MECHANISM: 'plain',
      },
      ['KAFKA_BROKERS', 'KAFKA_TOPIC', 'KAFKA_SSL', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
    ],
    [
      { SHOEPRINT_LOG: 'kafka', KAFKA_BROKERS: 'one:1', KAFKA_SASL_PASSWORD: 'hush' },
      ['KAFKA_SASL_MECHANISM'],
    ],
    [
      {
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: 'one:1',
        KAFKA_SASL_MECHANISM: 'kerberos',
        KAFKA_SASL_USERNAME: 'a',
        KAFKA_SASL_PASSWORD: 'hush',
      },
      ['KAFKA_SASL_MECHANISM'],
    ],
  ])('name each variable of %j that is wrong, once, and never say its value', (env, names) => {
    const { settings, faults } = logSettings(env);
    expect(settings).toBeUndefined();
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(names);
    expect(faults.join()).not.toMatch(/hush|mysql|redis|nowhere/);
  });

  it('open the log that they name', async () => {
    const database = await createDatabase();
    const { settings } = logSettings({ DATABASE_URL: database.url, SHOEPRINT_PARTITIONS: '3' });
    const log = await openLog(settings as NonNullable<typeof settings>);
    expect(log.partitions).toBe(3);
    expect(await log.head(2)).toBe(0);
    await log.close();
    await database.drop();
  });
});
