import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure, sentenceOf } from '../app/failures.js';
import { useTitle } from '../app/title.js';
import { useWords } from '../words/words.js';
import { Compare } from './rule-list.js';
import { differenceQuery, isPolicy, policyListQuery, ruleListQuery } from './rules-reads.js';
import './rules.css';

/**
 * What differs between two rule documents, or between two review policies. An address without both
 * leads to where they are chosen.
 */
export function DifferenceScreen(): ReactNode {
  const { from, to }: Readonly<Record<string, string>> = useSearch({ strict: false });
  return from && to ? <Difference {...{ from, to }} /> : <Navigate to="/rules" replace />;
}

interface Compared {
  readonly from: string;
  readonly to: string;
}

/** What differs between two documents, in words. */
function Difference({ from, to }: Compared): ReactNode {
  const words = useWords();
  useTitle(words('rules.difference'));
  const { data, error, refetch } = useQuery(differenceQuery(from, to));
  if (error && !data)
    return (
      <Failure
        title={words('rules.notCompared')}
        why={sentenceOf(error, words)}
        again={() => void refetch()}
      />
    );
  if (!data) return <p role="status">{words('shell.loading')}</p>;
  return (
    <article className="rules-page">
      <h1>
        <Name of={data.from} /> → <Name of={data.to} />
      </h1>
      {data.differences.length === 0 ? (
        <p>{words('rules.noDifference')}</p>
      ) : (
        <>
          <p className="muted">{words('rules.arrow')}</p>
          <ul className="rules-differences panel" lang="en">
            {data.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        </>
      )}
      <Others from={data.from} to={data.to} />
    </article>
  );
}

function Name({ of }: { readonly of: string }): ReactNode {
  return isPolicy(of) ? (
    <Link to="/rules/policy" search={{ ref: of }}>
      {of}
    </Link>
  ) : (
    <Link to="/rules/$ref" params={{ ref: of }} search={{}}>
      {of}
    </Link>
  );
}

/** Chooses two others of the same kind. */
function Others({ from, to }: Compared): ReactNode {
  const rules = useQuery({ ...ruleListQuery, enabled: !isPolicy(from) });
  const policies = useQuery({ ...policyListQuery, enabled: isPolicy(from) });
  const items = isPolicy(from) ? policies.data?.items : rules.data?.items;
  const refs = items?.map(({ ref }) => ref);
  return refs && <Compare key={`${from} ${to}`} {...{ refs, from, to }} />;
}
