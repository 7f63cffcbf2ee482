import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Refused } from '../../api/client.js';
import { useWords } from '../../words/words.js';

/** Something in an address that the queue cannot be filtered by, and why. */
export interface BadPart {
  readonly name: string;
  readonly why: string;
}

/** Returns the parts of the filter that the server refused. */
export const refusedParts = ({ problem }: Refused): readonly BadPart[] =>
  (problem.errors ?? []).map(({ pointer, reason }) => ({
    name: pointer.replace(/^\//, ''),
    why: reason,
  }));

/** The page of an address with a filter that does not exist, and the way to the whole queue. */
export function BadFilter({ parts }: { readonly parts: readonly BadPart[] }): ReactNode {
  const words = useWords();
  return (
    <section className="failure" role="alert">
      <h1>{words('queue.badFilter')}</h1>
      <p>{words('queue.badFilterWhy')}</p>
      <ul>
        {parts.map(({ name, why }) => (
          <li key={name}>
            <code>{name}</code>: <span>{why}</span>
          </li>
        ))}
      </ul>
      <p className="actions">
        <Link to="/queue" className="button" data-main>
          {words('queue.whole')}
        </Link>
      </p>
    </section>
  );
}
