import type { ReactNode } from 'react';
import { Refused } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { useWords } from '../words/words.js';

interface Props {
  readonly error: unknown;
  /** The pointers of the fields that show their own faults. */
  readonly shown?: readonly string[];
}

/** Says why a form was refused, with the faults that no field shows. */
export function FormError({ error, shown = [] }: Props): ReactNode {
  const words = useWords();
  if (error === undefined) return null;
  const faults = error instanceof Refused ? (error.problem.errors ?? []) : [];
  const others = faults.filter(({ pointer }) => !shown.some((each) => pointer.startsWith(each)));
  return (
    <div role="alert" className="people-error">
      <p>{sentenceOf(error, words)}</p>
      {others.map(({ pointer, reason }) => (
        <p key={pointer} lang="en">
          <code>{pointer}</code> {reason}
        </p>
      ))}
    </div>
  );
}

/** Returns what is wrong with a field of a form that was refused. */
export const faultAt = (error: unknown, pointer: string): string | undefined =>
  error instanceof Refused ? error.faultAt(pointer) : undefined;
