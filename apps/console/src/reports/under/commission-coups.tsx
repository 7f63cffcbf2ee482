import type { ReactNode } from 'react';
import type { Answers } from '../../api/client.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import { useCoupColumns } from './coup-columns.js';
import { Figure } from '../page/figure.js';
import { ReportPage } from '../page/report-page.js';
import {
  type Query,
  queryOf,
  useCommissionTotals,
  useFilter,
  usePages,
} from '../page/report-query.js';
import { type ReportColumn, ReportTable } from '../page/report-table.js';
import { byCurrency, commissionOf } from '../page/sums.js';

type Line = Answers['CommissionCoupAnswer'];
type Sums = Pick<Line, 'currency' | 'due' | 'taken' | 'marked'>;

const SUMS = ['due', 'taken', 'marked'] as const;

/** The coups under a figure of the commission report, and whether they add up to it. */
export function CommissionCoups(): ReactNode {
  const words = useWords();
  const query = queryOf(useFilter());
  const pages = usePages('commission-coups', query);
  const sums = byCurrency(pages.lines).map(([currency, lines]): Sums => ({
    currency,
    ...commissionOf(lines),
  }));
  return (
    <ReportPage name="commission-coups" read={pages}>
      {pages.isWhole && pages.isOneSnapshot && (
        <AddsUp query={query} sums={sums} positions={pages.positions} />
      )}
      <ReportTable
        caption={words('reports.commissionCoups')}
        columns={useColumns()}
        lines={pages.lines}
        totals={pages.isWhole ? sums : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

interface AddsUpProps {
  readonly query: Query;
  readonly sums: readonly Sums[];
  /** The positions that the coups were read at. */
  readonly positions: string | undefined;
}

/** Says whether the coups add up to the report's own figures. Some commission has no coup. */
function AddsUp({ query, sums, positions }: AddsUpProps): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const { data } = useCommissionTotals(query);
  if (!data) return null;
  const rest = data.totals.flatMap((total) => {
    const found = sums.find(({ currency }) => currency === total.currency);
    return SUMS.filter((name) => total[name] !== (found?.[name] ?? 0)).map(
      (name) =>
        `${words(`reports.${name}`)} ${formats.money(total[name] - (found?.[name] ?? 0), total.currency)}`,
    );
  });
  const say = (text: string): ReactNode => <p role="status">{text}</p>;
  if (rest.length === 0) return say(words('reports.addsUp'));
  // what differs may have come between the two reads
  if (data.positions !== positions) return say(words('reports.severalReads'));
  return say(words('reports.withoutCoup', { amounts: rest.join(', ') }));
}

function useColumns(): ReportColumn<Line, Sums>[] {
  const words = useWords();
  return [
    ...useCoupColumns<Line, Sums>(),
    {
      id: 'state',
      title: words('reports.state'),
      cell: ({ state }) => words(state === 'void' ? 'reports.voidCoup' : `reports.state.${state}`),
    },
    {
      id: 'seat',
      title: words('reports.seat'),
      isNumeric: true,
      cell: (line) => line.seat,
    },
    ...SUMS.map((name): ReportColumn<Line, Sums> => ({
      id: name,
      title: words(`reports.${name}`),
      isNumeric: true,
      cell: (line) => <Figure value={line[name]} currency={line.currency} />,
      total: (sums) => <Figure value={sums[name]} currency={sums.currency} />,
    })),
  ];
}
