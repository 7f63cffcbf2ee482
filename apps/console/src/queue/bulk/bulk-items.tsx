import type { ReactNode } from 'react';
import type { BulkAnswer } from '../../review/bulk.js';
import { useWords, type Words } from '../../words/words.js';
import type { Row } from '../list/rows.js';
import { Severity } from '../filter/severity.js';
import { shown } from '../../words/shown.js';

type Item = BulkAnswer['items'][number];

interface Props {
  readonly rows: readonly Row[];
  readonly items: readonly Item[];
  /** Whether it has happened, or only would. */
  readonly isDone: boolean;
}

/** What would happen to each finding, or has happened. */
export function BulkItems({ rows, items, isDone }: Props): ReactNode {
  const words = useWords();
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={words('queue.outcomes')}>
      <table className="queue-outcomes">
        <thead>
          <tr>
            <th scope="col">{words('queue.finding')}</th>
            <th scope="col">{words('queue.table')}</th>
            <th scope="col">{words(isDone ? 'queue.happened' : 'queue.wouldHappen')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => {
            const row = rowOf.get(item.finding);
            return (
              <tr key={item.finding} data-outcome={item.outcome}>
                <td>
                  {row && <Severity of={row.severity} />} {row?.code ?? item.finding}
                </td>
                <td>
                  <bdi>{row && shown(row.table)}</bdi>
                  {row?.coup !== undefined && <> · {words('queue.coup', { coup: row.coup })}</>}
                </td>
                <td>{outcomeIn(words, item, isDone)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function outcomeIn(words: Words, { outcome, review }: Item, isDone: boolean): string {
  switch (outcome) {
    case 'taken':
      if (!isDone) return words('queue.bulk.fits');
      return words(review?.state === 'ruled' ? 'queue.bulk.ruled' : 'queue.bulk.proposed');
    case 'pending':
    case 'not-found':
      return words(`queue.bulk.${outcome}`);
    default:
      return words(`refusal.${outcome}`);
  }
}
