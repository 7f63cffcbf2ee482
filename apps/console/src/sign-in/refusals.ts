import { Refused } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { formatsOf } from '../words/formats.js';
import type { Spoken } from '../words/words.js';

const SECOND_MS = 1_000;

/**
 * Says why a password or code was not taken. It never says which of name and password is wrong. If
 * there were too many attempts it says when the next is possible.
 */
export function refusalOf(error: unknown, { words, locale }: Spoken): string {
  if (!(error instanceof Refused)) return sentenceOf(error, words);
  switch (error.is) {
    case 'wrong-password':
      return words('signIn.wrong');
    case 'wrong-code':
      return words('signIn.wrongCode');
    case 'second-factor-required':
      return words('signIn.codeNeeded');
    case 'too-many-attempts':
    case 'too-many-sign-ins':
      return words('signIn.tooMany', { time: wallTime(locale, error.retryAfterS ?? 0) });
    default:
      return sentenceOf(error, words);
  }
}

/** Says the same to a person who is signed in, whose password alone can be wrong. */
export const ownRefusalOf = (error: unknown, spoken: Spoken): string =>
  error instanceof Refused && error.is === 'wrong-password'
    ? spoken.words('password.wrong')
    : refusalOf(error, spoken);

/** The time after so many seconds, on the clock of the wall: the zone of the house is not known. */
const wallTime = (locale: string, seconds: number): string =>
  formatsOf(locale, Intl.DateTimeFormat().resolvedOptions().timeZone).time(
    Date.now() + seconds * SECOND_MS,
  );
