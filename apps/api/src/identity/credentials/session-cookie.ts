import { parseCookie, type SerializeOptions, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { bearerOf, type ShownToken, tokenFrom } from './bearer-token.js';

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

/**
 * Returns the token in the session cookie of a request. Returns undefined for several cookies of
 * the name, because another program on this host may have set one of them.
 */
export function cookieToken(request: FastifyRequest): ShownToken | undefined {
  const name = nameOf(request);
  const [value, ...more] = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => parseCookie(pair)[name])
    .filter((each) => each !== undefined);
  const token = more.length === 0 ? tokenFrom(value ?? '') : undefined;
  return token?.kind === 'sps' ? token : undefined;
}

/** Returns the header `Set-Cookie` that keeps the token of a session. */
export const keptCookie = (request: FastifyRequest, token: string): string =>
  stringifySetCookie(nameOf(request), token, { ...GUARDED, secure: isSecure(request) });

/** Returns the header `Set-Cookie` that removes the token. */
export const clearedCookie = (request: FastifyRequest): string =>
  stringifySetCookie(nameOf(request), '', { ...GUARDED, secure: isSecure(request), maxAge: 0 });

const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https';

const nameOf = (request: FastifyRequest): string =>
  isSecure(request) ? COOKIE_NAMES.tls : COOKIE_NAMES.plain;
