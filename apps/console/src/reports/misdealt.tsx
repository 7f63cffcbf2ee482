import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { Figure } from './page/figure.js';
import { Severity } from './under/findings-under.js';
import { CoupLink, Dealer, ShoeLink } from './page/places.js';
import { ReportPage } from './page/report-page.js';
import { filterFor, queryOf, useFilter, usePages, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';

type Line = Answers['MisdealtAnswer'];
type Summary = Answers['MisdealtSummaryAnswer'];

/** Coups that were dealt wrong: counted by code, severity, table, dealer and day, and listed. */
export function MisdealtReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const pages = usePages('misdealt', queryOf(filter));
  const summary = pages.answer?.summary;
  return (
    <ReportPage name="misdealt" read={pages}>
      {summary && <Counts summary={summary} filter={filter} />}
      <ReportTable
        caption={words('reports.misdealt')}
        columns={useColumns()}
        lines={pages.lines}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

interface CountsProps {
  readonly summary: Summary;
  readonly filter: Search;
}

interface Count<Value> {
  readonly value: Value;
  readonly findings: number;
  readonly coups: number;
}

/** How many coups and findings there are of each kind. Each figure selects its own. */
function Counts({ summary, filter }: CountsProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { byCode, bySeverity, byTable, byDealer, byDay, ...total } = summary;
  const severity = (value: number): ReactNode => <Severity severity={value} />;
  const dealer = (value: string | null): ReactNode => <Dealer dealer={value} />;
  return (
    <>
      <p>{words('reports.misdealtTotal', { ...total })}</p>
      <div className="report-counts">
        <CountTable of="code" counts={byCode} name={String} filter={filter} />
        <CountTable of="severity" counts={bySeverity} name={severity} filter={filter} />
        <CountTable of="table" counts={byTable} name={String} filter={filter} />
        <CountTable of="dealer" counts={byDealer} name={dealer} filter={filter} />
        <CountTable of="day" counts={byDay} name={formats.day} filter={filter} />
      </div>
    </>
  );
}

/** Returns the filter that selects one value. */
const selecting = (of: CountTableProps<unknown>['of'], value: string | number | null): Search =>
  of === 'day' ? { from: filterFor(value), to: filterFor(value) } : { [of]: filterFor(value) };

interface CountTableProps<Value> {
  readonly of: 'code' | 'severity' | 'table' | 'dealer' | 'day';
  readonly counts: readonly Count<Value>[];
  /** What a value is called. */
  readonly name: (value: Value) => ReactNode;
  readonly filter: Search;
}

function CountTable<Value extends string | number | null>(
  props: CountTableProps<Value>,
): ReactNode {
  const { of, counts, name, filter } = props;
  const words = useWords();
  const title = words(`reports.${of}`);
  const only = ({ value }: Count<Value>): Search => withFilter(filter, selecting(of, value));
  const columns: ReportColumn<Count<Value>>[] = [
    { id: 'name', title, cell: ({ value }) => name(value) },
    {
      id: 'coups',
      title: words('reports.coups'),
      isNumeric: true,
      cell: (count) => (
        <Figure value={count.coups} under={{ report: 'misdealt', filter: only(count) }} />
      ),
    },
    {
      id: 'findings',
      title: words('reports.findings'),
      isNumeric: true,
      cell: (count) => (
        <Figure
          value={count.findings}
          under={{ report: 'findings', filter: { ...only(count), report: 'misdealt' } }}
        />
      ),
    },
  ];
  return (
    <ReportTable
      caption={words('reports.countedBy', { name: title })}
      columns={columns}
      lines={counts}
      nothing={words('reports.nothing')}
    />
  );
}

function useColumns(): ReportColumn<Line>[] {
  const words = useWords();
  const formats = useFormats();
  return [
    {
      id: 'at',
      title: words('reports.openedAt'),
      isShort: true,
      cell: (line) => formats.dateTime(line.at),
    },
    { id: 'table', title: words('reports.table'), cell: (line) => line.table },
    { id: 'shoe', title: words('reports.shoe'), cell: (line) => <ShoeLink {...line} /> },
    {
      id: 'coup',
      title: words('reports.coup'),
      isNumeric: true,
      cell: (line) => <CoupLink {...line} />,
    },
    {
      id: 'dealer',
      title: words('reports.dealer'),
      cell: (line) => <Dealer dealer={line.dealer} />,
    },
    {
      id: 'findings',
      title: words('reports.findings'),
      cell: (line) => <Findings findings={line.findings} />,
    },
    {
      id: 'void',
      title: words('reports.state'),
      cell: (line) => words(line.void ? 'reports.state.void' : 'reports.state.over'),
    },
  ];
}

/** The findings of a coup, the gravest first. */
const Findings = ({ findings }: Pick<Line, 'findings'>): ReactNode => (
  <ul className="report-findings">
    {findings.map(({ id, code, severity, message }) => (
      <li key={id}>
        <Link to="/findings/$id" params={{ id }} search={{}}>
          <Severity severity={severity} /> {code}
        </Link>{' '}
        <span lang="en">{message}</span>
      </li>
    ))}
  </ul>
);
