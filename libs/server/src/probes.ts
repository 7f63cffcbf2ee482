import type { Registry } from 'prom-client';
import { listenForProbes, type ProbeServer, within } from '#process';
import { hasMetricsToken, type PageSettings } from './page-settings.js';

/** Limit for one look at the log or the database. A slower one counts as out of reach. */
const LOOK_MS = 3_000;

/** What a program without an api answers to those who watch over it. */
export interface Probes {
  /** The metrics that are served. */
  readonly registry: Registry;
  /** Who may read the metrics. */
  readonly pages: PageSettings;
  /** Returns the body of `/readyz`. */
  readonly ready: () => Promise<{ readonly ready: boolean }>;
}

/** Serves probes. The metrics need a token unless the pages are open. */
export const serveProbes = (
  { registry, pages, ready }: Probes,
  host: string,
  port: number,
): Promise<ProbeServer> => {
  const mayReadMetrics = (authorization: string | undefined): boolean =>
    pages.openPages || hasMetricsToken(pages, authorization);
  return listenForProbes({ registry, mayReadMetrics, ready }, host, port);
};

/** Resolves with the result of a look, or with undefined if it fails or takes over 3 seconds. */
export const inTime = <T>(look: Promise<T>): Promise<T | undefined> =>
  within(LOOK_MS, look).catch(() => undefined);
