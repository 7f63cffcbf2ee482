import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { EventLog } from '#event-log';
import { within } from '#process';
import { hasMetricsToken, type PageSettings } from '#server';
import type { RunningAuditor } from './start-auditor.js';

/** Limit for one check of the log or the database. A slower one counts as out of reach. */
const LOOK_MS = 3_000;

/** What the health checks inspect. */
export interface HealthTarget {
  readonly log: EventLog;
  readonly auditor: RunningAuditor;
  /** The metrics that are served. */
  readonly registry: Registry;
  /** Who may read the metrics. */
  readonly pages: PageSettings;
}

/** A server that answers health checks and serves metrics. */
export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/livez` (the process answers), `/readyz` (the log and the database answer) and `/metrics`
 * (Prometheus), which needs a token unless the pages are open. `/readyz` also lists the followed
 * and stopped partitions; they do not affect readiness.
 */
export async function serveHealth(
  target: HealthTarget,
  host: string,
  port: number,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(target, request, response).catch((error: unknown) =>
      send(response, 500, 'text/plain', String(error)),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, resolve),
  );
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => closed(server),
  };
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  { log, auditor, registry, pages }: HealthTarget,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = url.split('?');
  if (path === '/livez') return void send(response, 200, 'text/plain', 'ok\n');
  if (path === '/metrics' && !pages.openPages && !hasMetricsToken(pages, headers.authorization)) {
    response.setHeader('www-authenticate', 'Bearer realm="shoeprint"');
    return void send(response, 401, 'text/plain', 'needs the token of SHOEPRINT_METRICS_TOKEN\n');
  }
  if (path === '/metrics')
    return void send(response, 200, registry.contentType, await registry.metrics());
  if (path !== '/readyz')
    return void send(
      response,
      404,
      'text/plain',
      'not found (expected /livez, /readyz or /metrics)\n',
    );
  const [ofLog, positions] = await Promise.all([inTime(log.health()), inTime(auditor.positions())]);
  const isReady = ofLog?.reachable === true && positions !== undefined;
  const stopped = positions
    ?.filter(({ stopped: at }) => at !== null)
    .map(({ partition, stopped: at }) => ({ partition, ...at }));
  const body = {
    ready: isReady,
    log: ofLog
      ? { reachable: ofLog.reachable, powerSafe: ofLog.powerSafe, notes: ofLog.notes }
      : { reachable: false },
    database: { reachable: positions !== undefined },
    following: auditor.stats().following,
    stopped: stopped ?? [],
  };
  send(response, isReady ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`);
}

/** Resolves with the result, or with undefined if the check fails or exceeds `LOOK_MS`. */
const inTime = <T>(look: Promise<T>): Promise<T | undefined> =>
  within(LOOK_MS, look).catch(() => undefined);

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
