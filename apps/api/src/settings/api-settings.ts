import type { Environment } from '#process';
import {
  houseSettings,
  logLevelSettings,
  type HouseSettings,
  type LogLevelSettings,
} from '#server';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../identity/credentials/passwords.js';
import { proxyTrust, type ProxyTrust } from './proxy-settings.js';

/** The settings of the api itself, and their injection token. */
export abstract class ApiSettings {
  /**
   * The prefix of every path of the api: '', or a path without a slash at its end, such as
   * `/audit`.
   */
  abstract readonly basePath: string;
  /** PEM texts; undefined serves plain HTTP. */
  abstract readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** How long a session lasts. */
  abstract readonly sessionHours: number;
  /** How long a request may take to arrive whole. A slow sender holds memory and a connection. */
  abstract readonly requestTimeoutMs: number;
  /**
   * How long an idle connection stays open. A table is usually silent for less, so a device seldom
   * reconnects.
   */
  abstract readonly keepAliveMs: number;
  /** The proxies that say from which address a request comes. */
  abstract readonly trustProxy: ProxyTrust;
}

/** The settings of a server, except its database and log. Standalone has its own of these. */
export interface ListenSettings extends ApiSettings, HouseSettings, LogLevelSettings {
  readonly host: string;
  readonly port: number;
  /** The password of the first admin, which is created if no account exists. */
  readonly adminPassword: string | undefined;
}

/** The default settings: no base path, plain HTTP, and sessions of 12 hours. */
export const API_DEFAULTS: ApiSettings = {
  basePath: '',
  tls: undefined,
  sessionHours: 12,
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  trustProxy: undefined,
};

/**
 * Reads the settings that every way to start the api uses, deeply frozen. Collects faults in `env`.
 */
export function listenSettings(env: Environment): ListenSettings {
  return Object.freeze({
    basePath: basePath(env),
    tls: tls(env),
    sessionHours: env.whole('SHOEPRINT_SESSION_HOURS', API_DEFAULTS.sessionHours, 1, 24 * 30),
    requestTimeoutMs:
      env.whole('SHOEPRINT_REQUEST_TIMEOUT_S', API_DEFAULTS.requestTimeoutMs / 1000, 1, 600) * 1000,
    keepAliveMs:
      env.whole('SHOEPRINT_KEEP_ALIVE_S', API_DEFAULTS.keepAliveMs / 1000, 1, 3600) * 1000,
    trustProxy: proxyTrust(env),
    host: env.text('SHOEPRINT_HOST') ?? '127.0.0.1',
    port: env.whole('SHOEPRINT_PORT', 8377, 0, 65_535),
    ...houseSettings(env),
    ...logLevelSettings(env),
    adminPassword: adminPassword(env),
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
  if (cert && key) return Object.freeze({ cert, key });
  if (env.text('SHOEPRINT_TLS_CERT') && !env.text('SHOEPRINT_TLS_KEY'))
    env.fault('SHOEPRINT_TLS_KEY', 'is missing beside SHOEPRINT_TLS_CERT');
  if (env.text('SHOEPRINT_TLS_KEY') && !env.text('SHOEPRINT_TLS_CERT'))
    env.fault('SHOEPRINT_TLS_CERT', 'is missing beside SHOEPRINT_TLS_KEY');
  return undefined;
}

function adminPassword(env: Environment): string | undefined {
  const password = env.secret('SHOEPRINT_ADMIN_PASSWORD');
  if (
    password !== undefined &&
    (password.length < PASSWORD_LENGTH_MIN || password.length > PASSWORD_LENGTH_MAX)
  ) {
    env.fault(
      'SHOEPRINT_ADMIN_PASSWORD',
      `must be ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
    );
  }
  return password;
}
