import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import { documentOf, Problem, PROBLEM_MEDIA_TYPE } from '../problems/problems.js';
import { sendProblem } from '../problems/problem.filter.js';
import { PARAMETER_LENGTH_MAX } from './parameters.js';
import { headersOfEvery, type HeadersOfEvery } from './strict-requests.js';
import type { ApiSettings } from '../settings/api-settings.js';
import { trustedBy } from '../settings/proxy-settings.js';

/** The most bytes of a body. The parsers of event bodies set limits of their own. */
const BODY_BYTES_MAX = 64 * 1024;
/** How often Node looks for slow requests. A refusal is late by at most this time. */
const SLOW_LOOK_MS = 1000;
/** How long a client has to read a refusal and close its side before the server disconnects it. */
const LINGER_MS = 1000;
/**
 * Returns the options of Fastify: limits, TLS, and problem documents for requests that reach no
 * route.
 */
export function serverOptions(
  settings: ApiSettings,
): FastifyServerOptions & { skipMiddie: boolean; https?: object; http?: object } {
  const { tls, requestTimeoutMs, keepAliveMs, trustProxy } = settings;
  const headersOf = headersOfEvery(settings);
  const server = {
    connectionsCheckingInterval: SLOW_LOOK_MS,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    requireHostHeader: false, // `refuseAmbiguous` answers with a problem document
  };
  return {
    ...(tls ? { https: { ...server, cert: tls.cert, key: tls.key } } : { http: server }),
    skipMiddie: true,
    genReqId: () => randomUUID(),
    trustProxy: trustedBy(trustProxy),
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX, ignoreTrailingSlash: true },
    frameworkErrors: (_error, { id }, reply) =>
      sendProblem(
        reply.headers(headersOf(id)),
        new Problem('malformed-request', 'the path is not valid'),
      ),
    clientErrorHandler: answerOnConnection(headersOf),
  };
}

/**
 * Answers a request that is not HTTP or is too slow directly on the connection, then closes it.
 * Otherwise a client that never closes its side would keep the connection and the room reserved for
 * its body, and block the server from stopping.
 */
const answerOnConnection =
  (headersOf: HeadersOfEvery) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = refusalOf(error.code);
    const body = JSON.stringify(documentOf(problem));
    const headers = {
      ...headersOf(randomUUID()),
      'Cache-Control': 'no-store',
      'Content-Type': PROBLEM_MEDIA_TYPE,
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${problem.status} ${problem.message}`, ...lines, '', body].join('\r\n'));
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  };

function refusalOf(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('too-slow');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('too-large');
    default:
      return new Problem('malformed-request');
  }
}
