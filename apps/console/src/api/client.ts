import createClient from 'openapi-fetch';
import type { components, paths } from '#api-types';

/** The answers and bodies of the api, by the names of its description. */
export type Answers = components['schemas'];

/** What the api writes about a refused request (RFC 9457). */
export type Problem = Answers['Problem'];

/** The path of the server: `''`, or the base path that it was started with. */
export const serverPath = new URL('..', document.baseURI).pathname.replace(/\/$/, '');

const REQUEST_MS_MAX = 15_000;

/**
 * The api, typed by its description. The session is a cookie, which the browser sends by itself.
 * Every request ends after 15 seconds.
 */
export const api = createClient<paths>({
  baseUrl: serverPath,
  credentials: 'same-origin',
  fetch: (request: Request) => fetch(request, { signal: whileWanted(request) }),
});

/** Returns a signal that aborts when a request is no longer wanted, or after 15 seconds. */
function whileWanted({ signal }: Request): AbortSignal {
  // `AbortSignal.any` is younger than the browsers that the console works in
  const ended = new AbortController();
  for (const each of [signal, AbortSignal.timeout(REQUEST_MS_MAX)])
    if (each.aborted) ended.abort(each.reason);
    else each.addEventListener('abort', () => ended.abort(each.reason));
  return ended.signal;
}

/** A request that the api refused, with its problem document. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
    /** How long to wait before the next attempt, in seconds, if the api says so. */
    readonly retryAfterS?: number,
  ) {
    super(problem.title);
  }

  /** The name of the problem: the last part of its type, such as `same-person`. */
  get is(): string {
    return this.problem.type.replace(/^.*[#/:]/, '');
  }

  /** Returns what is wrong with a field, or with a part of it, by its JSON pointer. */
  faultAt(pointer: string): string | undefined {
    const faults = (this.problem.errors ?? []).filter(
      (each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`),
    );
    return faults.length === 0 ? undefined : faults.map(({ reason }) => reason).join('; ');
  }
}

/** The server did not answer: it is away, or it took longer than 15 seconds. */
export class Unreachable extends Error {}

interface Answered<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the data of an answer. Throws `Refused` if the api refused the request, and `Unreachable`
 * if no answer came.
 */
export async function dataOf<Data>(answer: Promise<Answered<Data>>): Promise<Data> {
  return (await answered(answer)).data as Data;
}

/** What the app wants to know of the answers: who has the session, and whether it was used. */
interface Listener {
  /** The server does not know the session of a request. */
  readonly signedOut: () => void;
  /** Something comes before everything else, such as a new password. */
  readonly mustDo: () => void;
  /** A request was answered, so the session is not idle. */
  readonly used: () => void;
}
const DUTIES = ['password-change-required', 'second-factor-enrollment-required'];
let listener: Listener | undefined;

/** Sets what is called about the answers. */
export const listenToAnswers = (called: Listener): void => void (listener = called);

/** Returns an answer with its status and headers. Throws what `dataOf` throws. */
export async function answered<Data>(answer: Promise<Answered<Data>>): Promise<Answered<Data>> {
  const { data, error, response } = await answer.catch((cause: unknown) => {
    throw new Unreachable('the server does not answer', { cause });
  });
  if (!response.ok) throw refused(problemOf(error, response), response);
  listener?.used();
  return { data, response } as Answered<Data>;
}

/** A wrong password is 401 too, and leaves the session as it is. */
function refused(problem: Problem, { status, headers }: Response): Refused {
  const seconds = Number(headers.get('Retry-After') ?? NaN);
  const error = new Refused(status, problem, Number.isFinite(seconds) ? seconds : undefined);
  if (error.is === 'not-signed-in') listener?.signedOut();
  if (DUTIES.includes(error.is)) listener?.mustDo();
  return error;
}

/** A proxy between us and the api answers with pages of its own. */
function problemOf(error: unknown, { status, statusText }: Response): Problem {
  if (typeof error === 'object' && error !== null && 'type' in error && 'title' in error)
    return error as Problem;
  return {
    type: 'about:blank',
    title: statusText || `HTTP ${status}`,
    status,
  } as unknown as Problem;
}

/** Returns a new value for the header `Idempotency-Key`. It works without TLS too. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
