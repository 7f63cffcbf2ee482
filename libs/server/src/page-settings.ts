import { hash, timingSafeEqual } from 'node:crypto';
import type { Environment } from '#process';
import { isLoopback } from './listening.js';

/** Who may read the pages for operators and developers: the metrics, and the documentation. */
export interface PageSettings {
  /** Whether everybody who reaches the server may. */
  readonly openPages: boolean;
  /** A bearer token that may read the metrics. */
  readonly metricsToken: string | undefined;
}

const OPEN = ['loopback', 'always', 'never'] as const;
const METRICS_TOKEN = /^[!-~]{16,256}$/;

/**
 * Reads who may read the pages of a server that listens on `host`. By default they are open on the
 * loopback interface and need a token elsewhere. Collects faults in `env`.
 */
export function pageSettings(env: Environment, host: string): PageSettings {
  const open = env.oneOf('SHOEPRINT_OPEN_PAGES', OPEN, 'loopback');
  const metricsToken = env.secret('SHOEPRINT_METRICS_TOKEN');
  if (metricsToken !== undefined && !METRICS_TOKEN.test(metricsToken))
    env.fault('SHOEPRINT_METRICS_TOKEN', 'must be 16 to 256 visible ASCII characters, no blanks');
  return {
    openPages: open === 'always' || (open === 'loopback' && isLoopback(host)),
    metricsToken,
  };
}

/**
 * Returns whether an `Authorization` header has the token of the metrics, in the same time for
 * either answer.
 */
export function hasMetricsToken(
  { metricsToken }: PageSettings,
  header: string | undefined,
): boolean {
  if (metricsToken === undefined || header === undefined) return false;
  const [shown, known] = [header.replace(/^Bearer +/i, ''), metricsToken].map((text) =>
    hash('sha256', text, 'buffer'),
  ) as [Buffer, Buffer];
  return timingSafeEqual(shown, known);
}
