import {
  COUP_FIELDS,
  FINDING_FIELDS,
  SHOE_FIELDS,
  type CoupLine,
  type FindingLine,
  type ShoeLine,
  type TableLine,
  type TableShoe,
} from '#read-model';
import { named, ofFindings, withOthers, type Column } from '../reading/files/columns.js';

/** The columns of the file of the list of tables. */
export const TABLE_COLUMNS: readonly Column<TableLine>[] = [
  ...named<TableLine>('table', 'dealer', 'lastEventTime', 'lastReceived'),
  ...(
    ['shoe', 'ref', 'rules', 'decks', 'currency', 'coups', 'cards', 'unread', 'openedAt'] as const
  ).map(ofShoe),
  ...ofFindings((['findings', 'worst'] as const).map(ofShoe)),
  { heading: 'coup', value: ({ coup }) => coup?.coup },
  { heading: 'coupRef', value: ({ coup }) => coup?.ref },
  ...(['read', 'admitted', 'duplicates', 'equivocal', 'late', 'stray'] as const).map(
    (heading): Column<TableLine> => ({ heading, value: ({ events }) => events?.[heading] }),
  ),
  { heading: 'parked', value: ({ parked }) => parked?.reason },
];

/** Returns the column of a field of the shoe. */
function ofShoe(name: keyof TableShoe): Column<TableLine> {
  return { heading: inShoe(name), value: ({ shoe }) => shoe?.[name] };
}

/** Returns the heading of a field of the shoe: `shoeOpenedAt` for `openedAt`. */
function inShoe(name: string): string {
  return name === 'shoe' ? name : `shoe${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The columns of the file of the list of shoes. */
export const SHOE_LIST_COLUMNS: readonly Column<ShoeLine>[] = [
  ...withOthers(SHOE_FIELDS, named<ShoeLine>('gamingDay', 'table', 'shoe')),
  ...ofFindings(named<ShoeLine>('findings', 'worst')),
];

/** The columns of the file of the list of coups. An unread card is `?`. */
export const COUP_COLUMNS: readonly Column<CoupLine>[] = [
  ...withOthers(COUP_FIELDS, named<CoupLine>('gamingDay', 'table', 'shoe', 'coup')),
  ...(['player', 'banker'] as const).map((heading): Column<CoupLine> => ({
    heading,
    value: (line) => line[heading].map((card) => card ?? '?').join(' '),
  })),
  ...ofFindings(named<CoupLine>('findings', 'worst')),
];

const REVIEW_COLUMNS: readonly Column<FindingLine>[] = [
  { heading: 'review', value: ({ review }) => review.state },
  { heading: 'claimedBy', value: ({ review }) => review.claim?.by },
  { heading: 'claimedUntil', value: ({ review }) => review.claim?.until },
  {
    heading: 'disposition',
    value: ({ review: { proposal, ruling } }) => (ruling ?? proposal)?.disposition,
  },
  {
    heading: 'proposedBy',
    value: ({ review: { proposal, ruling } }) => ruling?.proposedBy ?? proposal?.by,
  },
  { heading: 'signedBy', value: ({ review }) => review.ruling?.signedBy },
  { heading: 'ruledAt', value: ({ review }) => review.ruling?.at },
  ...(['counts', 'escalated', 'stale', 'regressed', 'touched', 'lapsed', 'evidence'] as const).map(
    (heading): Column<FindingLine> => ({ heading, value: ({ review }) => review[heading] }),
  ),
];

/** The columns of the file of the list of findings. */
export const FINDING_COLUMNS: readonly Column<FindingLine>[] = [
  ...withOthers(FINDING_FIELDS, [
    ...named<FindingLine>(
      'gamingDay',
      'at',
      'raisedAt',
      'videoHeldUntil',
      'table',
      'shoe',
      'coup',
      'dealer',
      'id',
      'code',
      'severity',
      'status',
      'rules',
      'expected',
      'observed',
      'explainedBy',
    ),
    ...(['amount', 'currency', 'favours'] as const).map((name): Column<FindingLine> => ({
      heading: name,
      value: ({ impact }) => impact?.[name],
    })),
    ...named<FindingLine>('void', 'remedied', 'message', 'shoeRef', 'coupRef', 'withdrawnBecause'),
  ]),
  { heading: 'events', value: ({ events }) => events.join(' ') },
  ...REVIEW_COLUMNS,
];
