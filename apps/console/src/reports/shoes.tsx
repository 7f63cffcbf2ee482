import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { useMay } from '../app/session/me.js';
import { useFormats } from '../words/formats.js';
import { useSpoken, useWords } from '../words/words.js';
import { Figure } from './page/figure.js';
import { ShoeLink } from './page/places.js';
import { ReportPage } from './page/report-page.js';
import { placeOf, queryOf, useFilter, usePages, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';

type Line = Answers['ShoeReportAnswer'];
type Total = Answers['ShoesTotalAnswer'];

/** The cards of each shoe, whether they are all there, and its pace. */
export function ShoesReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const pages = usePages('shoes', queryOf(filter));
  const total = pages.answer?.total;
  return (
    <ReportPage name="shoes" read={pages}>
      {total && (
        <p>
          {words('reports.shoesTotal', {
            shoes: total.shoes,
            closed: total.closed,
            unreconciled: total.unreconciled,
          })}
        </p>
      )}
      <ReportTable
        caption={words('reports.shoes')}
        columns={[
          ...useShoeColumns(),
          ...useCardColumns(),
          ...usePaceColumns(filter),
          ...useFindingColumns(filter),
        ]}
        lines={pages.lines}
        totals={total ? [total] : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useShoeColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  const may = useMay('read-rules');
  return [
    {
      id: 'shoe',
      title: words('reports.shoe'),
      cell: (line) => <ShoeLink {...line} />,
      total: () => words('reports.total'),
    },
    {
      id: 'day',
      title: words('reports.day'),
      isShort: true,
      cell: (line) => formats.day(line.gamingDay),
    },
    {
      id: 'rules',
      title: words('reports.rules'),
      cell: ({ rules }) =>
        may ? (
          <Link to="/rules/$ref" params={{ ref: rules }} search={{}}>
            {rules}
          </Link>
        ) : (
          rules
        ),
    },
    {
      id: 'closed',
      title: words('reports.closed'),
      cell: ({ closed, closeReason }) =>
        closed
          ? (words.find(`reports.closed.${closeReason ?? 'none'}`) ?? closeReason)
          : words('reports.stillOpen'),
    },
  ];
}

function useCardColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  const note = words('reports.note.shoe');
  const count = (value: number | null): ReactNode =>
    value === null ? '–' : <data value={value}>{formats.number(value)}</data>;
  return [
    ...(['expected', 'drawn', 'unread'] as const).map((name): ReportColumn<Line, Total> => ({
      id: name,
      title: words(`reports.${name}`),
      isNumeric: true,
      note,
      cell: (line) => count(line[name]),
      total: (total) => count(total[name]),
    })),
    ...(['computedRemaining', 'saidRemaining', 'difference'] as const).map(
      (name): ReportColumn<Line, Total> => ({
        id: name,
        title: words(`reports.${name}`),
        isNumeric: true,
        note,
        cell: (line) =>
          name === 'difference' && line.difference !== null && line.difference !== 0 ? (
            <strong className="report-differs">≠ {count(line.difference)}</strong>
          ) : (
            count(line[name])
          ),
      }),
    ),
  ];
}

function usePaceColumns(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  const { locale } = useSpoken();
  const pace = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  return [
    {
      id: 'coups',
      title: words('reports.coups'),
      isNumeric: true,
      cell: ({ coups, table, shoeRef }) => (
        <Figure value={coups} under={{ report: 'coups', filter: { table, shoeRef } }} />
      ),
      note: isAllShoes(filter) ? undefined : words('reports.note.total'),
      total: ({ coups }) => (
        <Figure
          value={coups}
          under={isAllShoes(filter) ? { report: 'coups', filter: placeOf(filter) } : undefined}
        />
      ),
    },
    {
      id: 'coupsPerHour',
      title: words('reports.coupsPerHour'),
      isNumeric: true,
      cell: ({ coupsPerHour }) => (coupsPerHour === null ? '–' : pace.format(coupsPerHour)),
    },
  ];
}

/** The findings about the cards of a shoe. Who may not read findings has no such column. */
function useFindingColumns(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  if (!useMay('read-findings')) return [];
  return [
    {
      id: 'findings',
      title: words('reports.findings'),
      isNumeric: true,
      note: isAllShoes(filter) ? undefined : words('reports.note.total'),
      cell: ({ findings = [], table, shoeRef }) => (
        <>
          <span className="muted">{[...new Set(findings)].join(' ')} </span>
          <Figure
            value={findings.length}
            under={{ report: 'findings', filter: { table, shoeRef, report: 'shoes' } }}
          />
        </>
      ),
      total: ({ findings = 0 }) => (
        <Figure
          value={findings}
          under={
            isAllShoes(filter)
              ? { report: 'findings', filter: withFilter(placeOf(filter), { report: 'shoes' }) }
              : undefined
          }
        />
      ),
    },
  ];
}

/** Whether the findings of the same filter are those of the shoes: only without a filter. */
const isAllShoes = (filter: Search): boolean =>
  Object.keys(filter).every((name) => name === 'table');
