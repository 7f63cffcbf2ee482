import type {
  CommissionCoup,
  CommissionLine,
  DealerLine,
  DeviceLine,
  MisdealtLine,
  FindingLine,
  PayoutLine,
  ShoeReportLine,
  VarianceLine,
} from '#read-model';
import { named, type Column } from '../reading/csv.js';

export const COMMISSION_COLUMNS = named<CommissionLine>(
  'gamingDay',
  'table',
  'shoe',
  'seat',
  'dealer',
  'currency',
  'due',
  'taken',
  'marked',
  'collected',
  'waived',
  'outstanding',
);
export const COMMISSION_COUP_COLUMNS = named<CommissionCoup>(
  'gamingDay',
  'table',
  'shoe',
  'coup',
  'coupRef',
  'state',
  'openedAt',
  'seat',
  'dealer',
  'currency',
  'due',
  'taken',
  'marked',
);

/** One finding of a mis-dealt coup: a line of the file. */
export interface MisdealtFinding {
  readonly line: MisdealtLine;
  readonly finding: FindingLine;
}

export const MISDEALT_COLUMNS: readonly Column<MisdealtFinding>[] = [
  ...(['gamingDay', 'at', 'table', 'shoe', 'coup', 'coupRef', 'dealer'] as const).map(
    (heading): Column<MisdealtFinding> => ({ heading, value: ({ line }) => line[heading] }),
  ),
  ...(
    [
      'id',
      'code',
      'severity',
      'rules',
      'expected',
      'observed',
      'void',
      'remedied',
      'message',
    ] as const
  ).map((heading): Column<MisdealtFinding> => ({
    heading,
    value: ({ finding }) => finding[heading],
  })),
];

export const DEALER_COLUMNS = named<DealerLine>(
  'dealer',
  'coups',
  'cards',
  'findings',
  'errors',
  'coupsInError',
  'errorsPer1000',
  'lower95',
  'upper95',
);

export const SHOE_COLUMNS: readonly Column<ShoeReportLine>[] = [
  ...named<ShoeReportLine>(
    'gamingDay',
    'table',
    'shoe',
    'rules',
    'currency',
    'openedAt',
    'closedAt',
    'closeReason',
    'decks',
    'expected',
    'drawn',
    'unread',
    'computedRemaining',
    'saidRemaining',
    'difference',
    'coups',
    'hours',
    'coupsPerHour',
  ),
  { heading: 'findings', value: ({ findings }) => findings.join(' ') },
];

/** Of a bet what was settled, or of a bet and a cause what of it was wrong: both kinds in one file, told apart by `code`. */
export type PayoutCsvLine =
  | { readonly settled: PayoutLine; readonly wrong?: undefined }
  | { readonly settled?: undefined; readonly wrong: VarianceLine };

export const PAYOUT_COLUMNS: readonly Column<PayoutCsvLine>[] = [
  { heading: 'bet', value: ({ settled, wrong }) => (settled ?? wrong).bet },
  { heading: 'currency', value: ({ settled, wrong }) => (settled ?? wrong).currency },
  ...(['bets', 'staked', 'paid', 'taken', 'won'] as const).map(
    (heading): Column<PayoutCsvLine> => ({ heading, value: ({ settled }) => settled?.[heading] }),
  ),
  ...(['code', 'explainedBy', 'favours', 'findings', 'amount'] as const).map(
    (heading): Column<PayoutCsvLine> => ({ heading, value: ({ wrong }) => wrong?.[heading] }),
  ),
];

export const DEVICE_COLUMNS = named<DeviceLine>(
  'table',
  'source',
  'online',
  'events',
  'session',
  'lastSequence',
  'lastTime',
  'lastReceived',
  'clockOffsetLast',
  'clockOffsetLeast',
  'clockOffsetMost',
  'gaps',
  'unread',
  'equivocations',
);
