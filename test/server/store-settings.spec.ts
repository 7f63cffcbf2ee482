import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLog } from '#event-log';
import { Environment, SettingsRefused, type Variables } from '#process';
import { storeSettings, type StoreSettings } from '#server';
import { createDatabase } from '../kit/database.js';

const DATABASE_URL = 'postgres://a:b@localhost/x';

/** Returns a program's settings, or the faults for which it refuses to start. */
function read(variables: Variables): {
  readonly settings?: StoreSettings;
  readonly faults: readonly string[];
} {
  const env = new Environment(variables);
  const settings = storeSettings(env);
  try {
    env.check();
    return { settings, faults: [] };
  } catch (error) {
    if (error instanceof SettingsRefused) return { faults: error.faults };
    throw error;
  }
}

describe('the settings of the database and the log', () => {
  let dir: string;
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'shoeprint-settings-'))));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('name a log of sixteen partitions in the same PostgreSQL by default', () => {
    expect(read({ DATABASE_URL })).toEqual({
      settings: {
        databaseUrl: DATABASE_URL,
        log: { kind: 'postgres', url: DATABASE_URL, partitions: 16 },
      },
      faults: [],
    });
  });

  it('name a topic of Kafka, with TLS and a login if they are set', () => {
    const { settings, faults } = read({
      DATABASE_URL,
      SHOEPRINT_LOG: 'kafka',
      SHOEPRINT_PARTITIONS: '24',
      KAFKA_BROKERS: 'one:9092, [::1]:9093',
      KAFKA_SSL: 'true',
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'app',
      KAFKA_SASL_PASSWORD_FILE: file('password', 's3cret\n'),
    });
    expect(faults).toEqual([]);
    expect(settings?.log).toEqual({
      kind: 'kafka',
      brokers: ['one:9092', '[::1]:9093'],
      topic: 'shoeprint.table-events.v1',
      partitions: 24,
      create: true,
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'app', password: 's3cret' },
    });
    expect(Object.isFrozen(settings?.log)).toBe(true);
  });

  it('take the address of the database from a file', () => {
    expect(read({ DATABASE_URL_FILE: file('url', 'postgresql://a@h/d\n') }).settings).toMatchObject(
      { databaseUrl: 'postgresql://a@h/d', log: { url: 'postgresql://a@h/d' } },
    );
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
      ['DATABASE_URL', 'SHOEPRINT_LOG', 'SHOEPRINT_PARTITIONS'],
    ],
    [{ DATABASE_URL, SHOEPRINT_LOG: 'kafka' }, ['KAFKA_BROKERS']],
    [
      {
        DATABASE_URL,
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: 'one',
        KAFKA_TOPIC: 'a topic',
        KAFKA_SSL: 'yes',
        KAFKA_SASL_MECHANISM: 'plain',
      },
      ['KAFKA_BROKERS', 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_USERNAME', 'KAFKA_SSL', 'KAFKA_TOPIC'],
    ],
    [
      { DATABASE_URL, SHOEPRINT_LOG: 'kafka', KAFKA_BROKERS: 'one:1', KAFKA_SASL_PASSWORD: 'hush' },
      ['KAFKA_SASL_MECHANISM'],
    ],
    [
      {
        DATABASE_URL,
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: 'one:1',
        KAFKA_SASL_MECHANISM: 'kerberos',
        KAFKA_SASL_USERNAME: 'a',
        KAFKA_SASL_PASSWORD: 'hush',
      },
      ['KAFKA_SASL_MECHANISM'],
    ],
    [{ DATABASE_URL_FILE: '/dev/null' }, ['DATABASE_URL_FILE']],
  ])('list each variable of %j that is wrong once, without its value', (env, names) => {
    const { settings, faults } = read(env);
    expect(settings).toBeUndefined();
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(names);
    expect(faults.join()).not.toMatch(/hush|mysql|redis|nowhere/);
  });

  it('open the log that they describe', async () => {
    const database = await createDatabase();
    const { settings } = read({ DATABASE_URL: database.url, SHOEPRINT_PARTITIONS: '3' });
    const log = await openLog((settings as StoreSettings).log);
    expect(log.partitions).toBe(3);
    expect(await log.head(2)).toBe(0);
    await log.close();
    await database.drop();
  });
});
