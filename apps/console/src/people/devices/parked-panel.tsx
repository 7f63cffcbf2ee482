import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answers, api, dataOf } from '../../api/client.js';
import { useMay } from '../../app/session/me.js';
import { useSubmit } from '../../app/submit.js';
import { Button } from '../../controls/button.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { FormError } from '../form-error.js';
import { parkedQuery } from './key-queries.js';
import { shown } from '../../words/shown.js';

/** The tables that are parked, if there are any, with the means to decide about them. */
export function ParkedPanel(): ReactNode {
  const words = useWords();
  const { data, error } = useQuery(parkedQuery);
  if (!data || data.items.length === 0) return error && <FormError error={error} />;
  return (
    <section className="panel people-grants" aria-labelledby="devices-parked">
      <h2 id="devices-parked">{words('devices.parked', { count: data.items.length })}</h2>
      <p>{words('devices.parkedWhy')}</p>
      <ul>
        {data.items.map((parked) => (
          <Parked key={parked.table} parked={parked} />
        ))}
      </ul>
      {error && <FormError error={error} />}
    </section>
  );
}

function Parked({ parked }: { readonly parked: Answers['ParkedTableAnswer'] }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const client = useQueryClient();
  const mayDecide = useMay('release-parked');
  const { table, reason, parkedAt, asked, askedBy } = parked;
  const params = { path: { table } };
  const decided = () => client.invalidateQueries({ queryKey: parkedQuery.queryKey });
  const retry = useSubmit(async () => {
    await dataOf(api.POST('/v1/parked/{table}/retry', { params }));
    await decided();
  });
  const release = useSubmit(async () => {
    await dataOf(api.POST('/v1/parked/{table}/release', { params }));
    await decided();
  });
  return (
    <li>
      <p>
        <strong>{shown(table)}</strong>{' '}
        {words('devices.parkedSince', { time: formats.dateTime(parkedAt) })}{' '}
        <span lang="en">{reason}</span>
      </p>
      {asked !== null && (
        <p role="status">
          {words(asked === 'retry' ? 'devices.retryAsked' : 'devices.releaseAsked', {
            by: askedBy?.replace(/^[^/]*\//, '') ?? '',
          })}
        </p>
      )}
      {mayDecide && (
        <div className="actions">
          <form onSubmit={retry.onSubmit}>
            <Button type="submit" isPending={retry.isBusy}>
              {words('devices.retry')}
            </Button>
          </form>
          <form onSubmit={release.onSubmit}>
            <Button type="submit" isPending={release.isBusy}>
              {words('devices.release')}
            </Button>
          </form>
        </div>
      )}
      <FormError error={retry.error ?? release.error} />
    </li>
  );
}
