import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { ScreenFailed } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { useWords } from '../words/words.js';
import './evidence.css';
import { exportsQuery } from './export-queries.js';
import { ExportsTable } from './exports-table.js';
import { NewPackageSheet } from './new-package-sheet.js';

/**
 * The evidence packages that were asked for, and where to ask for one. `?new=` with a kind and its
 * fields opens the form with them, so that a finding or a shoe can lead here.
 */
export function EvidenceScreen(): ReactNode {
  const words = useWords();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(exportsQuery);
  useTitle(words('shell.evidence'));
  const show = (next: Search): void =>
    void navigate({ to: '/evidence', search: next, replace: true });
  if (error && !data) return <ScreenFailed error={error} reset={() => void refetch()} />;
  if (!data) return <p role="status">{words('shell.loading')}</p>;
  return (
    <>
      <div className="people-head">
        <h1>{words('shell.evidence')}</h1>
        <Button main onPress={() => show({ new: 'table' })}>
          {words('evidence.new')}
        </Button>
      </div>
      <p>{words('evidence.why')}</p>
      <p className="muted">{words('evidence.how')}</p>
      {data.items.length === 0 ? (
        <p>{words('evidence.none')}</p>
      ) : (
        <ExportsTable exports={data.items} />
      )}
      {search['new'] !== undefined && (
        <NewPackageSheet asked={search} onClose={() => show({})} key={search['new']} />
      )}
    </>
  );
}
