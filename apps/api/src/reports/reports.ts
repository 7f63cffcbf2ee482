import {
  commissionCoups,
  commissionOwed,
  dealerAccuracy,
  deviceHealth,
  everyCommission,
  everyCommissionCoup,
  everyDevice,
  everyMisdealt,
  everyShoeReport,
  misdealtCoups,
  payoutVariance,
  shoeReport,
  type CommissionBy,
  type CommissionFilter,
  type CommissionLine,
  type CommissionReport,
  type DealerLine,
  type DealersReport,
  type DealersFilter,
  type PayoutFilter,
  type PayoutsReport,
} from '#read-model';
import type { List } from '../reading/ask-lines.js';
import { csvFile, csvFileOf } from '../reading/csv.js';
import { inSlices } from '../reading/lines-file.js';
import * as columns from './columns.js';

type CommissionAsked = CommissionFilter & { readonly by?: CommissionBy };

/** Commission owed, by seat unless the request names another key. */
export const COMMISSION_OWED: List<CommissionAsked, CommissionReport, CommissionLine> = {
  page: (read, { by = 'seat', ...filter }, paging) => commissionOwed(read, by, filter, paging),
  every: (read, { by = 'seat', ...filter }) => everyCommission(read, by, filter),
  csv: csvFile('commission', columns.COMMISSION_COLUMNS),
};

/** The coups that a line of the commission report is made of. */
export const COMMISSION_COUPS = {
  page: commissionCoups,
  every: everyCommissionCoup,
  csv: csvFile('commission-coups', columns.COMMISSION_COUP_COLUMNS),
};

/** Misdealt coups. The file has a line for each finding. */
export const MISDEALT = {
  page: misdealtCoups,
  every: everyMisdealt,
  csv: csvFileOf('misdealt', columns.MISDEALT_COLUMNS, columns.misdealtFindings),
};

/** Coups and errors by dealer. */
export const DEALERS: List<DealersFilter, DealersReport, DealerLine> = {
  page: dealerAccuracy,
  async *every(read, filter) {
    yield* inSlices((await dealerAccuracy(read, filter)).lines);
  },
  csv: csvFile('dealers', columns.DEALER_COLUMNS),
};

/** Composition, reconciliation and pace of shoes. */
export const SHOES = {
  page: shoeReport,
  every: everyShoeReport,
  csv: csvFile('shoes', columns.SHOE_COLUMNS),
};

/** Settlements by bet. The file has the settlements, then the wrong ones. */
export const PAYOUTS: List<PayoutFilter, PayoutsReport, columns.PayoutCsvLine> = {
  page: payoutVariance,
  async *every(read, filter) {
    yield* inSlices(columns.payoutLines(await payoutVariance(read, filter)));
  },
  csv: csvFileOf('payouts', columns.PAYOUT_COLUMNS, columns.seenPayout),
};

/** Gaps, unread cards and clocks of devices. */
export const DEVICES = {
  page: deviceHealth,
  every: everyDevice,
  csv: csvFile('devices', columns.DEVICE_COLUMNS),
};
