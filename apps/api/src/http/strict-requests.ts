import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify';
import { pointerTo } from '#baccarat';
import type { RouteNeeds } from '../identity/requires.js';
import { documentOf, Problem, PROBLEM_MEDIA_TYPE } from '../problems/problems.js';
import type { ApiSettings } from '../settings/api-settings.js';

/** Returns the headers that every answer has, for the id of its request. */
export type HeadersOfEvery = (requestId: string) => Readonly<Record<string, string>>;

/**
 * Returns the headers of every answer, also of those that Fastify does not write. A browser that
 * shows one as a page loads nothing for it, and over TLS comes back over TLS only.
 */
export function headersOfEvery({
  tls,
  hstsSeconds,
}: Pick<ApiSettings, 'tls' | 'hstsSeconds'>): HeadersOfEvery {
  const always = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': `default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`,
    ...(tls &&
      hstsSeconds > 0 && {
        'Strict-Transport-Security': `max-age=${hstsSeconds}; includeSubDomains`,
      }),
  };
  return (requestId) => ({ ...always, 'Request-Id': requestId });
}

/**
 * A Fastify `onRequest` hook. Refuses what two servers on the way could read in two ways: a
 * request with two hosts or none, and a coding of the transfer other than `chunked` (RFC 9112, 3.2
 * and 6.1).
 */
export function refuseAmbiguous(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const fault = faultOf(raw);
  if (fault === undefined) return done();
  void reply.header('Connection', 'close');
  done(new Problem('malformed-request', fault));
}

function faultOf({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === HOST.length && rawHeaders[i]?.toLowerCase() === HOST) hosts += 1;
  if (hosts > 1) return 'the request has more than one header Host';
  if (hosts === 0 && httpVersion === '1.1') return 'the request has no header Host';
  const coding = headers['transfer-encoding']?.trim().toLowerCase();
  return coding === undefined || coding === 'chunked'
    ? undefined
    : 'the header Transfer-Encoding may only be chunked';
}

const HOST = 'host';

/**
 * A Fastify `onRoute` hook. A route that takes no query refuses one, after the gate: who asks for
 * the parked tables of one table is not given those of all.
 */
export function refuseQueries(route: RouteOptions): void {
  const { takesQuery } = (route.config ?? {}) as Partial<RouteNeeds>;
  if (takesQuery === false) route.onRequest = [route.onRequest ?? [], refuseQuery].flat();
}

function refuseQuery(
  { query }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const names = Object.keys(query as object);
  if (names.length === 0) return done();
  const errors = names.map((name) => ({
    pointer: pointerTo('', name),
    reason: `property ${name} should not exist`,
  }));
  done(new Problem('invalid-request', undefined, { errors }));
}

/** Answers an unknown `Expect` with a problem document. Node's own answer has no body. */
export function refuseExpectations(server: Server, headersOf: HeadersOfEvery): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = new Problem('expectation-failed');
    const body = JSON.stringify(documentOf(problem));
    response
      .writeHead(problem.status, {
        ...headersOf(randomUUID()),
        'Content-Type': PROBLEM_MEDIA_TYPE,
        'Cache-Control': 'no-store',
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      })
      .end(body);
  });
}

/** The most bytes of a body from somebody whom the server does not know: a name and a password. */
const STRANGERS_BODY_BYTES_MAX = 8 * 1024;

/** A Fastify `onRoute` hook. Lets strangers send small bodies only. */
export function boundStrangers(route: RouteOptions): void {
  const { needs } = (route.config ?? {}) as Partial<RouteNeeds>;
  if (needs === 'nothing') route.bodyLimit = STRANGERS_BODY_BYTES_MAX;
}
