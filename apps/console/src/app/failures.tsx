import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refused, Unreachable } from '../api/client.js';
import { Button } from '../controls/button.js';
import { useWords, type Words } from '../words/words.js';
import { useMe } from './session/me.js';
import { useTitle } from './title.js';

interface Said {
  readonly title: string;
  readonly why?: string | undefined;
  readonly again?: (() => void) | undefined;
}

/** A page that says what is wrong, with a way back. */
export function Failure({ title, why, again }: Said): ReactNode {
  const words = useWords();
  const { history } = useRouter();
  return (
    <section className="failure" role="alert">
      <h1>{title}</h1>
      {why !== undefined && <p>{why}</p>}
      <p className="actions">
        <Button onPress={() => history.back()}>{words('shell.back')}</Button>
        {again && (
          <Button main onPress={again}>
            {words('shell.again')}
          </Button>
        )}
      </p>
    </section>
  );
}

/** The page of an address that does not exist. */
export function ScreenMissing(): ReactNode {
  const title = useWords()('shell.notFound');
  useTitle(title);
  return <Failure title={title} />;
}

/** The page for people whose roles do not have the permission. */
export function NotForYou(): ReactNode {
  const words = useWords();
  const { roles } = useMe();
  const title = words('shell.notForYou');
  useTitle(title);
  return (
    <Failure title={title} why={words('shell.notForYouWhy', { roles: rolesIn(words, roles) })} />
  );
}

/** Returns the names of roles in the chosen language. */
export const rolesIn = (words: Words, roles: readonly string[]): string =>
  roles.map((role) => words.find(`role.${role}`) ?? role).join(', ');

/** Says in a sentence what is wrong. */
export function sentenceOf(error: unknown, words: Words): string {
  if (error instanceof Unreachable) return words('shell.unreachable');
  if (error instanceof Refused)
    return [error.problem.title, error.problem.detail].filter(Boolean).join(': ');
  return error instanceof Error ? error.message : String(error);
}

interface NotReadAgain {
  readonly error: Error;
  readonly again: () => void;
}

/** Says why something could not be read again or further, beside what was read before. */
export function ReadFailed({ error, again }: NotReadAgain): ReactNode {
  const words = useWords();
  return (
    <p role="alert" className="no-print">
      {sentenceOf(error, words)} <Button onPress={again}>{words('shell.again')}</Button>
    </p>
  );
}

/** The page of a screen that could not be shown. */
export function ScreenFailed({ error, reset }: ErrorComponentProps): ReactNode {
  const words = useWords();
  if (error instanceof Refused && error.status === 404) return <ScreenMissing />;
  return <Failure title={words('shell.failed')} why={sentenceOf(error, words)} again={reset} />;
}
