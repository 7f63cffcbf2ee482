import {
  commissionCoups,
  commissionOwed,
  dealerAccuracy,
  deviceHealth,
  everyCommission,
  everyCommissionCoup,
  everyDevice,
  everyMisdealt,
  everyPayoutCoup,
  everyShoeReport,
  misdealtCoups,
  passedRecords,
  payoutCoups,
  payoutVariance,
  shoeReport,
  type CommissionBy,
  type CommissionFilter,
  type CommissionLine,
  type CommissionReport,
  type DealerLine,
  type DealersFilter,
  type DealersReport,
  type Filter,
  type PassedRecord,
  type PayoutFilter,
  type PayoutsReport,
} from '#read-model';
import type { List } from '../reading/ask-lines.js';
import { fileOf, fileOfRows } from '../reading/files/columns.js';
import { inSlices } from '../reading/files/lines-file.js';
import * as columns from './columns.js';

/** What every report says beside its lines. */
interface PassedSaid {
  /** The records of its partitions that cannot be read and were passed. */
  readonly passedRecords: readonly PassedRecord[];
}

/**
 * Returns a report that says which records of its partitions were passed: in a field of the answer,
 * and in the last lines of a file.
 */
const sayingPassed = <Asked extends Pick<Filter, 'scope' | 'table'>, Answer extends object, Line>(
  report: List<Asked, Answer, Line>,
): List<Asked, Answer & PassedSaid, Line> => ({
  ...report,
  page: async (read, filter, paging) => ({
    ...(await report.page(read, filter, paging)),
    passedRecords: await passedRecords(read, filter),
  }),
  notes: async (read, filter) => (await passedRecords(read, filter)).map(inWords),
});

const inWords = ({ partition, offset, sha256, passedBy, passedAt, reason }: PassedRecord): string =>
  `passed record: partition ${partition}, offset ${offset}, SHA-256 ${sha256}, passed by ${passedBy} at ${passedAt}: ${reason}`;

type CommissionAsked = CommissionFilter & { readonly by?: CommissionBy };

/** Commission owed, by seat unless the request names another key. */
export const COMMISSION_OWED = sayingPassed<CommissionAsked, CommissionReport, CommissionLine>({
  page: (read, { by = 'seat', ...filter }, paging) => commissionOwed(read, by, filter, paging),
  every: (read, { by = 'seat', ...filter }) => everyCommission(read, by, filter),
  file: fileOf('commission', columns.COMMISSION_COLUMNS),
});

/** The coups that a line of the commission report is made of. */
export const COMMISSION_COUPS = sayingPassed({
  page: commissionCoups,
  every: everyCommissionCoup,
  file: fileOf('commission-coups', columns.COMMISSION_COUP_COLUMNS),
});

/** Misdealt coups. The file has a line for each finding. */
export const MISDEALT = sayingPassed({
  page: misdealtCoups,
  every: everyMisdealt,
  file: fileOfRows('misdealt', columns.MISDEALT_COLUMNS, columns.misdealtFindings),
});

/** Coups and errors by dealer. */
export const DEALERS = sayingPassed<DealersFilter, DealersReport, DealerLine>({
  page: dealerAccuracy,
  async *every(read, filter) {
    yield* inSlices((await dealerAccuracy(read, filter)).lines);
  },
  file: fileOf('dealers', columns.DEALER_COLUMNS),
});

/** Composition, reconciliation and pace of shoes. */
export const SHOES = sayingPassed({
  page: shoeReport,
  every: everyShoeReport,
  file: fileOf('shoes', columns.SHOE_COLUMNS),
});

/** Settlements by bet. The file has the settlements, then the wrong ones. */
export const PAYOUTS = sayingPassed<PayoutFilter, PayoutsReport, columns.PayoutCsvLine>({
  page: payoutVariance,
  async *every(read, filter) {
    yield* inSlices(columns.payoutLines(await payoutVariance(read, filter)));
  },
  file: fileOfRows('payouts', columns.PAYOUT_COLUMNS, columns.seenPayout),
});

/** The coups that the settlements of a bet are made of. */
export const PAYOUT_COUPS = sayingPassed({
  page: payoutCoups,
  every: everyPayoutCoup,
  file: fileOf('payout-coups', columns.PAYOUT_COUP_COLUMNS),
});

/** Gaps, unread cards and clocks of devices. */
export const DEVICES = sayingPassed({
  page: deviceHealth,
  every: everyDevice,
  file: fileOf('devices', columns.DEVICE_COLUMNS),
});
