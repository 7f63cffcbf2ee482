import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '#api-types';
import { fileRefusal, Refusal } from '../refusal.js';

/** Parses a server's address from an option. The result ends in `/`. */
export function addressAsked(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8377.');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/**
 * Returns a secret from a file or an environment variable. Throws `Refusal` with `otherwise` if
 * there is no secret.
 */
export function secretFrom(file: string | undefined, variable: string, otherwise: string): string {
  let secret = process.env[variable];
  try {
    if (file !== undefined) secret = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileRefusal(file as string, error);
  }
  if (!secret?.trim()) throw new Refusal(otherwise);
  return secret.trim();
}

/**
 * A client of a server's api. Its paths, bodies and responses have the types of the OpenAPI
 * document.
 */
export type Api = Client<paths>;

/**
 * Returns a client that sends a token. It refuses redirects, which could lead the token elsewhere.
 */
export const apiOf = (server: URL, token: string, waitMs = 30_000): Api =>
  createClient<paths>({
    baseUrl: server.href,
    redirect: 'error',
    headers: { authorization: `Bearer ${token}` },
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(waitMs) }),
  });

/**
 * Returns a server's response. Throws `Refusal` with the server's message if it refuses, or if it
 * does not answer.
 */
export async function answered<Data>(
  server: URL,
  asked: Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>,
): Promise<Data> {
  try {
    const { data, error, response } = await asked;
    if (response.ok) return data as Data;
    throw new Refusal(`${response.url}: ${saidBy(problemOf(error), response.status)}`);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      error instanceof SyntaxError
        ? `${server.href}: does not answer like a Shoeprint server`
        : `${server.href}: cannot be reached (${reasonOf(error)})`,
    );
  }
}

/** How many faults of a request are printed. */
const FAULTS_MAX = 20;

/** Returns what a problem document says, with each field that it names on a line of its own. */
function saidBy(
  { detail, title, errors = [] }: Partial<components['schemas']['Problem']>,
  status: number,
): string {
  const faults = errors.slice(0, FAULTS_MAX).map(({ pointer, reason }) => `${pointer}: ${reason}`);
  const more = errors.length - faults.length;
  return [
    detail ?? title ?? `answered ${status}`,
    ...faults,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n  ');
}

/**
 * Returns the problem document of a refusal, or an empty one if something other than the api
 * answered.
 */
export const problemOf = (error: unknown): Partial<components['schemas']['Problem']> =>
  typeof error === 'object' && error !== null ? error : {};

/** Returns why a request got no answer: the network's code or message. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & {
    readonly cause?: { readonly code?: string; readonly message?: string };
  };
  return cause?.code ?? cause?.message ?? message;
}
