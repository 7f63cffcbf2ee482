import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../api/client.js';
import { sentenceOf } from '../../app/failures.js';
import { notify } from '../../controls/notices.js';
import { useWords } from '../../words/words.js';
import { sessionsOf } from './account-queries.js';
import { FormError } from '../form-error.js';
import { SessionList } from '../session-list.js';

/** Lists the sessions of an account, and ends them. */
export function AccountSessions({ name }: { readonly name: string }): ReactNode {
  const words = useWords();
  const client = useQueryClient();
  const { data, error } = useQuery(sessionsOf(name));
  const end = async (id: string): Promise<void> => {
    const params = { path: { name, id } };
    await dataOf(api.DELETE('/v1/accounts/{name}/sessions/{id}', { params })).catch(
      (cause: unknown) => notify({ text: sentenceOf(cause, words) }),
    );
    await client.invalidateQueries({ queryKey: sessionsOf(name).queryKey });
  };
  return (
    <section className="people-form">
      <h3>{words('settings.sessions')}</h3>
      {data?.items.length === 0 && <p>{words('people.noSessions')}</p>}
      {data && <SessionList sessions={data.items} onEnd={(id) => void end(id)} />}
      <FormError error={error ?? undefined} />
    </section>
  );
}
