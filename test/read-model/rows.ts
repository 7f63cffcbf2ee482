import type { Finding } from '#audit';
import { findingColumns } from '#read-model';
import type {
  CoupRow,
  DeliveryRow,
  DeviceRow,
  FindingAsFolded,
  PositionMove,
  RowBatch,
  ShoeRow,
  ShoeTotals,
  SnapshotRow,
  TableAsFolded,
  UnjudgeableChange,
  UnjudgeableRow,
} from '#read-model';

/** Rows of a plain evening, for tests of writing that do not depend on the content of rows. */

export const NOTHING: RowBatch = {
  moves: [],
  tables: [],
  shoes: [],
  coups: [],
  findings: [],
  reviews: [],
  bases: [],
  reviewEvents: [],
  unjudgeable: [],
  totals: [],
  devices: [],
  houseEvents: [],
  deliveries: [],
  snapshots: [],
  parked: [],
};

const digestOf = (next: number): Uint8Array => new Uint8Array(32).fill(next % 256);

export const move = (
  partition: number,
  generation: number,
  from: number,
  next: number,
): PositionMove => ({
  partition,
  generation,
  from,
  next,
  lastDigest: digestOf(next),
  events: next - from,
});

export const tableRow = (table: string, with_: Partial<TableAsFolded> = {}): TableAsFolded => ({
  table,
  name: table,
  partition: 0,
  changed: 1,
  shoeRef: `device/${table}#1`,
  dealer: 'dora',
  lastEventTime: '2026-11-20T12:00:00.123Z',
  lastReceived: '2026-11-20T12:00:00.200Z',
  read: 10,
  admitted: 8,
  duplicates: 1,
  equivocal: 0,
  late: 1,
  stray: 0,
  ...with_,
});

export const shoeRow = (ref: string, with_: Partial<ShoeRow> = {}): ShoeRow => ({
  ref,
  table: 'B07',
  shoe: 'S1',
  rules: 'punto-banco@1',
  decks: 8,
  kind: 'physical',
  currency: 'USD',
  coups: 1,
  cards: 6,
  unread: 0,
  leftByRank: [32, 31, 32, 30, 30, 31, 32, 32, 32, 32, 32, 32, 32],
  burn: { cards: ['3S', null], permitted: [4], byFirstCard: true },
  cutCard: { coup: 1, inside: true, cardsLeft: 410, coupsLeft: 1 },
  closed: false,
  closeReason: null,
  remaining: null,
  openedAt: '2026-11-20T12:00:00.000Z',
  closedAt: null,
  gamingDay: '2026-11-20',
  openedOffset: 4,
  openedLine: 2,
  partition: 0,
  changed: 5,
  ...with_,
});

export const coupRow = (ref: string, with_: Partial<CoupRow> = {}): CoupRow => ({
  ref,
  shoeRef: 'device/B07#1',
  table: 'B07',
  shoe: 'S1',
  coup: 1,
  kind: 'normal',
  state: 'over',
  outcome: 'banker',
  dealer: 'dora',
  openedAt: '2026-11-20T12:00:01.000Z',
  endedAt: '2026-11-20T12:01:00.000Z',
  gamingDay: '2026-11-20',
  partition: 0,
  changed: 6,
  detail: {
    callers: [],
    cards: [
      {
        ref: `${ref}/card`,
        card: '9S',
        to: 'player',
        moved: false,
        exposed: false,
        carried: false,
        ms: 4_000,
      },
    ],
    bettingClosed: { ms: 2_000 },
    declared: [{ outcome: 'banker', by: 'dealer', ms: 12_000 }],
    bets: [
      {
        seat: 1,
        bet: 'banker',
        stands: 100,
        late: 0,
        settled: {
          stake: 'returned',
          paid: 100,
          commissionTaken: 0,
          commissionMarked: 5,
          ms: 14_000,
        },
      },
    ],
    commission: [{ seat: 1, due: 5, taken: 0, marked: 5 }],
  },
  ...with_,
});

export const aFinding = (id: string, with_: Partial<Finding> = {}): Finding => ({
  id,
  code: 'PY-03',
  severity: 2,
  table: 'B07',
  shoe: 'S1',
  coup: 1,
  seat: 1,
  bet: 'tie',
  rules: 'punto-banco@1',
  events: ['device/B07#9'],
  expected: '80.00',
  observed: '70.00',
  explainedBy: 'odds-read-as-for',
  impact: { amount: 1000, currency: 'USD', favours: 'house' },
  void: false,
  remedied: false,
  message: 'A tie was paid 7 to 1.',
  ...with_,
});

export const findingRow = (id: string, with_: Partial<FindingAsFolded> = {}): FindingAsFolded => ({
  ...findingColumns(with_.body ?? aFinding(id)),
  shoeRef: 'device/B07#1',
  coupRef: 'device/B07#2',
  dealer: 'dora',
  at: '2026-11-20T12:00:01.000Z',
  gamingDay: '2026-11-20',
  raisedAt: '2026-11-20T12:00:02.000Z',
  withdrawnBecause: null,
  partition: 0,
  changed: 7,
  ...with_,
});

export const unjudgeableRow = (
  key: string,
  with_: Partial<UnjudgeableRow> = {},
): UnjudgeableRow => ({
  table: 'B07',
  shoeRef: 'device/B07#1',
  coupRef: 'device/B07#2',
  key,
  shoe: 'S1',
  coup: 1,
  partition: 0,
  changed: 8,
  body: {
    table: 'B07',
    shoe: 'S1',
    coup: 1,
    codes: ['TC-05'],
    events: ['device/B07#3'],
    why: 'a card could not be read',
  },
  ...with_,
});

/** Returns the change that deletes an unjudgeable entry. */
export const judgedAfterAll = (row: UnjudgeableRow): UnjudgeableChange => ({ ...row, body: null });

export const shoeTotals = (shoeRef: string, with_: Partial<ShoeTotals> = {}): ShoeTotals => ({
  whole: true,
  shoeRef,
  table: 'B07',
  shoe: 'S1',
  currency: 'USD',
  ledger: [
    { seat: 1, due: 5, taken: 0, marked: 5, collected: 0, waived: 0 },
    { seat: 2, due: 10, taken: 0, marked: 10, collected: 10, waived: 0 },
  ],
  commission: [
    {
      seat: 1,
      dealer: 'dora',
      gamingDay: '2026-11-20',
      due: 5,
      taken: 0,
      marked: 5,
      collected: 0,
      waived: 0,
    },
    {
      seat: 2,
      dealer: 'dora',
      gamingDay: '2026-11-20',
      due: 10,
      taken: 0,
      marked: 10,
      collected: 10,
      waived: 0,
    },
  ],
  dealt: [{ dealer: 'dora', gamingDay: '2026-11-20', coups: 1, cards: 6 }],
  bets: [
    {
      bet: 'banker',
      dealer: 'dora',
      gamingDay: '2026-11-20',
      bets: 2,
      staked: 300,
      paid: 300,
      taken: 0,
    },
    {
      bet: 'tie',
      dealer: 'dora',
      gamingDay: '2026-11-20',
      bets: 1,
      staked: 10,
      paid: 0,
      taken: 10,
    },
  ],
  ...with_,
});

export const deviceRow = (source: string, with_: Partial<DeviceRow> = {}): DeviceRow => ({
  table: 'B07',
  source,
  events: 9,
  session: '7',
  lastSequence: 9,
  lastTime: '2026-11-20T12:00:01.000Z',
  lastReceived: '2026-11-20T12:00:01.040Z',
  clockOffsetLast: 40,
  clockOffsetLeast: -3,
  clockOffsetMost: 90,
  online: true,
  partition: 0,
  changed: 9,
  ...with_,
});

const deliveryRow = (sender: string, with_: Partial<DeliveryRow> = {}): DeliveryRow => ({
  table: 'B07',
  sender,
  source: 'device/B07',
  events: 9,
  duplicates: 1,
  unread: 2,
  lastReceived: '2026-11-20T12:00:01.040Z',
  partition: 0,
  changed: 9,
  ...with_,
});

/** Returns a batch with rows of every kind, which moves partition 0 from `from` to `next`. */
export const evening = (generation: number, from: number, next: number): RowBatch => ({
  ...NOTHING,
  moves: [move(0, generation, from, next)],
  tables: [tableRow('B07', { changed: next })],
  shoes: [shoeRow('device/B07#1')],
  coups: [coupRow('device/B07#2')],
  findings: [findingRow('f1')],
  unjudgeable: [unjudgeableRow('k1')],
  totals: [shoeTotals('device/B07#1')],
  devices: [deviceRow('device/B07')],
  deliveries: [deliveryRow('device/B07-key')],
  snapshots: [snapshotRow('B07', next, '{"state":"of B07"}')],
});

/** Returns the saved state of a table that waits for nothing. */
export const snapshotRow = (
  table: string,
  next: number,
  state: string | Buffer = '',
  with_: Partial<SnapshotRow> = {},
): SnapshotRow => ({
  ...{ table, partition: 0, next, state: Buffer.from(state), waits: false },
  ...with_,
});
