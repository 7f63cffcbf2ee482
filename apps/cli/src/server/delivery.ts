import { setTimeout as pause } from 'node:timers/promises';
import type { components } from '#api-types';
import { visible } from '#process';
import { Refusal } from '../refusal.js';
import { type Api, problemOf, reasonOf } from './server.js';

/** Where events are delivered, and for how long to retry. */
export interface Destination {
  /** The server's address, for messages. */
  readonly server: URL;
  /** A client with the device key. */
  readonly api: Api;
  /** How long to retry while the server takes nothing. */
  readonly patienceMs: number;
  /** Called when a request is retried, once for each new reason. */
  readonly waiting: (why: string) => void;
}

/** An event that the api found malformed: its number among those sent, from 1, and why. */
export type RefusedEvent = NonNullable<components['schemas']['Problem']['errors']>[number];

/** The result of a delivery: everything is durable, or the events that the api found malformed. */
export type Delivered =
  { readonly refused?: undefined } | { readonly refused: readonly RefusedEvent[] };

/** How long one request may take. */
export const REQUEST_MS = 60_000;
const PAUSE_LEAST_MS = 250;
const PAUSE_MOST_MS = 5_000;

/**
 * Delivers lines of events and resolves once they are durable. Retries `not-recorded`,
 * `outcome-unknown` and requests that never reached the api; what was recorded already is admitted
 * once. Throws `Refusal` if the api rejects the lines altogether, or if `patienceMs` ends.
 */
export async function deliver(to: Destination, lines: Buffer): Promise<Delivered> {
  const until = Date.now() + to.patienceMs;
  let reported = '';
  for (let pauseMs = PAUSE_LEAST_MS; ; pauseMs = Math.min(PAUSE_MOST_MS, pauseMs * 2)) {
    const answer = await attempt(to, lines);
    if (answer.is === 'taken') return {};
    if (answer.is === 'refused') return { refused: answer.events };
    if (Date.now() >= until)
      throw new Refusal(
        `${to.server.href}: ${answer.why}; gave up after ${Math.round(to.patienceMs / 1000)} s. The same command resumes from there`,
      );
    if (answer.why !== reported) to.waiting((reported = answer.why));
    await pause(answer.afterMs ?? pauseMs);
  }
}

type Attempt =
  | { readonly is: 'taken' }
  | { readonly is: 'refused'; readonly events: readonly RefusedEvent[] }
  | { readonly is: 'later'; readonly why: string; readonly afterMs?: number };

async function attempt({ server, api }: Destination, lines: Buffer): Promise<Attempt> {
  let error: unknown;
  let answer: Response;
  try {
    // The lines go as they are: a body of this media type has the type of a string.
    ({ error, response: answer } = await api.POST('/v1/events', {
      body: '',
      bodySerializer: () => new Uint8Array(lines),
      headers: { 'content-type': 'application/x-ndjson' },
      parseAs: 'text',
    }));
  } catch (failure) {
    return { is: 'later', why: `cannot be reached (${reasonOf(failure)})` };
  }
  if (answer.status === 202) return { is: 'taken' };
  const problem = problemOf(error);
  const said = visible(problem.detail ?? problem.title ?? `answered ${answer.status}`);
  switch (answer.status) {
    case 400:
      if (problem.errors) return { is: 'refused', events: problem.errors };
      throw new Refusal(`${server.href}: ${said}`);
    case 429:
    case 502:
    case 503: {
      const afterMs = Number(answer.headers.get('retry-after') ?? 0) * 1000;
      return { is: 'later', why: said, ...(afterMs && { afterMs }) };
    }
    case 408:
    case 504:
      return { is: 'later', why: said };
    case 401:
      throw new Refusal(
        `${server.href}: the device key is unknown or revoked: pass another with --key-file or SHOEPRINT_KEY`,
      );
    default:
      throw new Refusal(`${server.href}: ${said}`);
  }
}
