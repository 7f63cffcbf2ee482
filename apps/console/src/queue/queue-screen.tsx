import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Refused } from '../api/client.js';
import type { Search } from '../app/address.js';
import { ScreenFailed, sentenceOf } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { Beside } from './beside.js';
import { BadFilter, refusedParts } from './filter/bad-filter.js';
import { filterIn, type QueueFilter, unknownIn } from './filter/filter.js';
import { Filters, Order } from './filter/filters.js';
import { QueueList } from './list/list.js';
import './queue.css';
import { Search as SearchBox } from './filter/search.js';
import { readAhead as readRowsAhead, useFacets, useQueue } from './list/use-queue.js';
import { Views } from './filter/views.js';

/** Begins to read what the queue shows at an address, before its screen is there. */
export function readAhead(search: Search): void {
  if (unknownIn(search).length === 0) readRowsAhead(filterIn(search));
}

/** The findings that wait for a ruling: the gravest first, then the oldest. */
export function QueueScreen(): ReactNode {
  const words = useWords();
  useTitle(words('shell.queue'));
  useFindingAhead();
  const search: Search = useSearch({ strict: false });
  const unknown = unknownIn(search);
  if (unknown.length > 0)
    return (
      <BadFilter parts={unknown.map((name) => ({ name, why: words('queue.noSuchFilter') }))} />
    );
  return (
    <div className="queue-page">
      <Queue search={search} />
      <Beside search={search} />
    </div>
  );
}

/** How long the queue has the connection for itself. */
const AHEAD_MS = 1_000;

/** Loads the screen of a finding, which is opened next, once the queue has been shown. */
function useFindingAhead(): void {
  useEffect(() => {
    // what fails here is loaded again, and shown, when a finding is opened
    const load = (): void => void import('../finding/finding-screen.js').catch(() => undefined);
    const timer = setTimeout(load, AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);
}

function Queue({ search }: { readonly search: Search }): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const filter = filterIn(search);
  const { data: rows, error, refetch } = useQueue(filter);
  const counted = useFacets(filter);
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<{ focus: () => void }>(null);
  const [isUnfolded, setUnfolded] = useState(false);
  if (error instanceof Refused && error.is === 'invalid-request')
    return <BadFilter parts={refusedParts(error)} />;
  if (error && !rows) return <ScreenFailed error={error} reset={() => void refetch()} />;
  const onFilter = (next: QueueFilter): void => void navigate({ to: '/queue', search: next });
  return (
    <section className="queue" data-unfolded={isUnfolded || undefined}>
      <h1 className="only-spoken">{words('shell.queue')}</h1>
      <div className="queue-head">
        <Fold {...{ filter, isUnfolded }} onChange={setUnfolded} />
        <Views filter={filter} view={search['view']} isCounted={rows !== undefined} />
        <SearchBox {...{ filter, onFilter }} input={box} onLeave={() => list.current?.focus()} />
        <Order {...{ filter, onFilter }} />
      </div>
      <Filters {...{ filter, onFilter }} facets={counted.data} />
      {counted.error && <NotCounted error={counted.error} again={() => void counted.refetch()} />}
      {rows ? (
        <QueueList
          key={JSON.stringify(filter)}
          ref={list}
          {...{ rows, filter, search }}
          total={totalOf(counted)}
          onSearch={() => box.current?.focus()}
        />
      ) : (
        <p role="status" className="queue-empty">
          {words('shell.loading')}
        </p>
      )}
    </section>
  );
}

interface FoldProps {
  readonly filter: QueueFilter;
  readonly isUnfolded: boolean;
  readonly onChange: (isUnfolded: boolean) => void;
}

/** Where the window is narrow, shows and hides views and filters: the list comes first there. */
function Fold({ filter, isUnfolded, onChange }: FoldProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { order, ...filters } = filter;
  const count = Object.values(filters).filter(Boolean).length;
  return (
    <Button
      className="queue-choice queue-fold"
      data-chosen={count > 0 || order !== undefined || undefined}
      aria-expanded={isUnfolded}
      onPress={() => onChange(!isUnfolded)}
    >
      {words('queue.views')} · {words('queue.filters')}{' '}
      {count > 0 && <span className="queue-count">{formats.number(count)}</span>}
      <span aria-hidden>{isUnfolded ? '▴' : '▾'}</span>
    </Button>
  );
}

/** Returns the count of this filter. While it is being read, the counts are those of another. */
const totalOf = ({ data, error, isPlaceholderData }: ReturnType<typeof useFacets>) =>
  error || isPlaceholderData ? undefined : data?.total;

interface NotCountedProps {
  readonly error: Error;
  readonly again: () => void;
}

function NotCounted({ error, again }: NotCountedProps): ReactNode {
  const words = useWords();
  return (
    <p role="alert" className="queue-error">
      {words('queue.notCounted', { why: sentenceOf(error, words) })}{' '}
      <Button onPress={again}>{words('shell.again')}</Button>
    </p>
  );
}
