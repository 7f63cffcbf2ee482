import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answers } from '../../api/client.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { Figure } from '../page/figure.js';
import { CoupLink, Dealer } from '../page/places.js';
import { ReportPage } from '../page/report-page.js';
import { queryOf, useFilter, usePages } from '../page/report-query.js';
import { type ReportColumn, ReportTable } from '../page/report-table.js';
import { byCurrency, sum } from '../page/sums.js';
import { SEVERITY_SHAPES } from '../../game/severity.js';

type Line = Answers['FindingAnswer'];
type Total = NonNullable<Line['impact']>;

/** Who an error favors. What the house gained and what patrons gained is never added. */
const SIDES = ['house', 'patron'] as const;

/** The findings under a figure, whether they were ruled or not. */
export function FindingsUnder(): ReactNode {
  const words = useWords();
  const pages = usePages('findings', queryOf(useFilter()));
  const impacts = pages.lines.flatMap(({ impact }) => (impact ? [impact] : []));
  const totals = byCurrency(impacts).flatMap(([currency, lines]) =>
    SIDES.flatMap((favours): Total | [] => {
      const own = lines.filter((line) => line.favours === favours);
      return own.length === 0 ? [] : { currency, favours, amount: sum(own, (line) => line.amount) };
    }),
  );
  const coups = new Set(pages.lines.map(({ table, coupRef }) => JSON.stringify([table, coupRef])));
  return (
    <ReportPage name="findings" read={pages}>
      {pages.isWhole && (
        <p role="status">
          {words('reports.findingsOfCoups', { findings: pages.lines.length, coups: coups.size })}
        </p>
      )}
      <ReportTable
        caption={words('reports.findings')}
        columns={useColumns()}
        lines={pages.lines}
        totals={pages.isWhole ? totals : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useColumns(): ReportColumn<Line, Total>[] {
  return [...usePlaceColumns(), ...useFactColumns()];
}

function usePlaceColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  const formats = useFormats();
  return [
    {
      id: 'code',
      title: words('reports.code'),
      cell: ({ id, code, severity }) => (
        <Link to="/findings/$id" params={{ id }} search={{}}>
          <Severity severity={severity} /> {code}
        </Link>
      ),
      total: () => words('reports.total'),
    },
    { id: 'table', title: words('reports.table'), cell: (line) => line.table },
    { id: 'shoe', title: words('reports.shoe'), cell: (line) => line.shoe },
    {
      id: 'coup',
      title: words('reports.coup'),
      isNumeric: true,
      cell: ({ table, coup, coupRef }) =>
        coupRef && coup !== undefined ? (
          <CoupLink table={table} coup={coup} coupRef={coupRef} />
        ) : null,
    },
    {
      id: 'dealer',
      title: words('reports.dealer'),
      cell: (line) => <Dealer dealer={line.dealer} />,
    },
    { id: 'day', title: words('reports.day'), cell: (line) => formats.day(line.gamingDay) },
  ];
}

function useFactColumns(): ReportColumn<Line, Total>[] {
  const words = useWords();
  return [
    {
      id: 'review',
      title: words('reports.review'),
      cell: ({ review }) => words(`reports.review.${review.state}`),
    },
    {
      id: 'message',
      title: words('reports.message'),
      cell: ({ message }) => <span lang="en">{message}</span>,
    },
    {
      id: 'favours',
      title: words('reports.favours'),
      cell: ({ impact }) => impact && words(`reports.favours.${impact.favours}`),
      total: ({ favours }) => words(`reports.favours.${favours}`),
    },
    {
      id: 'amount',
      title: words('reports.amount'),
      isNumeric: true,
      cell: ({ impact }) => impact && <Figure value={impact.amount} currency={impact.currency} />,
      total: ({ amount, currency }) => <Figure value={amount} currency={currency} />,
    },
  ];
}

/** A severity by its shape, number and color. */
export function Severity({ severity }: { readonly severity: number }): ReactNode {
  return (
    <span className={`report-severity-${severity}`}>
      {SEVERITY_SHAPES[severity]}
      {severity}
    </span>
  );
}
