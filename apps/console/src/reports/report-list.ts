import type { Permission } from '../app/session/me.js';
import type { Key } from '../words/words.js';

/** A filter of a report that its form has. Any other filter of the address is shown to be removed. */
export type FormField = 'from' | 'to' | 'table' | 'dealer' | 'source' | 'by' | 'counted';

/** A report, or the lines under a figure of one. */
export interface ReportKind {
  readonly title: Key;
  readonly needs: Permission;
  readonly fields: readonly FormField[];
  /** Its path under `/v1/`. */
  readonly path: string;
  /** The report whose figures lead here. Absent for the reports of the menu. */
  readonly under?: ReportName;
}

const DEALT = ['from', 'to', 'table', 'dealer'] as const;

/** Every report by its name in the address, in the order of the menu. */
const REPORTS = {
  commission: {
    title: 'reports.commission',
    needs: 'report-commission',
    fields: ['by', ...DEALT],
    path: 'reports/commission',
  },
  misdealt: {
    title: 'reports.misdealt',
    needs: 'report-misdealt',
    fields: DEALT,
    path: 'reports/misdealt',
  },
  dealers: {
    title: 'reports.dealers',
    needs: 'report-dealers',
    fields: [...DEALT, 'counted'],
    path: 'reports/dealers',
  },
  shoes: {
    title: 'reports.shoes',
    needs: 'report-shoes',
    fields: DEALT,
    path: 'reports/shoes',
  },
  payouts: {
    title: 'reports.payouts',
    needs: 'report-payouts',
    fields: DEALT,
    path: 'reports/payouts',
  },
  devices: {
    title: 'reports.devices',
    needs: 'report-devices',
    fields: ['from', 'to', 'table', 'source'],
    path: 'reports/devices',
  },
  'commission-coups': {
    title: 'reports.commissionCoups',
    needs: 'report-commission',
    fields: DEALT,
    path: 'reports/commission/coups',
    under: 'commission',
  },
  'payout-coups': {
    title: 'reports.payoutCoups',
    needs: 'report-payouts',
    fields: DEALT,
    path: 'reports/payouts/coups',
    under: 'payouts',
  },
  coups: {
    title: 'reports.coups',
    needs: 'read-coups',
    fields: DEALT,
    path: 'coups',
    under: 'dealers',
  },
  findings: {
    title: 'reports.findings',
    needs: 'read-findings',
    fields: DEALT,
    path: 'findings',
    under: 'dealers',
  },
} as const satisfies Record<string, Omit<ReportKind, 'under'> & { under?: string }>;

/** The name of a report in the address. */
export type ReportName = keyof typeof REPORTS;

/** Returns whether a text of the address names a report. */
export const isReport = (name: string): name is ReportName => Object.hasOwn(REPORTS, name);

/** Returns what is known of a report. */
export const reportOf = (name: ReportName): ReportKind => REPORTS[name];

/** The reports of the menu, in its order. */
export const MENU = (Object.keys(REPORTS) as ReportName[]).filter(
  (name) => reportOf(name).under === undefined,
);
