import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf, serverPath } from '../api/client.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Copied } from '../controls/copied.js';
import { Sheet } from '../controls/sheet.js';
import { FormError } from '../people/form-error.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { type Export, exportsQuery, isUnderWay } from './export-queries.js';
import { scopeInWords } from './scope.js';

const HEADS = [
  'evidence.what',
  'evidence.recipient',
  'evidence.purpose',
  'evidence.asked',
  'evidence.state',
] as const;

/** The latest exports: what each shows, for whom and why, and what became of it. */
export function ExportsTable({ exports }: { readonly exports: readonly Export[] }): ReactNode {
  const words = useWords();
  const [shown, setShown] = useState<string>();
  const open = exports.find(({ id }) => id === shown);
  return (
    <>
      <div
        className="scroll people-scroll"
        tabIndex={0}
        role="region"
        aria-label={words('shell.evidence')}
      >
        <table className="people-table">
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col">
                  {words(head)}
                </th>
              ))}
              <th>
                <span className="only-spoken">{words('evidence.package')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {exports.map((each) => (
              <Row key={each.id} of={each} onOpen={() => setShown(each.id)} />
            ))}
          </tbody>
        </table>
      </div>
      {open && <PackageSheet of={open} onClose={() => setShown(undefined)} />}
    </>
  );
}

interface RowProps {
  readonly of: Export;
  readonly onOpen: () => void;
}

function Row({ of, onOpen }: RowProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const what = scopeInWords(of.scope, words, formats);
  return (
    <tr data-disabled={of.state === 'gone' || undefined}>
      <th scope="row">{what}</th>
      <td>{of.recipient}</td>
      <td>{of.purpose}</td>
      <td>
        {formats.dateTime(of.askedAt)}
        <span className="muted"> {of.askedBy.replace(/^[^/]*\//, '')}</span>
      </td>
      <td>
        <State of={of} />
      </td>
      <td className="evidence-acts">
        {of.package && of.state === 'made' && (
          <a
            className="button"
            href={`${serverPath}/v1/exports/${of.id}/package`}
            download
            aria-label={words('evidence.downloadOf', { what })}
          >
            {words('evidence.download')}
          </a>
        )}
        <Button aria-label={words('evidence.openOf', { what })} onPress={onOpen}>
          {words('evidence.open')}
        </Button>
      </td>
    </tr>
  );
}

/** What became of an export, or how far it is. */
function State({ of: { state, step, share, failure, package: made } }: { readonly of: Export }) {
  const words = useWords();
  const formats = useFormats();
  if (state === 'failed')
    return (
      <>
        <strong className="evidence-failed">{words('evidence.failed')}</strong>{' '}
        <span lang="en">{failure?.detail}</span>
      </>
    );
  if (state === 'made')
    return (
      <>
        {words('evidence.made', {
          records: formats.number(made?.records ?? 0),
          kb: formats.number(Math.ceil((made?.size ?? 0) / 1_000)),
        })}
        {made && made.warnings.length > 0 && (
          <strong className="evidence-warned">
            {' '}
            {words('evidence.warned', { count: made.warnings.length })}
          </strong>
        )}
      </>
    );
  if (state !== 'making' || step === null) return words(`evidence.${state}`);
  return (
    <span role="status">
      {words(`evidence.step.${step}`)}
      {share !== null && ` ${formats.percent(Math.round(share * 100) / 100)}`}
    </span>
  );
}

interface SheetProps {
  readonly of: Export;
  readonly onClose: () => void;
}

/** Shows a package with what its reader needs, and removes it or ends its making. */
function PackageSheet({ of, onClose }: SheetProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const client = useQueryClient();
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    await dataOf(api.DELETE('/v1/exports/{id}', { params: { path: { id: of.id } } }));
    await client.invalidateQueries({ queryKey: exportsQuery.queryKey });
    onClose();
  });
  const made = of.state === 'made' ? of.package : null;
  return (
    <Sheet title={scopeInWords(of.scope, words, formats)} isOpen onClose={onClose}>
      <form className="people-form" onSubmit={onSubmit}>
        <p>
          <State of={of} />
        </p>
        {made && (
          <>
            <Copied label={words('evidence.sha256')} text={made.sha256} />
            <Copied label={words('evidence.checkpoint')} text={made.note} shown={made.note} />
            {made.warnings.length > 0 && (
              <ul lang="en">
                {made.warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            )}
          </>
        )}
        <FormError error={error} />
        <p className="actions">
          {(isUnderWay(of) || made) && (
            <Button type="submit" isPending={isBusy}>
              {words(made ? 'evidence.remove' : 'evidence.end')}
            </Button>
          )}
          <Button main onPress={onClose}>
            {words('shell.close')}
          </Button>
        </p>
      </form>
    </Sheet>
  );
}
