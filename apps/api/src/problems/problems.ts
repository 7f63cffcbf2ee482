/**
 * A fault in a request: its JSON pointer ('' is the whole) and the reason. `position` is the line
 * or item, from 1.
 */
export interface RequestFault {
  readonly pointer: string;
  readonly reason: string;
  readonly position?: number;
}

interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** What happened, and what to do about it. The page of problems shows it. */
  readonly meaning: string;
}

/**
 * Every problem that the api answers with. Problem documents, the page of problems and OpenAPI are
 * made from it. A published name keeps its meaning.
 */
export const PROBLEMS = {
  'malformed-request': {
    status: 400,
    title: 'The request is malformed',
    meaning:
      'The body is not what its media type says, or not UTF-8 JSON. Nothing of it was taken.',
  },
  'invalid-request': {
    status: 400,
    title: 'The request does not hold what it must',
    meaning:
      'A field, parameter or header is missing, unknown or has a value that it may not have; `errors` names each by JSON pointer.',
  },
  'malformed-events': {
    status: 400,
    title: 'At least one event is malformed',
    meaning:
      'The request was refused whole and nothing of it was recorded; `errors` lists every malformed event by position and JSON pointer.',
  },
  'not-signed-in': {
    status: 401,
    title: 'Nobody is named by this request',
    meaning:
      'It bears no token, or one that is unknown, revoked or out of date. Sign in, or use a device key: `Authorization: Bearer ...`.',
  },
  'wrong-password': {
    status: 401,
    title: 'The name and password do not belong together',
    meaning: 'No account of that name may sign in with that password.',
  },
  'not-permitted': {
    status: 403,
    title: 'This identity may not do that',
    meaning: 'It is known, but none of its roles has the permission that the route asks for.',
  },
  'source-not-yours': {
    status: 403,
    title: 'This identity may not write that',
    meaning:
      'An event names a source, a table or a type that the identity does not list. The request was refused whole and nothing of it was recorded.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    meaning:
      'The path leads nowhere, or the thing that it names is not there or not to be seen by this identity.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This path does not take that method',
    meaning: 'The header `Allow` names the methods that it takes.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer cannot be had in that form',
    meaning: 'The header `Accept` asks for a media type that this route does not answer with.',
  },
  'too-slow': {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'Its head or body took longer than the server waits. Nothing of it was taken.',
  },
  conflict: {
    status: 409,
    title: 'That is already so, or cannot be now',
    meaning: 'The thing exists already, or its state does not allow this.',
  },
  'precondition-failed': {
    status: 412,
    title: 'It has changed meanwhile',
    meaning: 'The header `If-Match` names another version than the one that stands.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    meaning: 'Send less at once. Nothing of it was taken.',
  },
  'media-type-not-taken': {
    status: 415,
    title: 'This media type is not taken',
    meaning: 'The header `Content-Type` names a form that this route does not read.',
  },
  'too-many-attempts': {
    status: 429,
    title: 'Too many attempts',
    meaning:
      'Sign-in failed too often. The header `Retry-After` says after how many seconds another attempt is looked at.',
  },
  'internal-fault': {
    status: 500,
    title: 'The server met a fault of its own',
    meaning:
      "It is ours, not yours. The member `instance` is the id under which the fault stands in the server's log.",
  },
  'not-recorded': {
    status: 503,
    title: 'Nothing was recorded',
    meaning:
      'Nothing of the request was handed to the log. Send it again after `Retry-After` seconds.',
  },
  'not-yet-visible': {
    status: 503,
    title: 'That position is not visible yet',
    meaning:
      'What `Min-Position` names was not folded within two seconds. Ask again; a stale answer is never given.',
  },
  'not-ready': {
    status: 503,
    title: 'Something that the server needs is out of reach',
    meaning: 'Its database or its log does not answer. Ask again after `Retry-After` seconds.',
  },
  'outcome-unknown': {
    status: 504,
    title: 'Whether it was recorded is unknown',
    meaning: 'The log did not answer in time. Send the same events again: they are admitted once.',
  },
} as const satisfies Readonly<Record<string, ProblemType>>;

/** The name of a problem type, which ends its URN. */
export type ProblemName = keyof typeof PROBLEMS;

/** The media type of a problem document. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Returns the URN of a problem type, which is the `type` of its documents. */
export const problemType = (name: ProblemName): string => `urn:shoeprint:problem:${name}`;

/** What a problem may add: faults of the request, headers of the answer, its id, and its cause. */
export interface ProblemExtras {
  readonly errors?: readonly RequestFault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The member `instance`: the id of this occurrence. */
  readonly instance?: string;
  readonly cause?: unknown;
}

/**
 * A refusal. Any code of a request may throw it, and the filter answers it as a problem document.
 * `detail` is one plain sentence without secrets.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly extras: ProblemExtras;

  constructor(
    readonly problem: ProblemName,
    readonly detail?: string,
    extras: ProblemExtras = {},
  ) {
    super(
      detail ?? PROBLEMS[problem].title,
      extras.cause === undefined ? undefined : { cause: extras.cause },
    );
    this.extras = extras;
  }

  get status(): number {
    return PROBLEMS[this.problem].status;
  }
}

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly errors?: readonly RequestFault[];
}

/** Returns the document of a problem, without absent members. */
export function documentOf({
  problem,
  detail,
  extras: { instance, errors },
}: Problem): ProblemDocument {
  const { status, title } = PROBLEMS[problem];
  return {
    type: problemType(problem),
    title,
    status,
    ...(detail !== undefined && { detail }),
    ...(instance !== undefined && { instance }),
    ...(errors && { errors }),
  };
}
