import type { ReactNode } from 'react';
import type { RuleDocument } from '#baccarat';
import { useWords, type Words } from '../words/words.js';
import { Sources } from './facts.js';

type Irregularity = RuleDocument['irregularities'][number];

/** What a document prescribes about irregularities, and where its source says so. */
export function Irregularities({ document }: { readonly document: RuleDocument }): ReactNode {
  const words = useWords();
  const { irregularities, sources } = document;
  if (irregularities.length === 0) return <p>{words('rules.nothingPrescribed')}</p>;
  return (
    <div
      className="scroll rules-scroll"
      tabIndex={0}
      role="group"
      aria-label={words('rules.irregularities')}
    >
      <table className="rules-table">
        <thead>
          <tr>
            <th scope="col">{words('rules.codes')}</th>
            <th scope="col">{words('rules.when')}</th>
            <th scope="col">{words('rules.do')}</th>
            <th scope="col">{words('rules.source')}</th>
          </tr>
        </thead>
        <tbody>
          {irregularities.map((each, at) => (
            <tr key={at}>
              <th scope="row">{each.codes.join(', ')}</th>
              <td>{circumstancesIn(words, each)}</td>
              <td>{each.do.map((action) => words(`rules.do.${action}`)).join(' → ')}</td>
              <td lang="en">
                {sources[each.source]?.title ?? each.source}, {each.section}{' '}
                <Sources document={document} of={`/irregularities/${at}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function circumstancesIn(words: Words, { when }: Irregularity): string {
  if (!when) return words('rules.always');
  const { belongsTo, ...others } = when;
  const parts = Object.entries(others).map(([name, wanted]) =>
    words(`rules.when.${name as keyof typeof others}.${wanted ? 'yes' : 'no'}`),
  );
  return [...parts, ...(belongsTo ? [words(`rules.when.${belongsTo}`)] : [])].join('; ');
}
