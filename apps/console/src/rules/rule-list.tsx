import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type SyntheticEvent, type ReactNode, useId, useState } from 'react';
import type { Answers } from '../api/client.js';
import { ReadFailed, ScreenFailed, sentenceOf } from '../app/failures.js';
import { useMay } from '../app/session/me.js';
import { useTitle } from '../app/title.js';
import { Button } from '../controls/button.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { ruleListQuery, shoesByRulesQuery } from './rules-reads.js';
import './rules.css';

type Line = Answers['RulesAnswer']['items'][number];

/** The installed rule documents, how many shoes were dealt by each, and two to compare. */
export function RulesScreen(): ReactNode {
  const words = useWords();
  useTitle(words('rules.title'));
  const { data, error, refetch } = useQuery(ruleListQuery);
  const again = () => void refetch();
  if (!data)
    return error ? (
      <ScreenFailed error={error} reset={again} />
    ) : (
      <p role="status">{words('shell.loading')}</p>
    );
  return (
    <article className="rules-page">
      <header className="rules-head">
        <h1>{words('rules.title')}</h1>
        <Link to="/rules/policy" search={{}} className="button">
          {words('rules.policyInForce')}
        </Link>
      </header>
      {error && <ReadFailed {...{ error, again }} />}
      <DocumentTable lines={data.items} />
      <Compare refs={data.items.map(({ ref }) => ref)} />
    </article>
  );
}

function DocumentTable({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  const words = useWords();
  const seesShoes = useMay('report-shoes');
  return (
    <div
      className="scroll rules-scroll"
      tabIndex={0}
      role="group"
      aria-label={words('rules.title')}
    >
      <table className="rules-table">
        <thead>
          <tr>
            <th scope="col">{words('rules.document')}</th>
            <th scope="col">{words('rules.name')}</th>
            <th scope="col">{words('rules.game')}</th>
            <th scope="col">{words('rules.decks')}</th>
            {seesShoes && (
              <th scope="col" className="numeric">
                {words('rules.shoes')}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <DocumentRow key={line.ref} line={line} seesShoes={seesShoes} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly line: Line;
  readonly seesShoes: boolean;
}

const DocumentRow = ({ line: { ref, title, game, decks }, seesShoes }: RowProps): ReactNode => (
  <tr>
    <th scope="row">
      <Link to="/rules/$ref" params={{ ref }} search={{}}>
        {ref}
      </Link>
    </th>
    <td lang="en" className="rules-title">
      {title}
    </td>
    <td className="rules-short">{game.replaceAll('-', ' ')}</td>
    <td className="rules-decks">{decks.join(', ')}</td>
    {seesShoes && (
      <td className="numeric">
        <ShoesBy rules={ref} />
      </td>
    )}
  </tr>
);

/** How many shoes were dealt by a document. It leads to them. */
export function ShoesBy({ rules }: { readonly rules: string }): ReactNode {
  const formats = useFormats();
  const words = useWords();
  const query = shoesByRulesQuery(rules, useMay('report-shoes'));
  const { data: count, error } = useQuery(query);
  if (count === undefined) return error ? `– ${sentenceOf(error, words)}` : '…';
  const figure = <data value={count}>{formats.number(count)}</data>;
  if (count === 0) return figure;
  return (
    <Link
      to="/reports/$report"
      params={{ report: 'shoes' }}
      search={{ rules }}
      className="rules-count"
    >
      {figure}
    </Link>
  );
}

interface CompareProps {
  readonly refs: readonly string[];
  /** The document that is compared, if it is chosen already. */
  readonly from?: string;
  /** What it is compared with. */
  readonly to?: string;
}

/** Chooses two documents to compare. */
export function Compare({ refs, ...chosen }: CompareProps): ReactNode {
  const words = useWords();
  const navigate = useNavigate();
  const [from, setFrom] = useState(chosen.from ?? refs[0] ?? '');
  const [to, setTo] = useState(chosen.to ?? refs.find((ref) => ref !== from) ?? '');
  const compare = (event: SyntheticEvent): void => {
    event.preventDefault();
    void navigate({ to: '/rules/diff', search: { from, to } });
  };
  if (refs.length < 2) return <p className="muted">{words('rules.onlyOne')}</p>;
  return (
    <form className="rules-compare no-print" onSubmit={compare}>
      <Choice label={words('rules.from')} refs={refs} value={from} onChange={setFrom} />
      <Choice label={words('rules.to')} refs={refs} value={to} onChange={setTo} />
      <Button type="submit">{words('rules.compare')}</Button>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly refs: readonly string[];
  readonly value: string;
  readonly onChange: (ref: string) => void;
}

function Choice({ label, refs, value, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {refs.map((ref) => (
          <option key={ref}>{ref}</option>
        ))}
      </select>
    </div>
  );
}
