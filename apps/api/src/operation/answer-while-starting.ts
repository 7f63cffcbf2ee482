import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { visible } from '#process';
import type { Start, StartWait } from '#server';
import { WAITING_CONNECTIONS_MAX } from '../http/listen-at.js';
import { headersOfEvery, type HeadersOfEvery } from '../http/strict-requests.js';
import { documentOf, Problem, PROBLEM_MEDIA_TYPE } from '../problems/problems.js';
import type { ApiSettings } from '../settings/api-settings.js';
import type { Need } from './database-watch.js';
import type { Readiness } from './readiness.js';

/** The settings of the address that an api answers at. */
type Address = Pick<ApiSettings, 'basePath' | 'tls' | 'hstsSeconds' | 'requestTimeoutMs'> & {
  readonly host: string;
  readonly port: number;
};

/**
 * Answers at the address of an api that starts, until it is closed: `/livez` that it is alive,
 * `/readyz` what it waits for, and every other request 503, so that senders keep what they sent.
 */
export async function answerWhileStarting(
  address: Address,
  start: Start,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { host, port, basePath, tls, requestTimeoutMs } = address;
  const headersOf = headersOfEvery(address);
  const limits = { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs };
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    send(response, headersOf, answerTo(request, basePath, start.waitsFor));
  const server = tls
    ? createSecureServer({ ...limits, cert: tls.cert, key: tls.key }, answer)
    : createServer(limits, answer);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, host, WAITING_CONNECTIONS_MAX, resolve),
  );
  const { address: at, port: bound, family } = server.address() as AddressInfo;
  const name = family === 'IPv6' ? `[${at}]` : at;
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

function answerTo(
  { method, url = '' }: IncomingMessage,
  basePath: string,
  wait: StartWait | undefined,
): Answer {
  const isProbe = method === 'GET' || method === 'HEAD';
  switch (isProbe ? url.split('?')[0] : undefined) {
    case `${basePath}/livez`:
      return { status: 200, type: 'application/json', body: { live: true } };
    case `${basePath}/readyz`:
      return { status: 503, type: 'application/json', body: readinessOf(wait) };
    default: {
      const problem = new Problem('not-ready', `the server is starting${whyOf(wait)}`);
      return { status: problem.status, type: PROBLEM_MEDIA_TYPE, body: documentOf(problem) };
    }
  }
}

const whyOf = (wait: StartWait | undefined): string =>
  wait ? `, and ${wait.what} cannot be reached` : '';

/** Returns what is known of the needs: one that the start waits for is away. */
function readinessOf(wait: StartWait | undefined): Readiness {
  const needOf = (what: StartWait['what']): Need => ({
    ok: false,
    notes: [wait?.what === what ? visible(wait.error) : 'the server is starting'],
  });
  return {
    ready: false,
    log: { ...needOf('Kafka'), powerSafe: false },
    database: needOf('PostgreSQL'),
    keys: { copiedAt: null, usableUntil: null },
  };
}

function send(
  response: ServerResponse,
  headersOf: HeadersOfEvery,
  { status, type, body }: Answer,
): void {
  const bytes = Buffer.from(visible(JSON.stringify(body)));
  response
    .writeHead(status, {
      ...headersOf(randomUUID()),
      ...(status === 503 && { 'Retry-After': '1' }),
      'Cache-Control': 'no-store',
      'Content-Type': type,
      'Content-Length': bytes.length,
      Connection: 'close', // a body that nobody reads may follow
    })
    .end(bytes);
}
