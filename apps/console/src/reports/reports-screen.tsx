import { Link, Navigate, useParams } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { NotForYou, ScreenMissing } from '../app/failures.js';
import { useMe } from '../app/session/me.js';
import { useTitle } from '../app/title.js';
import { useWords } from '../words/words.js';
import { CommissionReport } from './commission.js';
import { CommissionCoups } from './under/commission-coups.js';
import { CoupsUnder } from './under/coups-under.js';
import { DealersReport } from './dealers.js';
import { DevicesReport } from './devices.js';
import { FindingsUnder } from './under/findings-under.js';
import { MisdealtReport } from './misdealt.js';
import { PayoutCoups } from './under/payout-coups.js';
import { PayoutsReport } from './payouts.js';
import { isReport, MENU, type ReportName, reportOf } from './report-list.js';
import { useFilter } from './page/report-query.js';
import { ShoesReport } from './shoes.js';
import './reports.css';

const SCREENS: Readonly<Record<ReportName, ComponentType>> = {
  commission: CommissionReport,
  misdealt: MisdealtReport,
  dealers: DealersReport,
  shoes: ShoesReport,
  payouts: PayoutsReport,
  devices: DevicesReport,
  'commission-coups': CommissionCoups,
  'payout-coups': PayoutCoups,
  coups: CoupsUnder,
  findings: FindingsUnder,
};

/** Leads to the first report that the person may read. */
export function ReportsScreen(): ReactNode {
  const { permissions } = useMe();
  const report = MENU.find((name) => permissions.includes(reportOf(name).needs));
  if (report === undefined) return <NotForYou />;
  return <Navigate to="/reports/$report" params={{ report }} search={{}} replace />;
}

/** One report, under the menu of the reports that the person may read. */
export function ReportScreen(): ReactNode {
  const { report = '' }: { readonly report?: string } = useParams({ strict: false });
  const { permissions } = useMe();
  if (!isReport(report)) return <ScreenMissing />;
  if (!permissions.includes(reportOf(report).needs)) return <NotForYou />;
  return <Permitted report={report} />;
}

function Permitted({ report }: { readonly report: ReportName }): ReactNode {
  const words = useWords();
  const { title } = reportOf(report);
  useTitle(words(title));
  const Screen = SCREENS[report];
  return (
    <>
      <h1 className="only-spoken">{words('reports.title')}</h1>
      <Menu report={report} />
      <Screen key={report} />
    </>
  );
}

function Menu({ report }: { readonly report: ReportName }): ReactNode {
  const words = useWords();
  const { permissions } = useMe();
  const { report: of = '' } = useFilter();
  const current = isReport(of) ? of : (reportOf(report).under ?? report);
  return (
    <nav className="report-menu no-print" aria-label={words('reports.title')}>
      {MENU.filter((name) => permissions.includes(reportOf(name).needs)).map((name) => (
        <Link
          key={name}
          to="/reports/$report"
          params={{ report: name }}
          search={{}}
          className="place"
          activeProps={{}}
          {...(name === current && { 'aria-current': name === report ? 'page' : 'true' })}
        >
          {words(reportOf(name).title)}
        </Link>
      ))}
    </nav>
  );
}
