import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { parseCookie, type SerializeOptions, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf, type ShownToken, tokenFrom } from './bearer-token.js';
import { requireSameOrigin } from './same-origin.js';

/**
 * The names of the cookie. Over TLS a browser takes it only from this host, for this host. Without
 * TLS it refuses that name.
 */
export const COOKIE_NAMES = {
  tls: '__Host-shoeprint-session',
  plain: 'shoeprint-session',
} as const;

/** What scripts cannot read and no other site sends. It ends with the browser, or the session. */
const GUARDED: SerializeOptions = { path: '/', httpOnly: true, sameSite: 'strict' };

/**
 * Returns the token of a request: in the header `Authorization`, or without that header in the
 * session cookie. Returns undefined if it is not one of our tokens.
 */
export const tokenOf = (request: FastifyRequest): ShownToken | undefined =>
  isByCookie(request) ? cookieToken(request) : bearerOf(request.headers.authorization ?? '');

/** Returns whether the session cookie says whose a request is, because no header does. */
export const isByCookie = ({ headers }: FastifyRequest): boolean =>
  headers.authorization === undefined;

/** What a request shows of its session, and the session cookie of its answer. */
export class SessionCookie {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {}

  /** The token in the header `Authorization`, or without that header in the cookie. */
  get shown(): ShownToken | undefined {
    return tokenOf(this.request);
  }

  /** The token in the cookie, whatever the header says. */
  get kept(): ShownToken | undefined {
    return cookieToken(this.request);
  }

  /**
   * Throws `cross-site` unless the request comes from a page of this server. `who` is for the log.
   */
  requireOwnPage(who: string): void {
    requireSameOrigin(this.request, who);
  }

  /** Keeps the token of a session in the browser. */
  keep(token: string): void {
    this.set(token, {});
  }

  /** Removes the cookie if the request was sent with its token. */
  removeIfShown(): void {
    if (isByCookie(this.request)) this.set('', { maxAge: 0 });
  }

  private set(token: string, options: SerializeOptions): void {
    const guarded = { ...GUARDED, secure: isSecure(this.request), ...options };
    void this.reply.header('Set-Cookie', stringifySetCookie(nameOf(this.request), token, guarded));
  }
}

/** Injects the session cookie of a request and its answer into a controller method. */
export const Cookie = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new SessionCookie(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/**
 * Returns the token in the session cookie of a request. Returns undefined for several cookies of
 * the name, because another program on this host may have set one of them.
 */
function cookieToken(request: FastifyRequest): ShownToken | undefined {
  const name = nameOf(request);
  const [value, ...more] = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => parseCookie(pair)[name])
    .filter((each) => each !== undefined);
  const token = more.length === 0 ? tokenFrom(value ?? '') : undefined;
  return token?.kind === 'sps' ? token : undefined;
}

const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https';

const nameOf = (request: FastifyRequest): string =>
  isSecure(request) ? COOKIE_NAMES.tls : COOKIE_NAMES.plain;
