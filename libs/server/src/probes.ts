import { Registry } from 'prom-client';
import { listenForProbes, type ProbeServer, within } from '#process';
import { listening } from './listening.js';
import { hasMetricsToken, type PageSettings } from './page-settings.js';
import type { Start } from './starting.js';

/** Limit for one look at the log or the database. A slower one counts as out of reach. */
const LOOK_MS = 3_000;

/** Where a program without an api serves its probes. */
interface ProbeAddress {
  readonly host: string;
  readonly metricsPort: number;
}

/** What a program without an api answers to those who watch over it. */
export interface Probes {
  /** The metrics that are served. */
  readonly registry: Registry;
  /** Who may read the metrics. */
  readonly pages: PageSettings;
  /** Returns the body of `/readyz`. */
  readonly ready: () => Promise<{ readonly ready: boolean }>;
}

/** Probes that are served, first of a start and then of what runs. */
export interface ServedProbes extends ProbeServer {
  /** Answers with these from now on. */
  answerWith(probes: Probes): void;
}

/** Serves probes. The metrics need a token unless the pages are open. */
export async function serveProbes(
  first: Probes,
  host: string,
  port: number,
): Promise<ServedProbes> {
  let probes = first;
  const server = await listenForProbes(
    {
      registry: {
        get contentType() {
          return probes.registry.contentType;
        },
        metrics: () => probes.registry.metrics(),
      },
      mayReadMetrics: (authorization) =>
        probes.pages.openPages || hasMetricsToken(probes.pages, authorization),
      ready: () => probes.ready(),
    },
    host,
    port,
  );
  return {
    ...server,
    answerWith: (next) => {
      probes = next;
    },
  };
}

/**
 * Serves the probes of a program that starts: it is alive, is not ready, and says what it waits
 * for. Throws `SettingsRefused` if the address cannot be used.
 */
export const serveStart = (
  start: Start,
  { host, metricsPort, ...pages }: PageSettings & ProbeAddress,
): Promise<ServedProbes> => {
  const ready = async () => ({ ready: false, waitsFor: start.waitsFor ?? null });
  const probes = { registry: new Registry(), pages, ready };
  return listening(() => serveProbes(probes, host, metricsPort), 'SHOEPRINT_METRICS_PORT');
};

/** Resolves with the result of a look, or with undefined if it fails or takes over 3 seconds. */
export const inTime = <T>(look: Promise<T>): Promise<T | undefined> =>
  within(LOOK_MS, look).catch(() => undefined);
