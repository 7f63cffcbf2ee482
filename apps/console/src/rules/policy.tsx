import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure, ReadFailed, rolesIn, sentenceOf } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { type Policy, policyQuery } from '../review/policy.js';
import { useFormats } from '../words/formats.js';
import { useSpoken, useWords } from '../words/words.js';
import { Compare } from './rule-list.js';
import { Fact } from './facts.js';
import { policyListQuery } from './rules-reads.js';
import './rules.css';

/** The review policy in force, or the one that the address names: who may do what, until when. */
export function PolicyScreen(): ReactNode {
  const words = useWords();
  useTitle(words('rules.policy'));
  const { ref: asked }: { readonly ref?: string } = useSearch({ strict: false });
  const list = useQuery(policyListQuery);
  const inForce = list.data?.items.find((policy) => policy.inForce)?.ref;
  const ref = asked ?? inForce ?? '';
  const policy = useQuery({ ...policyQuery(ref), enabled: ref !== '' });
  const error = list.error ?? policy.error;
  const again = () => void Promise.all([list.refetch(), policy.refetch()]);
  if (!policy.data || !list.data)
    return error ? (
      <Failure
        title={words('rules.notShown', { ref })}
        why={sentenceOf(error, words)}
        again={again}
      />
    ) : (
      <p role="status">{words('shell.loading')}</p>
    );
  const refs = list.data.items.map((each) => each.ref);
  return (
    <>
      {error && <ReadFailed {...{ error, again }} />}
      <Whole reference={ref} isInForce={ref === inForce} policy={policy.data} refs={refs} />
    </>
  );
}

interface WholeProps extends Shown {
  readonly reference: string;
  readonly isInForce: boolean;
  /** All that are installed. */
  readonly refs: readonly string[];
}

function Whole({ reference, isInForce, policy, refs }: WholeProps): ReactNode {
  const words = useWords();
  return (
    <article className="rules-page">
      <header className="rules-head">
        <h1>
          {reference} <span lang="en">{policy.title}</span>
        </h1>
        {isInForce ? (
          <strong>{words('rules.inForce')}</strong>
        ) : (
          <Link to="/rules/policy" search={{}}>
            {words('rules.policyInForce')}
          </Link>
        )}
      </header>
      <Persons policy={policy} />
      <Times policy={policy} />
      <Dispositions policy={policy} />
      <Compare key={reference} refs={refs} from={reference} />
    </article>
  );
}

interface Shown {
  readonly policy: Policy;
}

function Persons({ policy: { may, two, undo } }: Shown): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const duration = useDuration();
  const amounts = Object.entries(two.from).map(([currency, amount]) =>
    formats.money(amount, currency),
  );
  const none = words('rules.none');
  return (
    <>
      <h2>{words('rules.whoMay')}</h2>
      <dl className="rules-facts">
        {(['propose', 'sign', 'reopen'] as const).map((what) => (
          <Fact key={what} name={words(`rules.${what}`)}>
            {rolesIn(words, may[what])}
            {what === 'reopen' && ` ${words('rules.undo', { time: duration(undo) })}`}
          </Fact>
        ))}
      </dl>
      <h2>{words('rules.two')}</h2>
      <dl className="rules-facts">
        <Fact name={words('rules.severities')}>{two.severities.join(', ') || none}</Fact>
        <Fact name={words('rules.codes')}>{two.codes.join(', ') || none}</Fact>
        <Fact name={words('rules.dispositions')}>
          {two.dispositions.map((code) => words(`disposition.${code}`)).join(', ') || none}
        </Fact>
        <Fact name={words('rules.amounts')}>
          {amounts.length === 0
            ? words('rules.anyAmount')
            : words('rules.amountsFrom', { amounts: amounts.join(', ') })}
        </Fact>
      </dl>
    </>
  );
}

function Times({ policy: { due, lease, video } }: Shown): ReactNode {
  const words = useWords();
  const duration = useDuration();
  return (
    <>
      <h2>{words('rules.time')}</h2>
      <dl className="rules-facts">
        {Object.entries(due).map(([severity, seconds]) => (
          <Fact key={severity} name={words('rules.severity', { severity })}>
            {words('rules.dueWithin', { time: duration(seconds) })}
          </Fact>
        ))}
        <Fact name={words('rules.claim')}>{words('rules.lasts', { time: duration(lease) })}</Fact>
        <Fact name={words('rules.video')}>
          {words('rules.videoKept', {
            kept: duration(video.kept),
            before: duration(video.before),
            after: duration(video.after),
          })}
        </Fact>
      </dl>
    </>
  );
}

function Dispositions({ policy: { dispositions } }: Shown): ReactNode {
  const words = useWords();
  return (
    <>
      <h2>{words('rules.dispositions')}</h2>
      <div
        className="scroll rules-scroll"
        tabIndex={0}
        role="group"
        aria-label={words('rules.dispositions')}
      >
        <table className="rules-table">
          <thead>
            <tr>
              <th scope="col">{words('rules.code')}</th>
              <th scope="col">{words('rules.needs')}</th>
              <th scope="col">{words('rules.counts')}</th>
            </tr>
          </thead>
          <tbody>
            {dispositions.map(({ code, needs, counts }) => (
              <tr key={code}>
                <th scope="row">
                  {words(`disposition.${code}`)} <code className="muted">{code}</code>
                </th>
                <td>{needs.map((need) => words(`rules.needs.${need}`)).join(', ')}</td>
                <td>{words(counts ? 'rules.yes' : 'rules.no')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns how to write seconds in the largest unit that fits: `2 hours`. */
function useDuration(): (seconds: number) => string {
  const { locale } = useSpoken();
  return (seconds) => {
    const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1];
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(seconds / length);
  };
}
