import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { Button } from '../controls/button.js';
import { notify } from '../controls/notices.js';
import { SessionList } from '../people/session-list.js';
import { useWords } from '../words/words.js';

/** The key of the query for the own sessions. */
export const sessionsKey = ['me', 'sessions'] as const;

/** Lists the own sessions, and ends others of them. */
export function SessionsPanel(): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/me/sessions', { signal })),
  });
  const end = async (ids: readonly string[]): Promise<void> => {
    try {
      for (const id of ids)
        await dataOf(api.DELETE('/v1/me/sessions/{id}', { params: { path: { id } } }));
    } catch (cause) {
      notify({ text: sentenceOf(cause, words) });
    }
    await client.invalidateQueries({ queryKey: sessionsKey });
  };
  const others = data?.items.filter(({ current }) => !current) ?? [];
  return (
    <section className="panel settings-panel" aria-labelledby="settings-sessions">
      <h2 id="settings-sessions">{words('settings.sessions')}</h2>
      {data && <SessionList sessions={data.items} onEnd={(id) => void end([id])} />}
      {!data && !error && <p role="status">{words('shell.loading')}</p>}
      {error && (
        <p role="alert">
          {sentenceOf(error, words)}{' '}
          <Button onPress={() => void refetch()}>{words('shell.again')}</Button>
        </p>
      )}
      {others.length > 1 && (
        <Button onPress={() => void end(others.map(({ id }) => id))}>
          {words('settings.endOthers')}
        </Button>
      )}
    </section>
  );
}
