import type { ReactNode } from 'react';
import type { Answers } from '../../api/client.js';
import { betIn } from '../../game/bet-names.js';
import { useWords } from '../../words/words.js';
import { useCoupColumns } from './coup-columns.js';
import { Figure } from '../page/figure.js';
import { PAYOUT_SUMS } from '../payouts.js';
import { ReportPage } from '../page/report-page.js';
import { queryOf, useFilter, usePages } from '../page/report-query.js';
import { type ReportColumn, ReportTable } from '../page/report-table.js';
import { byCurrency, sum } from '../page/sums.js';

type Line = Answers['PayoutCoupAnswer'];
type Sums = Pick<Line, 'currency' | (typeof PAYOUT_SUMS)[number]>;

/** The coups under a figure of the report on payouts. */
export function PayoutCoups(): ReactNode {
  const words = useWords();
  const pages = usePages('payout-coups', queryOf(useFilter()));
  const sums = byCurrency(pages.lines).map(([currency, lines]): Sums => {
    const of = (name: (typeof PAYOUT_SUMS)[number]): number => sum(lines, (line) => line[name]);
    return {
      currency,
      bets: of('bets'),
      staked: of('staked'),
      paid: of('paid'),
      taken: of('taken'),
      won: of('won'),
    };
  });
  return (
    <ReportPage name="payout-coups" read={pages}>
      <ReportTable
        caption={words('reports.payoutCoups')}
        columns={useColumns()}
        lines={pages.lines}
        totals={pages.isWhole ? sums : []}
        nothing={words('reports.nothing')}
      />
    </ReportPage>
  );
}

function useColumns(): ReportColumn<Line, Sums>[] {
  const words = useWords();
  return [
    ...useCoupColumns<Line, Sums>(),
    { id: 'bet', title: words('reports.bet'), cell: (line) => betIn(words, line.bet) },
    ...PAYOUT_SUMS.map((name): ReportColumn<Line, Sums> => ({
      id: name,
      title: words(`reports.${name === 'taken' ? 'stakesTaken' : name}`),
      isNumeric: true,
      cell: (line) => (
        <Figure value={line[name]} {...(name !== 'bets' && { currency: line.currency })} />
      ),
      total: (sums) => (
        <Figure value={sums[name]} {...(name !== 'bets' && { currency: sums.currency })} />
      ),
    })),
  ];
}
