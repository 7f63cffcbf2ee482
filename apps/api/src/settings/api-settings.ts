import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { asError, heapLimit, type Environment } from '#process';
import {
  houseSettings,
  logLevelSettings,
  pageSettings,
  UTC_DAYS,
  type HouseSettings,
  type LogLevelSettings,
  type PageSettings,
} from '#server';
import { exportSettings, type ExportSettings } from '../exports/export-settings.js';
import { passwordFault } from '../identity/credentials/password-rule.js';
import { FIRST_ADMIN, type Role, ROLES } from '../identity/permissions.js';
import { proxyTrust, type ProxyTrust } from './proxy-settings.js';

/** A certificate and its key as PEM texts, and the files of both, in this order. */
export interface Tls {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly files: readonly [cert: string, key: string];
}

/** The settings of the api itself, and their injection token. */
export abstract class ApiSettings implements PageSettings {
  /**
   * The prefix of every path of the api: '', or a path without a slash at its end, such as
   * `/audit`.
   */
  abstract readonly basePath: string;
  /** Undefined serves plain HTTP. */
  abstract readonly tls: Tls | undefined;
  /** How long browsers remember to use TLS only; 0 does not ask them to. Without TLS it is unused. */
  abstract readonly hstsSeconds: number;
  abstract readonly openPages: boolean;
  /** Whether everybody may read the site log: where the trees of all tables stand, and no card. */
  abstract readonly publicSiteLog: boolean;
  abstract readonly metricsToken: string | undefined;
  /** How long a session lasts. */
  abstract readonly sessionHours: number;
  /** How long a session lasts without a request. A wall display's lasts as long as any. */
  abstract readonly sessionIdleMinutes: number;
  /** The roles whose people must have a second factor. */
  abstract readonly secondFactor: readonly Role[];
  /** How long a request may take to arrive whole. A slow sender holds memory and a connection. */
  abstract readonly requestTimeoutMs: number;
  /**
   * How long an idle connection stays open. A table is usually silent for less, so a device seldom
   * reconnects.
   */
  abstract readonly keepAliveMs: number;
  /** The proxies that say from which address a request comes. */
  abstract readonly trustProxy: ProxyTrust;
  /** How many tables a device key may bring that it does not list by name. */
  abstract readonly keyTablesMax: number;
  /** How old the copy of device keys may be that serves while the database is away; 0: none. */
  abstract readonly keyCopyMinutes: number;
  /** The review policy in force, `review@version`. */
  abstract readonly policy: string;
  /** When the house's days begin. */
  abstract readonly gamingDays: HouseSettings['gamingDays'];
  /** How packages of evidence are made and kept; undefined if this server makes none. */
  abstract readonly exports: ExportSettings | undefined;
}

/** The settings of a server, except its database and log. Standalone has its own of these. */
export interface ListenSettings extends ApiSettings, HouseSettings, LogLevelSettings {
  readonly host: string;
  readonly port: number;
  /** The password of the first admin, which is created if no account exists. */
  readonly adminPassword: string | undefined;
  /** The limit of the heap in megabytes, which what starts the program applies. */
  readonly heapMb: number;
}

/**
 * The default settings: no base path, plain HTTP, open pages, sessions of 12 hours, 1 hour without
 * use, the published review policy, and days that begin at midnight, UTC.
 */
export const API_DEFAULTS: ApiSettings = {
  basePath: '',
  tls: undefined,
  hstsSeconds: 365 * 24 * 3600,
  openPages: true,
  publicSiteLog: false,
  metricsToken: undefined,
  sessionHours: 12,
  sessionIdleMinutes: 60,
  secondFactor: [],
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  trustProxy: undefined,
  keyTablesMax: 1000,
  keyCopyMinutes: 60,
  policy: 'review@1',
  gamingDays: UTC_DAYS,
  exports: undefined,
};

/** A day: a key that was revoked for a reason must not work for longer. */
const KEY_COPY_MINUTES_MAX = 24 * 60;
/** Two years, as the lists of browsers ask for. */
const HSTS_S_MAX = 2 * 365 * 24 * 3600;

/**
 * Reads the settings that every way to start the api uses, deeply frozen. Collects faults in `env`.
 * `exportsOn`: where a server on one machine makes packages.
 */
export function listenSettings(
  env: Environment,
  exportsOn?: Parameters<typeof exportSettings>[1],
): ListenSettings {
  const host = env.text('SHOEPRINT_HOST') ?? '127.0.0.1';
  return Object.freeze({
    basePath: basePath(env),
    tls: tls(env),
    hstsSeconds: env.whole('SHOEPRINT_HSTS_S', API_DEFAULTS.hstsSeconds, 0, HSTS_S_MAX),
    ...pageSettings(env, host),
    publicSiteLog: env.oneOf('SHOEPRINT_SITE_LOG', ['people', 'public'], 'people') === 'public',
    sessionHours: env.whole('SHOEPRINT_SESSION_HOURS', API_DEFAULTS.sessionHours, 1, 24 * 30),
    sessionIdleMinutes: sessionIdleMinutes(env),
    secondFactor: secondFactor(env),
    requestTimeoutMs:
      env.whole('SHOEPRINT_REQUEST_TIMEOUT_S', API_DEFAULTS.requestTimeoutMs / 1000, 1, 600) * 1000,
    keepAliveMs:
      env.whole('SHOEPRINT_KEEP_ALIVE_S', API_DEFAULTS.keepAliveMs / 1000, 1, 3600) * 1000,
    host,
    trustProxy: proxyTrust(env),
    keyTablesMax: env.whole('SHOEPRINT_KEY_TABLES_MAX', API_DEFAULTS.keyTablesMax, 1, 10_000),
    keyCopyMinutes: env.whole(
      'SHOEPRINT_KEY_COPY_MINUTES',
      API_DEFAULTS.keyCopyMinutes,
      0,
      KEY_COPY_MINUTES_MAX,
    ),
    policy: policy(env),
    exports: exportSettings(env, exportsOn),
    port: env.whole('SHOEPRINT_PORT', 8377, 0, 65_535),
    ...houseSettings(env),
    ...logLevelSettings(env),
    adminPassword: adminPassword(env),
    heapMb: heapLimit(env),
  });
}

function basePath(env: Environment): string {
  const text = (env.text('SHOEPRINT_BASE_PATH') ?? '').replace(/\/+$/, '');
  if (text === '' || /^(\/[A-Za-z0-9._~-]+)+$/.test(text)) return text;
  env.fault(
    'SHOEPRINT_BASE_PATH',
    'must be a path that begins with "/", of letters, digits, ".", "_", "~" and "-"',
  );
  return '';
}

function tls(env: Environment): ApiSettings['tls'] {
  const [cert, key] = [env.file('SHOEPRINT_TLS_CERT'), env.file('SHOEPRINT_TLS_KEY')];
  const files = [
    env.text('SHOEPRINT_TLS_CERT') ?? '',
    env.text('SHOEPRINT_TLS_KEY') ?? '',
  ] as const;
  if (cert && key) {
    checkTls(env, { cert, key });
    return Object.freeze({ cert, key, files });
  }
  if (env.text('SHOEPRINT_TLS_CERT') && !env.text('SHOEPRINT_TLS_KEY'))
    env.fault('SHOEPRINT_TLS_KEY', 'is missing beside SHOEPRINT_TLS_CERT');
  if (env.text('SHOEPRINT_TLS_KEY') && !env.text('SHOEPRINT_TLS_CERT'))
    env.fault('SHOEPRINT_TLS_CERT', 'is missing beside SHOEPRINT_TLS_KEY');
  return undefined;
}

/** Reports files that TLS cannot use. */
function checkTls(env: Environment, { cert, key }: { cert: Buffer; key: Buffer }): void {
  const check = (name: string, used: SecureContextOptions, must: string): boolean => {
    try {
      createSecureContext(used);
      return true;
    } catch (error) {
      env.fault(name, `must be ${must} (${asError(error).message})`);
      return false;
    }
  };
  const [CERT, KEY] = ['SHOEPRINT_TLS_CERT', 'SHOEPRINT_TLS_KEY'];
  const isCert = check(CERT, { cert }, 'a file of certificates in PEM');
  const isKey = check(KEY, { key }, 'a file of the private key in PEM, without a passphrase');
  if (isCert && isKey) check(KEY, { cert, key }, `the key of the certificate in ${CERT}`);
}

/** A session's last use is kept to the minute, so a limit of fewer minutes would be a guess. */
const sessionIdleMinutes = (env: Environment): number =>
  env.whole('SHOEPRINT_SESSION_IDLE_MINUTES', API_DEFAULTS.sessionIdleMinutes, 5, 60 * 24 * 30);

function secondFactor(env: Environment): readonly Role[] {
  const names = (env.text('SHOEPRINT_SECOND_FACTOR') ?? '').split(',').map((name) => name.trim());
  const roles = ROLES.filter((role) => names.includes(role));
  if (names.some((name) => name !== '' && !roles.some((role) => role === name)))
    env.fault('SHOEPRINT_SECOND_FACTOR', `must be roles, separated by commas: ${ROLES.join(', ')}`);
  return Object.freeze(roles);
}

function policy(env: Environment): string {
  const ref = env.text('SHOEPRINT_POLICY') ?? API_DEFAULTS.policy;
  if (!/^review@[1-9][0-9]*$/.test(ref))
    env.fault('SHOEPRINT_POLICY', 'must be a review policy with its version, such as review@1');
  return ref;
}

function adminPassword(env: Environment): string | undefined {
  const password = env.secret('SHOEPRINT_ADMIN_PASSWORD');
  const fault = password === undefined ? undefined : passwordFault(password, FIRST_ADMIN);
  if (fault !== undefined) env.fault('SHOEPRINT_ADMIN_PASSWORD', fault);
  return password;
}
