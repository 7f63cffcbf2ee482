import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
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
 * Sends a request to a server with a person's token. Throws `Refusal` with the server's message if
 * it refuses.
 */
export async function askServer(
  url: URL,
  token: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    });
  } catch (error) {
    throw new Refusal(`${url.href}: cannot be reached (${reasonOf(error)})`);
  }
  const text = await answer.text();
  let said: { readonly title?: string; readonly detail?: string };
  try {
    said = text === '' ? {} : (JSON.parse(text) as typeof said);
  } catch {
    throw new Refusal(
      `${url.href}: this does not answer as a Shoeprint server does (${answer.status})`,
    );
  }
  if (!answer.ok)
    throw new Refusal(`${url.href}: ${said.detail ?? said.title ?? `answered ${answer.status}`}`);
  return said;
}

/** Returns why a request got no answer: the network's code or message. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & {
    readonly cause?: { readonly code?: string; readonly message?: string };
  };
  return cause?.code ?? cause?.message ?? message;
}
