import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Answers, api, dataOf } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords, type Words } from '../words/words.js';
import { Said, VideoLink } from './said.js';
import type { Whole } from './coup/whole.js';

type Act = Answers['ActAnswer'];

const FIRST_PAGE = 50;
/** The first of these pages has the acts that are shown already, and older ones. */
const OLDER_PAGE = 200;

/** Who claimed, commented, ruled, signed, was refused and why; the newest first. */
export function History({ whole }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { finding, history } = whole;
  const older = useOlder(finding.id, history);
  return (
    <section className="panel history">
      <h2>{words('finding.history')}</h2>
      <ol>
        {[...history, ...older.acts].map((act) => (
          <li key={act.ref} data-refused={act.outcome !== 'taken' || undefined}>
            <ActLine act={act} currency={whole.currency ?? undefined} />
          </li>
        ))}
        {older.isWhole && (
          <li>
            {words('finding.raisedAt', { time: formats.dateTime(finding.raisedAt ?? finding.at) })}
          </li>
        )}
      </ol>
      {finding.withdrawnBecause !== null && (
        <p>
          {words('finding.withdrawnBy')} <Said>{finding.withdrawnBecause}</Said>
        </p>
      )}
      {older.error !== null && <p role="alert">{sentenceOf(older.error, words)}</p>}
      {!older.isWhole && (
        <Button isPending={older.isLoading} onPress={older.load}>
          {words('finding.older')}
        </Button>
      )}
    </section>
  );
}

/** The acts before the last 50, page by page. */
function useOlder(id: string, history: readonly Act[]) {
  const isLong = history.length >= FIRST_PAGE;
  const pages = useInfiniteQuery({
    queryKey: ['finding', id, 'history'],
    enabled: false,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/v1/findings/{id}/history', {
          params: {
            path: { id },
            query: {
              order: 'newest',
              limit: OLDER_PAGE,
              ...(pageParam !== undefined && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const known = new Set(history.map(({ ref }) => ref));
  const lines = pages.data?.pages.flatMap((page) => page.lines) ?? [];
  return {
    acts: lines.filter(({ ref }) => !known.has(ref)),
    isWhole: !isLong || (pages.data !== undefined && !pages.hasNextPage),
    isLoading: pages.isFetching,
    error: pages.error,
    load: () => void (pages.data ? pages.fetchNextPage() : pages.refetch()),
  };
}

interface LineProps {
  readonly act: Act;
  readonly currency: string | undefined;
}

function ActLine({ act, currency }: LineProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  return (
    <>
      <div>
        <strong>
          <Said>{act.by}</Said>
        </strong>{' '}
        ({words(`role.${act.as}`)}) {words(`did.${act.type}`)}{' '}
        <time className="muted" dateTime={act.at}>
          {formats.dateTime(act.at)}
        </time>
      </div>
      {act.outcome !== 'taken' && (
        <div className="history-refused">
          ✗ {words('finding.tookNoEffect', { reason: words(`reason.${act.outcome}`) })}
        </div>
      )}
      {act.concealed && <div className="muted">{words('disposition.concealed')}</div>}
      <ActData data={act.data} currency={currency} />
    </>
  );
}

interface DataProps extends Pick<LineProps, 'currency'> {
  readonly data: Act['data'];
}

const TEXTS = ['text', 'note', 'reason', 'camera', 'request'] as const;
const TIMES = ['from', 'to', 'until'] as const;

/** What an act says, field by field. */
export function ActData({ data, currency }: DataProps): ReactNode {
  const words = useWords();
  const { dateTime } = useFormats();
  // a hold names a time in the same field
  const role = words.find(`role.${textOf(data['to'])}`);
  return (
    <>
      <Decided data={data} currency={currency} />
      {TEXTS.map((name) => textOf(data[name])).map(
        (text, i) =>
          text && (
            <div key={i} className="history-text">
              <Said>{text}</Said>
            </div>
          ),
      )}
      {textOf(data['video']) && (
        <div className="history-text">
          <VideoLink>{textOf(data['video'])}</VideoLink>
        </div>
      )}
      {role && <div>→ {role}</div>}
      {!role &&
        TIMES.filter((name) => !Number.isNaN(Date.parse(textOf(data[name])))).map((name) => (
          <div key={name} className="muted">
            {words(`field.${name}`)}: {dateTime(textOf(data[name]))}
          </div>
        ))}
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The disposition of a proposal, with its amount and in whose favor it is. */
function Decided({ data, currency }: DataProps): ReactNode {
  const words = useWords();
  const { money } = useFormats();
  const { disposition, amount, favours } = data;
  if (typeof disposition !== 'string') return null;
  return (
    <div>
      <strong>{dispositionIn(words, disposition)}</strong>
      {typeof amount === 'number' && currency !== undefined && ` · ${money(amount, currency)} `}
      {(favours === 'house' || favours === 'patron') &&
        words('finding.inFavor', { who: words(`favours.${favours}`) })}
    </div>
  );
}

/** Returns a disposition in words. Null is one that is concealed from those who were involved. */
export const dispositionIn = (words: Words, code: string | null): string =>
  words.find(`disposition.${code ?? 'concealed'}`) ?? String(code);
