import type { ReactNode } from 'react';
import type { Answers } from '../api/client.js';
import type { Search } from '../app/address.js';
import { betIn } from '../game/bet-names.js';
import { useWords } from '../words/words.js';
import { Figure, type Under } from './page/figure.js';
import { ReportPage } from './page/report-page.js';
import { filterFor, queryOf, useFilter, useReport, withFilter } from './page/report-query.js';
import { type ReportColumn, ReportTable } from './page/report-table.js';

type Line = Answers['PayoutAnswer'];
type Wrong = Answers['VarianceAnswer'];
type Total = Answers['PayoutTotalAnswer'];

/** The sums of settlements. `bets` is a count, the others are amounts. */
export const PAYOUT_SUMS = ['bets', 'staked', 'paid', 'taken', 'won'] as const;

/** What was settled on each bet, and which settlements were wrong. */
export function PayoutsReport(): ReactNode {
  const words = useWords();
  const filter = useFilter();
  const read = useReport('payouts', queryOf(filter));
  const { answer: data } = read;
  return (
    <ReportPage name="payouts" read={read}>
      <h3>{words('reports.settlements')}</h3>
      <ReportTable
        caption={words('reports.settlements')}
        columns={useSettled(filter)}
        lines={data?.lines ?? []}
        totals={data?.totals ?? []}
        nothing={words('reports.nothing')}
      />
      {data?.variance && <Variance filter={filter} lines={data.variance} totals={data.totals} />}
      {data?.totals.map((total) => (
        <Gains key={total.currency} filter={filter} total={total} />
      ))}
    </ReportPage>
  );
}

function useSettled(filter: Search): ReportColumn<Line, Total>[] {
  const words = useWords();
  return [
    {
      id: 'bet',
      title: words('reports.bet'),
      cell: (line) => betIn(words, line.bet),
      total: () => words('reports.total'),
    },
    ...PAYOUT_SUMS.map((name): ReportColumn<Line, Total> => ({
      id: name,
      title: words(`reports.${name === 'taken' ? 'stakesTaken' : name}`),
      isNumeric: true,
      cell: (line) => (
        <Figure
          value={line[name]}
          {...(name !== 'bets' && { currency: line.currency })}
          under={{
            report: 'payout-coups',
            filter: withFilter(filter, { bet: filterFor(line.bet), currency: line.currency }),
          }}
        />
      ),
      total: (total) => (
        <Figure
          value={total[name]}
          {...(name !== 'bets' && { currency: total.currency })}
          under={{
            report: 'payout-coups',
            filter: withFilter(filter, { currency: total.currency }),
          }}
        />
      ),
    })),
  ];
}

interface VarianceProps {
  readonly filter: Search;
  readonly lines: readonly Wrong[];
  readonly totals: readonly Total[];
}

/** The wrong settlements by cause. Who may not read findings gets none of this. */
function Variance({ filter, lines, totals }: VarianceProps): ReactNode {
  const words = useWords();
  return (
    <>
      <h3>{words('reports.wrong')}</h3>
      <ReportTable
        caption={words('reports.wrong')}
        columns={useWrong(filter)}
        lines={lines}
        totals={totals}
        nothing={words('reports.noneWrong')}
      />
    </>
  );
}

/** Returns where the wrong settlements of the report lead that are of this filter too. */
const wrongUnder = (filter: Search, of: Search): Under => ({
  report: 'findings',
  filter: { ...withFilter(filter, of), report: 'payouts' },
});

interface GainsProps {
  readonly filter: Search;
  readonly total: Total;
}

/** Who gained by each sum of wrong settlements. The net sum is of both. */
const GAINS = { houseGained: 'house', patronsGained: 'patron', net: '' } as const;

/** Who gained by wrong settlements, in one currency. */
function Gains({ filter, total: { currency, ...total } }: GainsProps): ReactNode {
  const words = useWords();
  return (
    <dl className="report-facts">
      {(['houseGained', 'patronsGained', 'net'] as const).map((name) => (
        <div key={name}>
          <dt>{words(`reports.${name}`)}</dt>
          <dd>
            <Figure
              value={total[name]}
              currency={currency}
              under={wrongUnder(filter, { currency, favours: GAINS[name] })}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function useWrong(filter: Search): ReportColumn<Wrong, Total>[] {
  return [...useCauses(), ...useErrors(filter)];
}

function useCauses(): ReportColumn<Wrong, Total>[] {
  const words = useWords();
  const none = <span className="muted">{words('reports.none')}</span>;
  return [
    {
      id: 'bet',
      title: words('reports.bet'),
      cell: (line) => (line.bet === null ? none : betIn(words, line.bet)),
      total: () => words('reports.total'),
    },
    { id: 'code', title: words('reports.code'), cell: (line) => line.code },
    {
      id: 'explainedBy',
      title: words('reports.explainedBy'),
      cell: (line) =>
        line.explainedBy === null ? none : words(`reports.slip.${line.explainedBy}`),
    },
    {
      id: 'favours',
      title: words('reports.favours'),
      cell: (line) => (line.favours === null ? none : words(`reports.favours.${line.favours}`)),
    },
  ];
}

function useErrors(filter: Search): ReportColumn<Wrong, Total>[] {
  const words = useWords();
  const under = (of: Search): Under => wrongUnder(filter, of);
  const ofCause = ({ code, bet, explainedBy, favours, currency }: Wrong): Under =>
    under({
      code,
      bet: filterFor(bet),
      explainedBy: filterFor(explainedBy),
      favours: filterFor(favours),
      currency,
    });
  return [
    {
      id: 'findings',
      title: words('reports.findings'),
      isNumeric: true,
      cell: (line) => <Figure value={line.findings} under={ofCause(line)} />,
      total: ({ findings = 0, currency }) => (
        <Figure value={findings} under={under({ currency })} />
      ),
    },
    {
      id: 'amount',
      title: words('reports.amount'),
      isNumeric: true,
      cell: (line) => <Figure value={line.amount} currency={line.currency} under={ofCause(line)} />,
      total: ({ houseGained, patronsGained, currency }) => (
        <Figure
          value={houseGained + patronsGained}
          currency={currency}
          under={under({ currency })}
        />
      ),
    },
  ];
}
