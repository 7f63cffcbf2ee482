import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { Figure } from './page/figure.js';
import { Dealer, ShoeLink } from './page/places.js';
import { ReportPage } from './page/report-page.js';
import { filterFor, queryOf, useFilter, usePages, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';

type Line = Answers['CommissionAnswer'];
type Total = Answers['OwedAnswer'];

/** What coups add up to. The rest of a line belongs to no coup. */
const OF_COUPS = ['due', 'taken', 'marked'] as const;
const OF_NONE = ['collected', 'waived', 'outstanding'] as const;

/** Commission owed, by seat, shoe, table, dealer or day. */
export function CommissionReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const by = filter['by'] ?? 'seat';
  const pages = usePages('commission', queryOf(filter));
  return (
    <ReportPage name="commission" read={pages}>
      <ReportTable
        caption={words('reports.commission')}
        columns={[...useKeyColumns(by), ...useSumColumns(by, filter)]}
        lines={pages.lines}
        totals={pages.answer?.totals ?? []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

/** What the lines are about. The first column says that the last line is the total. */
function useKeyColumns(by: string): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  const table = { id: 'table', title: words('reports.table'), cell: (line: Line) => line.table };
  const shoe = {
    id: 'shoe',
    title: words('reports.shoe'),
    cell: ({ table: at, shoe: name, shoeRef }: Line) =>
      at !== null && name !== null && shoeRef !== null ? (
        <ShoeLink table={at} shoe={name} shoeRef={shoeRef} />
      ) : null,
  };
  const seat = {
    id: 'seat',
    title: words('reports.seat'),
    isNumeric: true,
    cell: (line: Line) => line.seat,
  };
  const dealer = {
    id: 'dealer',
    title: words('reports.dealer'),
    cell: (line: Line) => <Dealer dealer={line.dealer} />,
  };
  const day = {
    id: 'day',
    title: words('reports.day'),
    cell: (line: Line) => (line.gamingDay === null ? null : formats.day(line.gamingDay)),
  };
  const keys: Readonly<Record<string, ReportColumn<Line, Total>[]>> = {
    seat: [table, shoe, seat],
    shoe: [table, shoe],
    table: [table],
    dealer: [dealer],
    day: [day],
  };
  const [first, ...others] = keys[by] ?? [table];
  return [...(first ? [{ ...first, total: () => words('reports.total') }] : []), ...others];
}

function useSumColumns(by: string, { by: _, ...filter }: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  const coups = OF_COUPS.map((name): ReportColumn<Line, Total> => ({
    id: name,
    title: words(`reports.${name}`),
    isNumeric: true,
    cell: (line) => (
      <Figure
        value={line[name]}
        currency={line.currency}
        under={{ report: 'commission-coups', filter: { ...filter, ...filterOf(by, line) } }}
      />
    ),
    total: (total) => (
      <Figure
        value={total[name]}
        currency={total.currency}
        under={{
          report: 'commission-coups',
          filter: withFilter(filter, { currency: total.currency }),
        }}
      />
    ),
  }));
  const others = OF_NONE.map((name): ReportColumn<Line, Total> => ({
    id: name,
    title: words(`reports.${name}`),
    isNumeric: true,
    note: words('reports.note.seats'),
    cell: (line) => <Figure value={line[name]} currency={line.currency} />,
    total: (total) => <Figure value={total[name]} currency={total.currency} />,
  }));
  return [...coups, ...others];
}

/** Returns the filter that selects what a line adds up. */
function filterOf(by: string, line: Line): Search {
  const { currency } = line;
  switch (by) {
    case 'seat':
      return {
        table: line.table ?? '',
        shoeRef: line.shoeRef ?? '',
        seat: String(line.seat),
        currency,
      };
    case 'shoe':
      return { table: line.table ?? '', shoeRef: line.shoeRef ?? '', currency };
    case 'dealer':
      return { dealer: filterFor(line.dealer), currency };
    case 'day':
      return { from: line.gamingDay ?? '', to: line.gamingDay ?? '', currency };
    default:
      return { table: line.table ?? '', currency };
  }
}
