import { type ReactNode, useId } from 'react';
import type { Answers } from '../../api/client.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';

interface Props {
  readonly passed: readonly Answers['PassedRecordAnswer'][];
}

/** Says which records of the log cannot be read and were passed, who decided so, and why. */
export function PassedRecords({ passed }: Props): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const title = useId();
  if (passed.length === 0) return null;
  return (
    <section className="report-passed" role="note" aria-labelledby={title}>
      <p id={title}>{words('reports.passedRecords', { count: passed.length })}</p>
      <ul>
        {passed.map(({ partition, offset, sha256, passedBy, passedAt, reason }) => (
          <li key={`${partition}:${offset}`}>
            {words('reports.passedRecord', {
              partition: String(partition),
              offset: String(offset),
              by: passedBy.replace(/^[^/]*\//, ''),
              time: formats.dateTime(passedAt),
            })}{' '}
            <q>{reason}</q> <code>SHA-256 {sha256}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
