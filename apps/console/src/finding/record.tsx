import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, dataOf, Refused, serverPath } from '../api/client.js';
import { sentenceOf } from '../app/failures.js';
import { useMay } from '../app/session/me.js';
import { Button } from '../controls/button.js';
import { Sheet } from '../controls/sheet.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import type { Whole } from './coup/whole.js';

const LINES_MAX = 500;

/**
 * The query for the exact lines of a finding's evidence, without the stamps of the server: all, or
 * those that came to the log after an act.
 */
export const recordQuery = (id: string, evidence: string | null, after?: string) => ({
  queryKey: ['finding', id, 'record', evidence, after ?? ''],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string[]> => {
    const text = await dataOf(
      api.GET('/v1/findings/{id}/record', {
        params: { path: { id }, query: { stamps: 'off', ...(after !== undefined && { after }) } },
        parseAs: 'text',
        signal,
      }),
    );
    return text.split('\n').filter((line) => line !== '');
  },
});

/** The SHA-256 of the evidence, and the exact lines that it is made of, in a drawer. */
export function Record({ whole }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const mayExport = useMay('export-evidence');
  const [isOpen, setOpen] = useState(false);
  const { evidence } = whole.review;
  return (
    <section className="panel">
      <h2>{words('finding.evidence')}</h2>
      <p>
        {evidence === null ? (
          words('finding.noEvidence')
        ) : (
          <>
            SHA-256 <code>{evidence}</code>
          </>
        )}
      </p>
      <div className="actions no-print">
        <Button onPress={() => setOpen(true)}>{words('finding.record')}</Button>
        {mayExport && (
          <Link
            to="/evidence"
            search={{ new: 'finding', finding: whole.finding.id }}
            className="button"
          >
            {words('evidence.ofThis')}
          </Link>
        )}
      </div>
      <Sheet title={words('finding.record')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Lines whole={whole} />
        <p className="actions">
          <Button onPress={() => setOpen(false)}>{words('shell.close')}</Button>
        </p>
      </Sheet>
    </section>
  );
}

function Lines({ whole: { finding, review } }: { readonly whole: Whole }): ReactNode {
  const words = useWords();
  const { number } = useFormats();
  const { data, error, refetch } = useQuery(recordQuery(finding.id, review.evidence));
  if (error instanceof Refused && error.is === 'conflict')
    return <p>{words('finding.noEvidence')}</p>;
  if (error && !data)
    return (
      <p role="alert">
        {sentenceOf(error, words)}{' '}
        <Button onPress={() => void refetch()}>{words('shell.again')}</Button>
      </p>
    );
  if (!data) return <p role="status">{words('shell.loading')}</p>;
  return (
    <>
      <p>
        {words('finding.recordWhy')}{' '}
        <a
          href={`${serverPath}/v1/findings/${encodeURIComponent(finding.id)}/record?stamps=off`}
          download={`${finding.id}.ndjson`}
        >
          {words('finding.download')}
        </a>
      </p>
      {data.length > LINES_MAX && (
        <p>{words('finding.recordCut', { shown: number(LINES_MAX), all: number(data.length) })}</p>
      )}
      <ol className="record-lines" lang="en">
        {data.slice(0, LINES_MAX).map((line, i) => (
          <li key={i}>
            <code>
              <bdi className="finding-said">{line}</bdi>
            </code>
          </li>
        ))}
      </ol>
    </>
  );
}
