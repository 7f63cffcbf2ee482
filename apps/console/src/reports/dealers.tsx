import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { lazyPart } from '../app/lazy-part.js';
import { useSpoken, useWords } from '../words/words.js';
import { Figure, type Under } from './page/figure.js';
import { Dealer } from './page/places.js';
import { ReportPage } from './page/report-page.js';
import { filterFor, queryOf, useFilter, useReport, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';

type Line = Answers['DealerAnswer'];
type Total = Answers['AccuracyAnswer'];

/** The library that plots is loaded only here. */
const DealersChart = lazyPart(async () => (await import('./dealers-chart.js')).default);

/** How often each dealer erred: counts, and the rate with its limits as a picture and as numbers. */
export function DealersReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const read = useReport('dealers', queryOf(filter));
  const { answer: data } = read;
  const lines = data?.lines ?? [];
  const rate = useRate();
  return (
    <ReportPage name="dealers" read={read}>
      <p className="muted">{words('reports.notRanked')}</p>
      {data && lines.length > 0 && (
        <DealersChart lines={lines} house={data.total.errorsPer1000} rate={rate} />
      )}
      <ReportTable
        caption={words('reports.dealers')}
        columns={useColumns(filter)}
        lines={lines}
        totals={data ? [data.total] : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useColumns(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  return [
    {
      id: 'dealer',
      title: words('reports.dealer'),
      cell: (line) => <Dealer dealer={line.dealer} />,
      total: () => words('reports.total'),
    },
    ...useCounts(filter),
    ...useRates(),
  ];
}

const COUNTS = ['coups', 'cards', 'findings', 'errors', 'coupsInError'] as const;

/** Returns what a count counts: coups, or the findings that the filter has left. */
function underCount(
  name: (typeof COUNTS)[number],
  { counted, ...filter }: Search,
): Under | undefined {
  if (name === 'cards') return undefined;
  if (name === 'coups') return { report: 'coups', filter };
  const counts = counted === 'true' ? 'true' : '';
  const report = name === 'findings' ? '' : 'dealers';
  return { report: 'findings', filter: withFilter(filter, { counts, report }) };
}

function useCounts(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  return COUNTS.map((name) => ({
    id: name,
    title: words(`reports.${name}`),
    isNumeric: true,
    note: name === 'cards' ? words('reports.note.cards') : undefined,
    cell: (line) => (
      <Figure
        value={line[name]}
        under={underCount(name, withFilter(filter, { dealer: filterFor(line.dealer) }))}
      />
    ),
    total: (total) => <Figure value={total[name]} under={underCount(name, filter)} />,
  }));
}

function useRates(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const rate = useRate();
  return (['errorsPer1000', 'lower95', 'upper95'] as const).map((name) => ({
    id: name,
    title: words(`reports.${name}`),
    isNumeric: true,
    cell: (line) => rate(line[name]),
    total: (total) => rate(total[name]),
  }));
}

/** Returns how to write a rate: one decimal, or a dash if nothing was dealt. */
function useRate(): (value: number | null) => string {
  const { locale } = useSpoken();
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  return (value) => (value === null ? '–' : format.format(value));
}
