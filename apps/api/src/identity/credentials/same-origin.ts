import type { FastifyRequest } from 'fastify';
import { Problem } from '../../problems/problems.js';

/** The methods that change nothing for the one who asks. */
const READING = ['GET', 'HEAD'];

/** Returns whether a request reads only, or comes from a page of this server. */
export const isHarmless = (request: FastifyRequest): boolean =>
  READING.includes(request.method) || isSameOrigin(request);

/**
 * Throws `cross-site` unless the request comes from a page of this server. `who` is for the log.
 */
export function requireSameOrigin(request: FastifyRequest, who: string): void {
  if (!isSameOrigin(request)) throw new Problem('cross-site', undefined, { who });
}

/**
 * Browsers send `Sec-Fetch-Site` over TLS and to loopback addresses only. On plain HTTP elsewhere
 * the origin must be this server's, as a trusted proxy passes it on.
 */
function isSameOrigin({ headers, protocol, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const own = `${protocol === 'https' ? 'https' : 'http'}://${host}`;
  return URL.canParse(own) && headers.origin === new URL(own).origin;
}
