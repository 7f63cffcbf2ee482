import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a program without an api answers to those who watch over it. */
interface ProbeAnswers {
  /** The metrics that are served, such as a registry of the client of Prometheus. */
  readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
  /** Returns whether an `Authorization` header allows reading the metrics. */
  readonly mayReadMetrics: (authorization: string | undefined) => boolean;
  /** Returns the body of `/readyz`. */
  readonly ready: () => Promise<{ readonly ready: boolean }>;
}

/** A server that answers probes. */
export interface ProbeServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/livez` (the process answers), `/readyz` (what `ready` returns, with 503 unless it is
 * ready) and `/metrics` (Prometheus), which may need a token.
 */
export async function listenForProbes(
  answers: ProbeAnswers,
  host: string,
  port: number,
): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    answer(answers, request, response).catch((error: unknown) =>
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
  { registry, mayReadMetrics, ready }: ProbeAnswers,
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = url.split('?');
  if (path === '/livez') return void send(response, 200, 'text/plain', 'ok\n');
  if (path === '/metrics' && !mayReadMetrics(headers.authorization)) {
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
  const body = await ready();
  send(response, body.ready ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
