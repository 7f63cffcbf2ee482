import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Refused } from '../../api/client.js';
import { Failure, NotForYou, ReadFailed, ScreenMissing, sentenceOf } from '../../app/failures.js';
import { Printed } from '../../app/printed.js';
import { Button } from '../../controls/button.js';
import { notify } from '../../controls/notices.js';
import { useWords } from '../../words/words.js';
import { FilterForm, filterName, filterValue } from './filter-form.js';
import { type ReportName, reportOf } from '../report-list.js';
import { LinesRead } from './lines-read.js';
import { PassedRecords } from './passed-records.js';
import { fileAddress, queryOf, type Read, useFilter } from './report-query.js';

/** The kinds of file that every report is saved as. */
const FILES = ['csv', 'xlsx'] as const;

interface Props {
  readonly name: ReportName;
  readonly read: Read;
  readonly children: ReactNode;
}

/** What every report stands in: its filter, its files, and what a print says about itself. */
export function ReportPage({ name, read, children }: Props): ReactNode {
  const { error, again, isReading, isOld, positions, isOneSnapshot, passed, pages } = read;
  const words = useWords();
  const filter = useFilter();
  const { title } = reportOf(name);
  return (
    <article className="report">
      <header className="report-head">
        <h2>{words(title)}</h2>
        <Files name={name} read={read} />
      </header>
      <PrintHead positions={isOld ? undefined : positions} />
      <FilterForm name={name} filter={filter} />
      {positions === undefined ? (
        <NoLines name={name} error={error} again={again} />
      ) : (
        <div className="report-body" aria-busy={isReading} inert={isOld}>
          {!isOneSnapshot && <p role="status">{words('reports.severalReads')}</p>}
          <PassedRecords passed={passed} />
          {children}
          {error && <ReadFailed {...{ error, again }} />}
          {pages && !isOld && <LinesRead pages={pages} isReading={isReading} />}
        </div>
      )}
    </article>
  );
}

function Files({ name, read: { isOld, pages } }: Omit<Props, 'children'>): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const query = queryOf(filter);
  const print = (): void => {
    (pages?.readAll() ?? Promise.resolve()).then(
      () => setTimeout(() => globalThis.print()),
      (error: unknown) => notify({ text: sentenceOf(error, words) }),
    );
  };
  return (
    <p className="actions no-print">
      {FILES.map((format) => (
        <a key={format} className="button" href={fileAddress(name, query, format)} download>
          {format.toUpperCase()}
        </a>
      ))}
      <Button onPress={print} refused={isOld ? words('shell.loading') : undefined}>
        {words('reports.print')}
      </Button>
    </p>
  );
}

/** What a sheet of paper says about itself: the filter, the positions, who printed it and when. */
function PrintHead({ positions }: Pick<Read, 'positions'>): ReactNode {
  const words = useWords();
  const filter = Object.entries(useFilter());
  const filters = filter.map(
    ([name, value]) => `${filterName(name, words)}: ${filterValue(name, value, words)}`,
  );
  return (
    <div className="report-print-head" aria-hidden>
      <p>
        <Printed />
      </p>
      <p>
        {filters.length > 0
          ? words('reports.filtered', { filters: filters.join('; ') })
          : words('reports.unfiltered')}
      </p>
      <p>{words('reports.positions', { positions: positions ?? '' })}</p>
    </div>
  );
}

/** What stands in place of the lines: that they are being read, or why they cannot be. */
function NoLines({ name, error, again }: Pick<Props, 'name'> & Pick<Read, 'error' | 'again'>) {
  const words = useWords();
  if (!error) return <p role="status">{words('shell.loading')}</p>;
  return <ReportFailed name={name} error={error} again={again} />;
}

/** Says what is wrong with the address, or with the server, and leads back to the report. */
function ReportFailed({
  name,
  error,
  again,
}: Pick<Props, 'name'> & Pick<Read, 'again'> & { error: Error }) {
  const words = useWords();
  if (!(error instanceof Refused))
    return <Failure title={words('shell.failed')} why={sentenceOf(error, words)} again={again} />;
  if (error.status === 403) return <NotForYou />;
  if (error.status === 404) return <ScreenMissing />;
  if (error.status !== 400)
    return <Failure title={words('shell.failed')} why={sentenceOf(error, words)} again={again} />;
  return (
    <section className="failure" role="alert">
      <h3>{words('reports.badAddress')}</h3>
      <ul lang="en">
        {faultsOf(error).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
      <Link to="/reports/$report" params={{ report: name }} search={{}} className="button">
        {words('reports.withoutAny')}
      </Link>
    </section>
  );
}

function faultsOf({ problem }: Refused): readonly string[] {
  const faults = problem.errors ?? [];
  return faults.length === 0
    ? [problem.detail ?? problem.title]
    : faults.map(({ reason }) => reason);
}
