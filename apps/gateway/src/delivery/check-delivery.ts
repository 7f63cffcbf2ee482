import { isRecord, type LintProblem } from '#baccarat';
import { type Answer, type ApiConfiguration, ApiConnection } from './connection.js';
import { documentIn, type EventFault, verdictOf } from './verdict.js';

const CHECK_MS = 30_000;

/** Which part of a gateway's configuration a field of an event comes from. */
const CONFIGURED: Readonly<Record<string, string>> = {
  '/source': '/devices',
  '/table': '/table',
  '/data/rules': '/opens/rules',
  '/data/decks': '/opens/decks',
  '/data/currency': '/opens/currency',
  '/data/reports': '/opens/reports',
};

/**
 * Asks the api whether it would take events like these, at most 2,000, and records nothing. Returns
 * what is wrong by JSON pointers into the configuration of a gateway: the address, the certificate,
 * the key, what the key may write, and the rule document. Takes at most 30 seconds.
 */
export async function checkDelivery(
  api: ApiConfiguration,
  lines: readonly string[],
): Promise<readonly LintProblem[]> {
  const connection = new ApiConnection(api, CHECK_MS);
  try {
    const answer = await connection.request(
      {
        method: 'POST',
        path: 'v1/events?check=true',
        lines: Buffer.from(lines.map((line) => `${line}\n`).join('')),
      },
      new AbortController().signal,
    );
    const problems = problemsIn(answer, api);
    return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
  } finally {
    connection.close();
  }
}

function problemsIn(answer: Answer, { key }: ApiConfiguration): LintProblem[] {
  if (answer.is === 'answer' && answer.status === 200 && isVerdict(answer.text)) return [];
  const verdict = verdictOf(answer, { now: Date.now(), key });
  if (verdict.is === 'taken')
    return [{ pointer: '/api/url', problem: 'answered 202 to a check, which is not this api' }];
  if (verdict.is === 'refused' && verdict.faults.length > 0) return verdict.faults.map(problemOf);
  return [{ pointer: pointerFor(answer), problem: verdict.why }];
}

/** Returns whether a text is the api's answer to a check, and not the page of a portal. */
const isVerdict = (text: string): boolean => isRecord(documentIn(text).events);

const problemOf = ({ position, pointer, reason }: EventFault): LintProblem =>
  pointer in CONFIGURED
    ? { pointer: CONFIGURED[pointer] as string, problem: reason }
    : { pointer: '', problem: `event ${position ?? 1} of the check: ${pointer}: ${reason}` };

function pointerFor(answer: Answer): string {
  if (answer.is === 'no-answer') return answer.untrusted === undefined ? '/api/url' : '/api/ca';
  return answer.status === 401 || answer.status === 403 ? '/api/keyFile' : '/api/url';
}
