import { Refused } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import type { Words } from '../words/words.js';

/** Returns in the chosen language why a command took no effect, with each field that is named. */
export function refusalIn(error: unknown, words: Words): string {
  const said = error instanceof Refused ? words.find(`refusal.${error.is}`) : undefined;
  if (!(error instanceof Refused) || said === undefined) return sentenceOf(error, words);
  const fields = error.problem.errors?.map(({ pointer, reason }) => `${pointer}: ${reason}`) ?? [];
  return [said, ...fields].join(' ');
}
