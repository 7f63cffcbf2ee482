import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import './people.css';

interface Props {
  readonly sessions: readonly Answers['SessionAnswer'][];
  readonly onEnd: (id: string) => void;
}

/** The sessions of an account. The one that asks ends by signing out. */
export function SessionList({ sessions, onEnd }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <ul className="people-sessions">
      {sessions.map(({ id, createdAt, lastUsedAt, expiresAt, current }) => (
        <li key={id}>
          <span>
            {words('people.sessionSince', { time: formats.dateTime(createdAt) })}
            <span className="muted">
              {words('people.sessionUsed', {
                ago: formats.ago(lastUsedAt),
                until: formats.dateTime(expiresAt),
              })}
            </span>
          </span>
          {current ? (
            <strong>{words('people.sessionCurrent')}</strong>
          ) : (
            <Button
              aria-label={words('people.sessionEndOf', { time: formats.dateTime(createdAt) })}
              onPress={() => onEnd(id)}
            >
              {words('people.sessionEnd')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
