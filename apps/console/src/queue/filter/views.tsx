import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type SyntheticEvent, type ReactNode, useState } from 'react';
import { api, dataOf, Refused } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { type Search, writeSearch } from '../../app/address.js';
import { sentenceOf } from '../../app/failures.js';
import { useMay } from '../../app/session/me.js';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import { notify } from '../../controls/notices.js';
import { Sheet } from '../../controls/sheet.js';
import { useFormats } from '../../words/formats.js';
import { useWords, type Words } from '../../words/words.js';
import { filterIn, type QueueFilter } from './filter.js';
import { useFacets } from '../list/use-queue.js';

const NAME_LENGTH_MAX = 80;
const WORST: QueueFilter = {};
const MINE: QueueFilter = { mine: 'true' };
/** What others have proposed. */
const TO_SIGN: QueueFilter = { review: 'proposed', mine: 'false' };
/** What loses its video within a day. */
const VIDEO_SOON: QueueFilter = { videoHours: '24' };

const viewsQuery = queryOptions({
  queryKey: ['queue', 'views'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/me/views', { signal })),
});

interface Props {
  readonly filter: QueueFilter;
  /** The saved view that the address names. */
  readonly view: string | undefined;
  /** Whether the queues are counted. Until then the server has the rows to read. */
  readonly isCounted: boolean;
}

/** The queues that everybody has, and those that this person saved. */
export function Views({ filter, view, isCounted }: Props): ReactNode {
  const words = useWords();
  const mayArrange = useMay('arrange-screens');
  const { data } = useQuery({ ...viewsQuery, enabled: mayArrange });
  const mine = useFacets(MINE, isCounted).data?.total;
  const toSign = useFacets(TO_SIGN, isCounted).data?.total;
  const videoSoon = useFacets(VIDEO_SOON, isCounted).data?.total;
  const shown: Search = { ...filter, ...(view !== undefined && { view }) };
  const isMine = data?.items.some(({ name }) => name === view);
  return (
    <nav className="queue-views" aria-label={words('queue.views')}>
      <View name={words('queue.worst')} search={WORST} shown={shown} />
      <View name={words('queue.mine')} search={MINE} shown={shown} count={mine} />
      <View name={words('queue.toSign')} search={TO_SIGN} shown={shown} count={toSign} />
      <View name={words('queue.videoSoon')} search={VIDEO_SOON} shown={shown} count={videoSoon} />
      {(data?.items ?? []).map(({ name, view: saved }) =>
        isOfQueue(saved) ? (
          <View
            key={name}
            name={name}
            search={{ ...filterIn(saved.search), view: name }}
            shown={shown}
          />
        ) : null,
      )}
      {mayArrange && <Save filter={filter} />}
      {view !== undefined && isMine === true && <Delete {...{ view, filter }} />}
      {view !== undefined && isMine === false && <NoSuchView view={view} />}
    </nav>
  );
}

/** The server keeps what the console sends, and reads nothing of it. */
const isOfQueue = (view: object): view is { readonly search: Search } =>
  'screen' in view &&
  view.screen === 'queue' &&
  'search' in view &&
  typeof view.search === 'object' &&
  view.search !== null &&
  Object.values(view.search).every((value) => typeof value === 'string');

interface ViewProps {
  readonly name: string;
  readonly search: Search;
  /** What the address says now, but for the finding that is open. */
  readonly shown: Search;
  readonly count?: number | undefined;
}

function View({ name, search, shown, count }: ViewProps): ReactNode {
  const formats = useFormats();
  return (
    <Link
      to="/queue"
      search={search}
      className="queue-view"
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={writeSearch(search) === writeSearch(shown) ? 'page' : undefined}
    >
      <bdi>{name}</bdi>
      {count !== undefined && <span className="queue-count">{formats.number(count)}</span>}
    </Link>
  );
}

/** Says that a view is not one of this person's: it was deleted, or the address is another's. */
function NoSuchView({ view }: { readonly view: string }): ReactNode {
  const words = useWords();
  return (
    <p role="status">
      {words('queue.noSuchView', { view })} <Link to="/queue">{words('queue.whole')}</Link>
    </p>
  );
}

function Save({ filter }: { readonly filter: QueueFilter }): ReactNode {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button className="queue-view" onPress={() => setOpen(true)}>
        + {words('queue.saveView')}
      </Button>
      <Sheet title={words('queue.saveView')} isOpen={isOpen} onClose={close}>
        <SaveForm filter={filter} onClose={close} />
      </Sheet>
    </>
  );
}

interface FormProps {
  readonly filter: QueueFilter;
  readonly onClose: () => void;
}

function SaveForm({ filter, onClose }: FormProps): ReactNode {
  const words = useWords();
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name.trim() === '') setError(words('queue.viewNeedsName'));
    else
      saveView(name.trim(), filter).then(onClose, (problem: unknown) =>
        setError(faultOf(problem) ?? sentenceOf(problem, words)),
      );
  };
  return (
    <form className="queue-form" onSubmit={save}>
      <Field
        label={words('queue.viewName')}
        hint={words('queue.viewHint')}
        value={name}
        onChange={setName}
        error={error}
        maxLength={NAME_LENGTH_MAX}
        autoFocus
      />
      <p className="actions">
        <Button type="submit" main>
          {words('queue.save')}
        </Button>
        <Button onPress={onClose}>{words('shell.cancel')}</Button>
      </p>
    </form>
  );
}

/** Returns what is wrong with the name. */
const faultOf = (problem: unknown): string | undefined =>
  problem instanceof Refused ? problem.faultAt('/name') : undefined;

async function saveView(name: string, filter: QueueFilter): Promise<void> {
  const body: object = { screen: 'queue', search: filter };
  await dataOf(
    api.PUT('/v1/me/views/{name}', {
      params: { path: { name } },
      body: body as Record<string, never>,
    }),
  );
  await queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
}

interface DeleteProps extends Pick<Props, 'filter'> {
  readonly view: string;
}

/** Deletes the view. The list stays as it is. */
function Delete({ view, filter }: DeleteProps): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const run = async (): Promise<void> => {
    if (!(await deleteView(view, words))) return;
    await navigate({ to: '/queue', search: filter, replace: true });
    await queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
  };
  return (
    <Button className="queue-view" onPress={() => void run()}>
      {words('queue.deleteView')}
    </Button>
  );
}

/** Deletes a view. Returns whether it is gone, and says why it is not. */
async function deleteView(name: string, words: Words): Promise<boolean> {
  try {
    await dataOf(api.DELETE('/v1/me/views/{name}', { params: { path: { name } } }));
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404)) {
      notify({ text: sentenceOf(error, words) });
      return false;
    }
  }
  return true;
}
