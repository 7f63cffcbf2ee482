import { Refused } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import type { Key, Words } from '../words/words.js';

/** The problems that have a sentence in every language. The others come as the server wrote them. */
const SAID: readonly string[] = [
  'idempotency-key-reused',
  'out-of-reach',
  'finding-withdrawn',
  'not-permitted',
  'already-ruled',
  'already-proposed',
  'nothing-proposed',
  'proposal-changed',
  'not-ruled',
  'ruling-changed',
  'coup-open',
  'conflict-of-interest',
  'same-person',
  'claimed-by-another',
  'not-claimed',
  'not-yours',
  'ruling-incomplete',
  'evidence-changed',
  'policy-superseded',
  'table-parked',
  'too-many-requests',
  'not-recorded',
  'outcome-unknown',
  'not-yet-visible',
  'wrong-password',
  'wrong-code',
  'too-many-attempts',
];

/** Returns in the chosen language why a command took no effect, with each field that is named. */
export function refusalIn(error: unknown, words: Words): string {
  if (!(error instanceof Refused) || !SAID.includes(error.is)) return sentenceOf(error, words);
  const fields = error.problem.errors?.map(({ pointer, reason }) => `${pointer}: ${reason}`) ?? [];
  return [words(`refusal.${error.is}` as Key), ...fields].join(' ');
}
