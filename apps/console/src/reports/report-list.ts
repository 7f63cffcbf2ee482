import type { Permission } from '../app/me.js';
import type { Key } from '../words/words.js';

/** A filter of a report that its form has. Any other filter of the address is shown to be removed. */
export type FormField = 'from' | 'to' | 'table' | 'dealer' | 'source' | 'by' | 'counted';

/** A report, or the lines under a figure of one. */
export interface ReportKind {
  readonly title: Key;
  readonly needs: Permission;
  readonly fields: readonly FormField[];
  /** The path of its files under `/v1/`, and the kinds of file. */
  readonly path: string;
  readonly files: readonly ('csv' | 'xlsx')[];
  /** The report whose figures lead here. Absent for the reports of the menu. */
  readonly under?: ReportName;
}

const DEALT = ['from', 'to', 'table', 'dealer'] as const;
const BOTH = ['csv', 'xlsx'] as const;

/** Every report by its name in the address, in the order of the menu. */
const REPORTS = {
  commission: {
    title: 'reports.commission',
    needs: 'report-commission',
    fields: ['by', ...DEALT],
    path: 'reports/commission',
    files: BOTH,
  },
  misdealt: {
    title: 'reports.misdealt',
    needs: 'report-misdealt',
    fields: DEALT,
    path: 'reports/misdealt',
    files: BOTH,
  },
  dealers: {
    title: 'reports.dealers',
    needs: 'report-dealers',
    fields: [...DEALT, 'counted'],
    path: 'reports/dealers',
    files: BOTH,
  },
  shoes: {
    title: 'reports.shoes',
    needs: 'report-shoes',
    fields: DEALT,
    path: 'reports/shoes',
    files: BOTH,
  },
  payouts: {
    title: 'reports.payouts',
    needs: 'report-payouts',
    fields: DEALT,
    path: 'reports/payouts',
    files: BOTH,
  },
  devices: {
    title: 'reports.devices',
    needs: 'report-devices',
    fields: ['from', 'to', 'table', 'source'],
    path: 'reports/devices',
    files: BOTH,
  },
  'commission-coups': {
    title: 'reports.commissionCoups',
    needs: 'report-commission',
    fields: DEALT,
    path: 'reports/commission/coups',
    files: BOTH,
    under: 'commission',
  },
  'payout-coups': {
    title: 'reports.payoutCoups',
    needs: 'report-payouts',
    fields: DEALT,
    path: 'reports/payouts/coups',
    files: BOTH,
    under: 'payouts',
  },
  coups: {
    title: 'reports.coups',
    needs: 'read-coups',
    fields: DEALT,
    path: 'coups',
    files: ['csv'],
    under: 'dealers',
  },
  findings: {
    title: 'reports.findings',
    needs: 'read-findings',
    fields: DEALT,
    path: 'findings',
    files: ['csv'],
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
