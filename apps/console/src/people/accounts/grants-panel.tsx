import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { rolesIn } from '../../app/failures.js';
import { useMe } from '../../app/session/me.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { notify } from '../../controls/notices.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { accountsKey, grantsKey, grantsQuery } from './account-queries.js';
import { FormError } from '../form-error.js';
import { textOf } from '../names-list.js';

/** What waits for another administrator, with the means to confirm or refuse it. */
export function GrantsPanel(): ReactNode {
  const words = useWords();
  const { data, error } = useQuery(grantsQuery);
  if (!data || data.items.length === 0) return error && <FormError error={error} />;
  return (
    <section className="panel people-grants" aria-labelledby="people-grants">
      <h2 id="people-grants">{words('people.grants', { count: data.items.length })}</h2>
      <ul>
        {data.items.map((grant) => (
          <Grant key={grant.id} grant={grant} />
        ))}
      </ul>
      {error && <FormError error={error} />}
    </section>
  );
}

function Grant({ grant }: { readonly grant: Answers['GrantAnswer'] }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { id: me } = useMe();
  const client = useQueryClient();
  const isOwn = me === `person/${grant.askedBy}`;
  const params = { path: { id: grant.id } };
  const settled = async (text: string): Promise<void> => {
    notify({ text });
    await client.invalidateQueries({ queryKey: accountsKey });
    await client.invalidateQueries({ queryKey: grantsKey });
  };
  const name = grant.account;
  const confirm = useSubmit(async () => {
    await dataOf(api.POST('/v1/grants/{id}/confirm', { params }));
    await settled(words('people.confirmed', { name }));
  });
  const refuse = useSubmit(async () => {
    await dataOf(api.POST('/v1/grants/{id}/refuse', { params }));
    await settled(words('people.refused', { name }));
  });
  return (
    <li>
      <p>
        <strong>{name}</strong>:{' '}
        {words('people.grant', {
          roles: rolesIn(words, grant.roles),
          tables: textOf(grant.tables),
          by: grant.askedBy,
          until: formats.dateTime(grant.expiresAt),
        })}
      </p>
      <div className="actions">
        {isOwn ? (
          <span className="muted">{words('people.ownGrant')}</span>
        ) : (
          <form onSubmit={confirm.onSubmit}>
            <Button type="submit" main isPending={confirm.isBusy}>
              {words('people.confirm')}
            </Button>
          </form>
        )}
        <form onSubmit={refuse.onSubmit}>
          <Button type="submit" isPending={refuse.isBusy}>
            {words(isOwn ? 'people.withdraw' : 'people.refuse')}
          </Button>
        </form>
      </div>
      <FormError error={confirm.error ?? refuse.error} />
    </li>
  );
}
