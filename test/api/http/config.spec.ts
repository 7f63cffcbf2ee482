import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { rulesOfServer } from '#api';
import { SettingsRefused, settingsText } from '#process';
import { serverSettings } from '../../../apps/api/src/settings/server-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const TLS = {
  SHOEPRINT_TLS_CERT: 'test/fixtures/tls/cert.pem',
  SHOEPRINT_TLS_KEY: 'test/fixtures/tls/key.pem',
};
const DATABASE_URL = 'postgres://me:hidden-word@127.0.0.1:5432/shoeprint';
const faultsOf = (variables: Record<string, string>): readonly string[] => {
  try {
    serverSettings(variables);
  } catch (error) {
    if (error instanceof SettingsRefused) return error.faults;
    throw error;
  }
  return [];
};
const namesOf = (variables: Record<string, string>): string[] =>
  faultsOf(variables)
    .map((fault) => /^\w+/.exec(fault)?.[0] as string)
    .sort();

describe('the settings of an api', () => {
  it('default to loopback, port 8377, sixteen partitions and midnight of UTC if only a database is set', () => {
    expect(serverSettings({ DATABASE_URL })).toMatchObject({
      host: '127.0.0.1',
      port: 8377,
      basePath: '',
      sessionHours: 12,
      sessionIdleMinutes: 60,
      secondFactor: [],
      keyTablesMax: 1000,
      keyCopyMinutes: 60,
      policy: 'review@1',
      databaseUrl: DATABASE_URL,
      rules: [],
      gamingDays: [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }],
      log: { kind: 'postgres', partitions: 16 },
    });
  });

  it('list every invalid variable once, and never show a value', () => {
    const wrong = {
      DATABASE_URL: 'hidden-word',
      SHOEPRINT_PORT: '70000',
      SHOEPRINT_SESSION_HOURS: 'hidden-word',
      SHOEPRINT_SESSION_IDLE_MINUTES: '4',
      SHOEPRINT_SECOND_FACTOR: 'admin,hidden-word',
      SHOEPRINT_KEY_TABLES_MAX: '0',
      SHOEPRINT_KEY_COPY_MINUTES: '1441',
      SHOEPRINT_BASE_PATH: 'hidden-word',
      SHOEPRINT_TLS_CERT: '/nowhere/hidden.crt',
      SHOEPRINT_GAMING_DAY: '[{"from":"hidden-word"}]',
      SHOEPRINT_ADMIN_PASSWORD: 'short',
      SHOEPRINT_PARTITIONS: '0',
      SHOEPRINT_REQUEST_TIMEOUT_S: '-1',
      SHOEPRINT_KEEP_ALIVE_S: '1.5',
      SHOEPRINT_HSTS_S: 'hidden-word',
      SHOEPRINT_OPEN_PAGES: 'hidden-word',
      SHOEPRINT_METRICS_TOKEN: 'hidden-word',
      SHOEPRINT_TRUST_PROXY: 'hidden-word',
      SHOEPRINT_POLICY: 'hidden-word',
    };
    expect([...new Set(namesOf(wrong))]).toEqual(
      [...Object.keys(wrong), 'SHOEPRINT_TLS_KEY'].sort(),
    );
    expect(faultsOf(wrong).join('\n')).not.toMatch(/hidden-word|70000|short/);
  });

  it('refuse a password of the first admin that no person may choose, and accept roles for the second factor', () => {
    for (const SHOEPRINT_ADMIN_PASSWORD of ['1q2w3e4r5t6y', 'x'.repeat(12), 'x1'.repeat(65)])
      expect(namesOf({ DATABASE_URL, SHOEPRINT_ADMIN_PASSWORD })).toEqual([
        'SHOEPRINT_ADMIN_PASSWORD',
      ]);
    const SHOEPRINT_SECOND_FACTOR = 'admin, compliance';
    expect(serverSettings({ DATABASE_URL, SHOEPRINT_SECOND_FACTOR }).secondFactor).toEqual([
      'compliance',
      'admin',
    ]);
  });

  it('are rejected without a database, on either log', () => {
    expect(namesOf({})).toEqual(['DATABASE_URL']);
    expect(namesOf({ SHOEPRINT_LOG: 'kafka', KAFKA_BROKERS: '127.0.0.1:9092' })).toEqual([
      'DATABASE_URL',
    ]);
  });

  it('accept a secret from a file, but not from two places', () => {
    const DATABASE_URL_FILE = file('url', `${DATABASE_URL}\n`);
    const SHOEPRINT_ADMIN_PASSWORD_FILE = file('password', 'a long password\n');
    expect(serverSettings({ DATABASE_URL_FILE, SHOEPRINT_ADMIN_PASSWORD_FILE })).toMatchObject({
      databaseUrl: DATABASE_URL,
      adminPassword: 'a long password',
      log: { url: DATABASE_URL },
    });
    expect(
      namesOf({
        DATABASE_URL,
        SHOEPRINT_ADMIN_PASSWORD_FILE,
        SHOEPRINT_ADMIN_PASSWORD: 'another password',
      }),
    ).toEqual(['SHOEPRINT_ADMIN_PASSWORD']);
    expect(
      namesOf({ DATABASE_URL, SHOEPRINT_ADMIN_PASSWORD_FILE: join(folder, 'nothing') }),
    ).toEqual(['SHOEPRINT_ADMIN_PASSWORD_FILE']);
  });

  it('accept TLS only with both files', () => {
    expect(serverSettings({ DATABASE_URL, ...TLS }).tls).toEqual({
      cert: readFileSync(TLS.SHOEPRINT_TLS_CERT),
      key: readFileSync(TLS.SHOEPRINT_TLS_KEY),
      files: [TLS.SHOEPRINT_TLS_CERT, TLS.SHOEPRINT_TLS_KEY],
    });
    const { SHOEPRINT_TLS_KEY } = TLS;
    expect(namesOf({ DATABASE_URL, SHOEPRINT_TLS_KEY })).toEqual(['SHOEPRINT_TLS_CERT']);
  });

  const otherKey = (): string => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return file('other.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  };
  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a file without a certificate',
      () => ({ SHOEPRINT_TLS_CERT: file('no.crt', 'hidden-word') }),
      /^SHOEPRINT_TLS_CERT: must be a file of certificates in PEM \(.*no start line\)$/,
    ],
    [
      'a file without a key',
      () => ({ SHOEPRINT_TLS_KEY: file('no.key', 'hidden-word') }),
      /^SHOEPRINT_TLS_KEY: must be a file of the private key in PEM, without a passphrase \(.+\)$/,
    ],
    [
      'a key of another certificate',
      () => ({ SHOEPRINT_TLS_KEY: otherKey() }),
      /^SHOEPRINT_TLS_KEY: must be the key of the certificate in SHOEPRINT_TLS_CERT \(.+\)$/,
    ],
  ])('refuse TLS with %s', (_, wrong, fault) => {
    const faults = faultsOf({ DATABASE_URL, ...TLS, ...wrong() });
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toContain('hidden-word');
  });

  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ SHOEPRINT_HOST: '::1' }, true],
    [{ SHOEPRINT_HOST: 'localhost' }, true],
    [{ SHOEPRINT_HOST: '0.0.0.0' }, false],
    [{ SHOEPRINT_HOST: '192.0.2.1' }, false],
    [{ SHOEPRINT_HOST: '0.0.0.0', SHOEPRINT_OPEN_PAGES: 'always' }, true],
    [{ SHOEPRINT_OPEN_PAGES: 'never' }, false],
  ])('open the metrics and the documentation for %j: %j', (variables, isOpen) => {
    expect(serverSettings({ DATABASE_URL, ...variables }).openPages).toBe(isOpen);
  });

  it.each(['review', 'review@0', 'review@01', 'punto-banco@1', 'review@1 '])(
    'refuse %j as the review policy in force',
    (SHOEPRINT_POLICY) => {
      expect(namesOf({ DATABASE_URL, SHOEPRINT_POLICY })).toEqual(['SHOEPRINT_POLICY']);
    },
  );

  it('refuse a review policy that is not installed, and name the installed ones', () => {
    const settings = serverSettings({ DATABASE_URL, SHOEPRINT_POLICY: 'review@999' });
    expect(() => rulesOfServer(settings)).toThrow(
      'SHOEPRINT_POLICY: this review policy is not installed (installed: review@1)',
    );
    expect(rulesOfServer(serverSettings({ DATABASE_URL })).policies.has('review@1')).toBe(true);
  });

  it('are frozen', () => {
    const settings = serverSettings({ DATABASE_URL, SHOEPRINT_RULES: '/a:/b' });
    for (const part of [settings, settings.gamingDays, settings.rules, settings.log])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it('are printed without secrets', () => {
    const kafka = {
      SHOEPRINT_LOG: 'kafka',
      KAFKA_BROKERS: '127.0.0.1:9092',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'me',
      KAFKA_SASL_PASSWORD: 'hidden-word',
    };
    for (const log of [{}, kafka]) {
      const text = settingsText(
        serverSettings({
          DATABASE_URL,
          SHOEPRINT_ADMIN_PASSWORD: 'hidden-word-too',
          SHOEPRINT_METRICS_TOKEN: 'hidden-word-for-metrics',
          ...TLS,
          ...log,
        }),
      );
      expect(text).not.toContain('hidden-word');
      expect(text).not.toContain(
        readFileSync(TLS.SHOEPRINT_TLS_KEY).toString('base64').slice(0, 40),
      );
      expect(text).not.toContain('PRIVATE KEY');
      expect(JSON.parse(text)).toMatchObject({ port: 8377, databaseUrl: '(set)' });
    }
  });
});
