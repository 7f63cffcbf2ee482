import { type ReactNode, useMemo } from 'react';
import type { Answers } from '../../api/client.js';
import { useMay } from '../../app/session/me.js';
import { useWords } from '../../words/words.js';
import { useCoupColumns } from './coup-columns.js';
import { Figure } from '../page/figure.js';
import { ReportPage } from '../page/report-page.js';
import { queryOf, useFilter, usePages } from '../page/report-query.js';
import { type ReportColumn, ReportTable } from '../page/report-table.js';

type Line = Answers['CoupAnswer'] & { readonly coupRef: string };

/** The coups under a figure. Those that are still open do not count yet. */
export function CoupsUnder(): ReactNode {
  const words = useWords();
  const pages = usePages('coups', queryOf(useFilter()));
  const lines = useMemo(
    () => pages.lines.map((line) => ({ ...line, coupRef: line.ref })),
    [pages.lines],
  );
  const open = lines.filter(({ state }) => state === 'open').length;
  return (
    <ReportPage name="coups" read={pages}>
      {open > 0 && <p role="status">{words('reports.openCoups', { count: open })}</p>}
      <ReportTable
        caption={words('reports.coups')}
        columns={useColumns()}
        lines={lines}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useColumns(): ReportColumn<Line>[] {
  const words = useWords();
  const columns: ReportColumn<Line>[] = [
    ...useCoupColumns<Line, Line>(),
    {
      id: 'state',
      title: words('reports.state'),
      cell: (line) => words(`reports.state.${line.state}`),
    },
    {
      id: 'outcome',
      title: words('reports.outcome'),
      cell: ({ outcome }) => (outcome === null ? '–' : words(`side.${outcome}`)),
    },
  ];
  if (!useMay('read-findings')) return columns;
  return [
    ...columns,
    {
      id: 'findings',
      title: words('reports.findings'),
      isNumeric: true,
      cell: ({ findings = 0, coupRef, table }) => (
        <Figure value={findings} under={{ report: 'findings', filter: { table, coupRef } }} />
      ),
    },
  ];
}
