import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { useMay } from '../app/session/me.js';
import { useFormats } from '../words/formats.js';
import { useSpoken, useWords } from '../words/words.js';
import { Figure, type Under } from './page/figure.js';
import { ReportPage } from './page/report-page.js';
import { queryOf, useFilter, usePages, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';
import { shown } from '../words/shown.js';

type Line = Answers['DeviceAnswer'];
type Total = Answers['DevicesTotalAnswer'];

/** What each device sent, what is missing of it, and its clock. */
export function DevicesReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const pages = usePages('devices', queryOf(filter));
  const total = pages.answer?.total;
  return (
    <ReportPage name="devices" read={pages}>
      <ReportTable
        caption={words('reports.devices')}
        columns={[...useDeviceColumns(), ...useCountColumns(filter), ...useClockColumns()]}
        lines={pages.lines}
        totals={total ? [total] : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useDeviceColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  const states = { true: 'reports.online', false: 'reports.offline' } as const;
  return [
    {
      id: 'source',
      title: words('reports.device'),
      cell: ({ source }) => source,
      total: () => words('reports.total'),
    },
    {
      id: 'table',
      title: words('reports.table'),
      cell: ({ table }) => <Table table={table} />,
    },
    {
      id: 'online',
      title: words('reports.state'),
      cell: ({ online }) =>
        online === null ? words('reports.neverReported') : words(states[`${online}`]),
    },
    {
      id: 'lastTime',
      title: words('reports.lastTime'),
      isShort: true,
      cell: ({ lastTime }) => formats.dateTime(lastTime),
    },
  ];
}

/** What is wrong with what devices sent, by the code of its findings. */
const CODES = { gaps: 'DV-04', unread: 'DV-01', equivocations: 'DV-15' } as const;
const FAULTS = ['gaps', 'unread', 'equivocations'] as const;

function useCountColumns(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  const under = (fault: (typeof FAULTS)[number], of: Search): Under => ({
    report: 'findings',
    filter: { ...withFilter(filter, of), code: CODES[fault] },
  });
  const count = ({ events }: Line | Total): ReactNode => <Figure value={events} />;
  return [
    {
      id: 'events',
      title: words('reports.events'),
      isNumeric: true,
      note: words('reports.note.events'),
      cell: count,
      total: count,
    },
    ...FAULTS.map((name): ReportColumn<Line, Total> => ({
      id: name,
      title: words(`reports.${name}`),
      isNumeric: true,
      cell: (line) => (
        <Figure
          value={line[name]}
          under={under(name, { table: line.table, source: line.source })}
        />
      ),
      total: (total) => <Figure value={total[name]} under={under(name, {})} />,
    })),
  ];
}

/** By how much a clock is behind the receipt, in seconds. */
function useClockColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const { locale } = useSpoken();
  const seconds = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 3,
    maximumFractionDigits: 3,
    signDisplay: 'exceptZero',
  });
  return (['clockOffsetLast', 'clockOffsetLeast', 'clockOffsetMost'] as const).map((name) => ({
    id: name,
    title: words(`reports.${name}`),
    isNumeric: true,
    cell: (line) => {
      const ms = line[name];
      return ms === null ? '–' : seconds.format(ms / 1_000);
    },
  }));
}

/** A table, which leads to the findings about its devices. */
function Table({ table }: Pick<Line, 'table'>): ReactNode {
  const words = useWords();
  if (!useMay('read-findings')) return shown(table);
  return (
    <Link
      to="/reports/$report"
      params={{ report: 'findings' }}
      search={{ table, q: 'DV' }}
      aria-label={words('reports.deviceFindings', { table })}
    >
      {shown(table)}
    </Link>
  );
}
