import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

/** A request to one operation of the api. */
export interface RouteRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What is at the server that requests are about. */
export interface Known {
  /** Token of a person with every role. */
  readonly person: string;
  /** Token of a device. */
  readonly device: string;
  readonly finding: string;
  readonly coupRef: string;
  readonly shoeRef: string;
  readonly table: string;
  /** An event to send, as a line. */
  readonly event: string;
}

/** When and how a request was answered. */
export interface RouteAnswer {
  readonly operation: string;
  /** 0 if the connection broke. */
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

const WORD = 'three blind mice ran';
const REASON = 'the other side was silent';
const REF = 'person/nobody#none';
const DIGEST = '0'.repeat(64);
const TIME = '2026-11-20T12:00:00Z';
const RULING = { disposition: 'dealer-error-corrected', policy: 'review@1' };

/** Bodies that the api takes, by operation. They change little: most name what does not exist. */
const BODIES: Readonly<Record<string, (known: Known) => object>> = {
  signIn: () => ({ name: 'admin', password: WORD }),
  useReset: () => ({
    name: 'admin',
    code: 'K7QF-9M2X-P4WN-T6HB-R3JD-V8CZ-5YGE',
    newPassword: WORD,
  }),
  changePassword: () => ({ password: WORD, newPassword: `${WORD} again` }),
  confirmSession: () => ({ password: WORD }),
  beginFactor: () => ({ password: WORD }),
  confirmFactor: () => ({ code: '123456' }),
  removeFactor: () => ({ password: WORD, code: '123456' }),
  saveView: () => ({ severity: [1] }),
  savePreferences: () => ({ theme: 'surveillance' }),
  createAccount: () => ({
    ...{ name: `a-${randomUUID()}`, password: WORD, roles: ['finance'], tables: ['*'] },
  }),
  changeAccount: () => ({ disabled: false }),
  issueReset: () => ({}),
  createKey: () => ({
    ...{ name: `k-${randomUUID()}`, sources: ['device/*'], tables: ['*'], types: ['*'] },
  }),
  requestExport: ({ table }) => ({
    ...{ scope: { kind: 'table', table }, purpose: REASON, recipient: WORD },
  }),
  ruleInBulk: ({ finding }) => ({ ids: [finding], ...RULING, dryRun: true }),
  claimFinding: () => ({ lease: 600 }),
  releaseFinding: () => ({}),
  commentOnFinding: () => ({ text: REASON }),
  attachVideo: () => ({ video: 'cam-4/1200' }),
  requestVideoHold: () => ({ from: TIME, to: TIME }),
  confirmVideoHeld: () => ({ request: REF, until: TIME }),
  proposeRuling: () => ({ ...RULING, evidence: DIGEST }),
  signRuling: () => ({ proposal: REF, evidence: DIGEST }),
  refuseRuling: () => ({ proposal: REF, reason: REASON }),
  takeRulingBack: () => ({ proposal: REF }),
  escalateFinding: () => ({ to: 'compliance', reason: REASON }),
  reopenFinding: () => ({ ruling: REF, reason: REASON }),
  passRecord: () => ({ offset: 0, sha256: DIGEST, reason: REASON }),
};

/** Ends the sender's session, so it has a token of its own that is not good. */
const ENDS_SESSION = 'signOut';

/**
 * Returns a request to each operation of the api's document. Throws if an operation takes a body
 * and none is known for it.
 */
export function everyRequest({ paths }: OpenAPIObject, known: Known): RouteRequest[] {
  const { device, person } = known;
  return Object.entries(paths).flatMap(([pattern, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => {
      const { operationId, parameters = [], requestBody } = operation;
      const isAppend = operationId === 'appendEvents';
      const token = operationId === ENDS_SESSION ? `${person.slice(0, -1)}_` : person;
      const query = parameters
        .filter(({ in: place, required }) => place === 'query' && required)
        .map(({ name }) => `${name}=${encodeURIComponent(valueOf(name, pattern, known))}`);
      const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(valueOf(name, pattern, known)),
      );
      return {
        operation: operationId,
        method: method.toUpperCase(),
        path: query.length > 0 ? `${path}?${query.join('&')}` : path,
        headers: {
          authorization: `Bearer ${isAppend ? device : token}`,
          'idempotency-key': randomUUID(),
          ...(requestBody && {
            'content-type': isAppend ? 'application/cloudevents+json' : 'application/json',
          }),
        },
        body: isAppend ? known.event : requestBody && bodyOf(operationId, known),
      };
    }),
  );
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly requestBody?: object;
}

function bodyOf(operation: string, known: Known): string {
  const body = BODIES[operation];
  if (!body) throw new Error(`no body is known for ${operation}`);
  return JSON.stringify(body(known));
}

function valueOf(name: string, pattern: string, known: Known): string {
  const [, , kind] = pattern.split('/');
  switch (`${kind} ${name}`) {
    case 'findings id':
      return known.finding;
    case 'coups id':
      return known.coupRef;
    case 'shoes id':
      return known.shoeRef;
    case 'rules ref':
      return 'punto-banco@1';
    case 'policies ref':
      return 'review@1';
    case 'accounts name':
      return 'admin';
    case 'review-events ref':
      return REF;
    case 'evidence number':
      return '1';
    case 'evidence path':
      return '0/000.p/1';
  }
  if (name === 'table') return known.table;
  if (name === 'from' || name === 'to') return kind === 'rules' ? 'punto-banco@1' : 'review@1';
  return '0000000000000000'.slice(0, name === 'partition' ? 1 : 16);
}

/**
 * Sends a request on a connection of its own. Resolves when the answer has come whole, or its
 * first bytes if it is a stream that does not end, or after `msMax` without an answer.
 */
export const answerTo = (
  base: string,
  { operation, method, path, headers, body }: RouteRequest,
  msMax: number,
): Promise<RouteAnswer> =>
  new Promise((resolve) => {
    const from = performance.now();
    let text = '';
    const end = (status: number): void => {
      clearTimeout(timer);
      resolve({ operation, status, ms: Math.round(performance.now() - from), body: text });
      asked.destroy();
    };
    const asked = request(new URL(path, base), { method, headers, agent: false }, (answer) => {
      const status = answer.statusCode as number;
      if (answer.headers['content-type']?.startsWith('text/event-stream')) return end(status);
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => end(status))
        .on('error', () => end(0));
    });
    const timer = setTimeout(() => end(-1), msMax);
    asked.on('error', () => end(0)).end(body);
  });
