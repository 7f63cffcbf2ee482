import {
  DEVICE_FIELDS,
  type CommissionCoup,
  type CommissionLine,
  type DealerLine,
  type DeviceLine,
  type MisdealtLine,
  type FindingLine,
  type PayoutCoup,
  type PayoutLine,
  type PayoutsReport,
  type ShoeReportLine,
  type VarianceLine,
} from '#read-model';
import { named, ofFindings, type Column } from '../reading/files/columns.js';

/** The columns of the file of the commission report. */
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
/** The columns of the file of the coups that the commission report adds up. */
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

/** One finding of a misdealt coup, which is a line of the file. */
interface MisdealtFinding {
  readonly line: MisdealtLine;
  readonly finding: FindingLine;
}

/** The columns of the file of misdealt coups, one line for each finding. */
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

/** Returns the lines of the file of a misdealt coup. */
export const misdealtFindings = (line: MisdealtLine): readonly MisdealtFinding[] =>
  line.findings.map((finding) => ({ line, finding }));

/** The columns of the file of the report on dealers. */
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

/** The columns of the file of the report on shoes. */
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
  ...ofFindings<ShoeReportLine>([
    { heading: 'findings', value: ({ findings }) => findings.join(' ') },
  ]),
];

/** The columns of the file of the coups that the report on payouts adds up. */
export const PAYOUT_COUP_COLUMNS = named<PayoutCoup>(
  'gamingDay',
  'table',
  'shoe',
  'coup',
  'coupRef',
  'openedAt',
  'dealer',
  'bet',
  'currency',
  'bets',
  'staked',
  'paid',
  'taken',
  'won',
);

/**
 * A line of the file: the settlements of a bet, or the wrong ones among them for one cause. Only
 * the second kind has a `code`.
 */
export type PayoutCsvLine =
  | { readonly settled: PayoutLine; readonly wrong?: undefined }
  | { readonly settled?: undefined; readonly wrong: VarianceLine };

/** The columns of the file of the report on payouts. */
export const PAYOUT_COLUMNS: readonly Column<PayoutCsvLine>[] = [
  { heading: 'bet', value: ({ settled, wrong }) => (settled ?? wrong).bet },
  { heading: 'currency', value: ({ settled, wrong }) => (settled ?? wrong).currency },
  ...(['bets', 'staked', 'paid', 'taken', 'won'] as const).map(
    (heading): Column<PayoutCsvLine> => ({ heading, value: ({ settled }) => settled?.[heading] }),
  ),
  ...ofFindings(
    (['code', 'explainedBy', 'favours', 'findings', 'amount'] as const).map(
      (heading): Column<PayoutCsvLine> => ({ heading, value: ({ wrong }) => wrong?.[heading] }),
    ),
  ),
];

/** Returns a line as readers of findings see it; others see no wrong settlements. */
export const seenPayout = (line: PayoutCsvLine, seesFindings: boolean): readonly PayoutCsvLine[] =>
  line.wrong && !seesFindings ? [] : [line];

/** Returns the lines of the file: the settlements of each bet, then the wrong ones. */
export const payoutLines = ({
  lines,
  variance,
}: Pick<PayoutsReport, 'lines' | 'variance'>): readonly PayoutCsvLine[] => [
  ...lines.map((settled) => ({ settled })),
  ...variance.map((wrong) => ({ wrong })),
];

/** The columns of the file of the report on devices. */
export const DEVICE_COLUMNS = named<DeviceLine>(
  ...DEVICE_FIELDS,
  'gaps',
  'unread',
  'equivocations',
);
