import { visible } from '#process';

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
      'The body does not match its media type, or is not UTF-8 JSON. The server used none of it.',
  },
  'invalid-request': {
    status: 400,
    title: 'The request is invalid',
    meaning:
      'A field, parameter or header is missing, unknown or has an invalid value. `errors` names each by JSON pointer.',
  },
  'malformed-events': {
    status: 400,
    title: 'At least one event is malformed',
    meaning:
      'The whole request was refused and nothing was recorded. `errors` lists every malformed event by position and JSON pointer.',
  },
  'not-signed-in': {
    status: 401,
    title: 'Authentication is required',
    meaning:
      'The request has no token, or its token is unknown, revoked or expired. Sign in, or use a device key: `Authorization: Bearer ...`. A page of this server may use one session cookie instead.',
  },
  'wrong-password': {
    status: 401,
    title: 'The name or password is wrong',
    meaning: 'No active account has this name and password.',
  },
  'second-factor-required': {
    status: 401,
    title: 'A code of the second factor is required',
    meaning:
      'The name and password are right, and the account has a second factor. Sign in again with `code`: six digits of the authenticator app, or a recovery code.',
  },
  'wrong-code': {
    status: 401,
    title: 'The code is wrong',
    meaning: 'The code is wrong, has expired or was used before.',
  },
  'not-permitted': {
    status: 403,
    title: 'This identity may not do this',
    meaning:
      'The token is valid, but no role of the identity has the permission that the route requires, or the review policy lets none of them do this.',
  },
  'cross-site': {
    status: 403,
    title: 'The request does not come from a page of this server',
    meaning:
      'A browser sends the session cookie by itself, so a page of another site could use it. A request with the cookie that may change something, and a sign-in for a cookie, needs the header `Sec-Fetch-Site: same-origin` or, without that header, an `Origin` equal to the host. Programs use the header `Authorization`. Behind a proxy, the server must know which host and scheme the browser asked: see `SHOEPRINT_TRUST_PROXY`.',
  },
  'confirm-first': {
    status: 403,
    title: 'The session must be confirmed first',
    meaning:
      'The request needs a sign-in or a confirmation no older than 15 minutes. `POST /v1/me/confirm` confirms the session; then send the same request again.',
  },
  'password-change-required': {
    status: 403,
    title: 'The password must be changed first',
    meaning:
      'Somebody else set the password of this account. `POST /v1/me/password` changes it; until then only `GET /v1/me` and signing out are possible.',
  },
  'second-factor-enrollment-required': {
    status: 403,
    title: 'A second factor must be enrolled first',
    meaning:
      'A role of this account requires a second factor, and it has none. `POST /v1/me/second-factor` begins to enroll one.',
  },
  'source-not-yours': {
    status: 403,
    title: 'This identity may not write an event of the request',
    meaning:
      'An event names a source, table or type that the identity may not write. The whole request was refused and nothing was recorded.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    meaning:
      'The path does not exist, or it names something that does not exist or that this identity may not see.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path does not support this method',
    meaning: 'The header `Allow` lists the supported methods.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer is not available in this form',
    meaning: 'The header `Accept` asks for a media type that this route does not return.',
  },
  'too-slow': {
    status: 408,
    title: 'The request did not arrive in time',
    meaning: 'Its head or body took longer than the server waits. The server used none of it.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the current state',
    meaning:
      'What the request creates already exists, or the current state does not allow the change.',
  },
  'day-not-sealed': {
    status: 409,
    title: 'The gaming day is not sealed yet',
    meaning:
      'A package of a day begins and ends with the seals that close gaming days. A day is sealed at its cut-over and some minutes.',
  },
  'already-ruled': {
    status: 409,
    title: 'The finding is already ruled on',
    meaning: 'A ruling holds; `review` says which. Reopen the finding first, if you may.',
  },
  'already-proposed': {
    status: 409,
    title: 'A ruling is already proposed',
    meaning: 'It waits for a second person. Sign it, refuse it, or wait until it is taken back.',
  },
  'nothing-proposed': {
    status: 409,
    title: 'No ruling is proposed',
    meaning:
      'It was refused or taken back, or it fell because of what happened at the table (`review.stale`).',
  },
  'proposal-changed': {
    status: 409,
    title: 'Another ruling is proposed',
    meaning: 'The act names a proposal that is no longer the one that waits. Look at `review`.',
  },
  'not-ruled': {
    status: 409,
    title: 'No ruling holds',
    meaning: 'There is nothing to reopen.',
  },
  'ruling-changed': {
    status: 409,
    title: 'Another ruling holds',
    meaning: 'The act names a ruling that is no longer the one that holds. Look at `review`.',
  },
  'coup-open': {
    status: 409,
    title: 'The coup is still being played',
    meaning: 'A ruling is possible once the coup has ended. The claim stays.',
  },
  'conflict-of-interest': {
    status: 409,
    title: 'This person is involved',
    meaning:
      'The person was on duty, or sent or is named in an event that the finding rests on. Somebody else must act. Comments and video are possible.',
  },
  'same-person': {
    status: 409,
    title: 'The ruling was proposed by the same person',
    meaning: 'Nobody signs, refuses or claims what they proposed themselves, in any account.',
  },
  'claimed-by-another': {
    status: 409,
    title: 'Somebody else holds the finding',
    meaning: '`review.claim` says who holds it, and until when.',
  },
  'not-claimed': {
    status: 409,
    title: 'This person does not hold the finding',
    meaning: 'Claim it before you propose a ruling.',
  },
  'not-yours': {
    status: 409,
    title: 'Somebody else made the claim or the proposal',
    meaning: 'Only the person who made it can release a claim, or take a proposal back.',
  },
  'evidence-changed': {
    status: 409,
    title: 'The evidence has changed',
    meaning:
      'The SHA-256 that the act names is not that of the evidence. Look at the finding again: `review.evidence` is the current one.',
  },
  'finding-withdrawn': {
    status: 409,
    title: 'The finding is withdrawn',
    meaning: 'A correction or a late event removed its cause, so there is nothing to decide.',
  },
  'out-of-reach': {
    status: 409,
    title: 'The finding is no longer under review',
    meaning: "It left its table's full desk before anybody ruled on it (`review.lapsed`).",
  },
  'policy-superseded': {
    status: 409,
    title: 'Another review policy is in force',
    meaning:
      'The proposal names a policy that is not in force, and nothing was recorded. `detail` names the one in force.',
  },
  'table-parked': {
    status: 409,
    title: 'The table is parked',
    meaning:
      'An event of the table could not be judged, so nothing after it is judged. Nothing was recorded. Send it again once the table is released.',
  },
  'preview-changed': {
    status: 409,
    title: 'The findings changed after the preview',
    meaning: 'Nothing was recorded. Ask for a preview again (`dryRun`), and name that one.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The version has changed',
    meaning: 'The header `If-Match` names a version that is no longer current.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    meaning: 'Send less at once. The server used none of it.',
  },
  'media-type-not-taken': {
    status: 415,
    title: 'The media type is not supported',
    meaning: 'The header `Content-Type` names a media type that this route does not read.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'The part begins after the end of the file',
    meaning:
      'The header `Range` asks for bytes that the file does not have. `Content-Range` has its size.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The expectation cannot be met',
    meaning: 'The header `Expect` has a value other than `100-continue`.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key was used for something else',
    meaning:
      'The same person sent another body under this `Idempotency-Key`, and for the same command and finding. Use a new key.',
  },
  'ruling-incomplete': {
    status: 422,
    title: 'The ruling does not state what its disposition needs',
    meaning: '`errors` names each field that is missing, by JSON pointer.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many commands',
    meaning:
      'A session may send 10 commands a second. Nothing was recorded. Send it again after `Retry-After` seconds.',
  },
  'too-many-attempts': {
    status: 429,
    title: 'Too many attempts',
    meaning:
      'Sign-in failed too often. The header `Retry-After` says how many seconds to wait before the next attempt.',
  },
  'too-many-sign-ins': {
    status: 429,
    title: 'Too many passwords wait to be checked',
    meaning:
      'The server checks few passwords at once, and its queue is full. The header `Retry-After` says how many seconds to wait.',
  },
  'too-many-at-once': {
    status: 429,
    title: 'Too many requests of this kind are under way',
    meaning:
      'The server answers a limited number of exports and of streams at a time, in all and for each identity. Ask again after `Retry-After` seconds.',
  },
  'internal-fault': {
    status: 500,
    title: 'Internal server error',
    meaning:
      "The fault is in the server, not in the request. The member `instance` is its id in the server's log.",
  },
  'not-recorded': {
    status: 503,
    title: 'Nothing was recorded',
    meaning:
      'The server appended nothing of the request to the log. Send it again after `Retry-After` seconds.',
  },
  'queue-contended': {
    status: 503,
    title: 'Others took the findings first',
    meaning:
      'Five findings in a row went to somebody else before they were claimed. Send it again under the same key.',
  },
  'not-yet-visible': {
    status: 503,
    title: 'The position is not visible yet',
    meaning:
      'The rows did not reach `Min-Position` within two seconds. Ask again: the server never returns an older answer instead.',
  },
  'not-ready': {
    status: 503,
    title: 'The database or the log is unavailable',
    meaning:
      'The server cannot reach its database or its log, or is stopping. Ask again after `Retry-After` seconds.',
  },
  'outcome-unknown': {
    status: 504,
    title: 'It is unknown whether the events were recorded',
    meaning:
      'The log did not answer in time. Send the same events again: duplicates have no effect.',
  },
} as const satisfies Readonly<Record<string, ProblemType>>;

/** The name of a problem type, which ends its URN. */
export type ProblemName = keyof typeof PROBLEMS;

/** The header of every 401: how to authenticate (RFC 9110, 11.6.1). */
export const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="shoeprint"' } as const;

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
  /** The member `review`: where the review of the finding stands, as answers show it. */
  readonly review?: object;
  /** Who was refused, for the log, if the request has no identity. */
  readonly who?: string;
  readonly cause?: unknown;
}

/**
 * A refusal. Any code of a request may throw it, and the filter answers it as a problem document.
 * `detail` is one plain sentence without secrets. It has no stack, because a refusal must be cheap;
 * `cause` keeps its own.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly extras: ProblemExtras;

  constructor(
    readonly problem: ProblemName,
    readonly detail?: string,
    extras: ProblemExtras = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(
      detail ?? PROBLEMS[problem].title,
      extras.cause === undefined ? undefined : { cause: extras.cause },
    );
    Error.stackTraceLimit = stackTraceLimit;
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
  readonly review?: object;
}

/**
 * Returns the document of a problem, without absent members. What a person reads of it has no
 * unseen character; a pointer is for a program and stays as it is.
 */
export function documentOf({
  problem,
  detail,
  extras: { instance, errors, review },
}: Problem): ProblemDocument {
  const { status, title } = PROBLEMS[problem];
  return {
    type: problemType(problem),
    title,
    status,
    ...(detail !== undefined && { detail: visible(detail) }),
    ...(instance !== undefined && { instance }),
    ...(errors && {
      errors: errors.map((fault) => ({ ...fault, reason: visible(fault.reason) })),
    }),
    ...(review && { review }),
  };
}
