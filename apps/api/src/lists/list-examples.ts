/** One afternoon at table B07, as the documentation shows it. */
const TABLE = 'B07';
const SHOE_ID = 'B07-20261120-3';
const SHOE_REF = 'device/B07-shoe#B07-shoe/7/40';
const COUP_REF = 'device/B07-shoe#B07-shoe/7/61';
const AT = '2026-11-20T12:04:10.000Z';
const DAY = '2026-11-20';

const CARDS = [
  ['9S', 'player'],
  ['4D', 'banker'],
  ['8C', 'player'],
  ['2H', 'banker'],
].map(([card, to], i) => ({
  ref: `device/B07-shoe#B07-shoe/7/${63 + i}`,
  card,
  to,
  moved: false,
  exposed: false,
  carried: false,
}));
const BETS = [
  {
    seat: 3,
    bet: 'player',
    stands: 50_000,
    late: 0,
    settled: { stake: 'returned', paid: 50_000, commissionTaken: 0, commissionMarked: 0 },
  },
];

const FINDING = {
  id: 'f3a1c09d52be77e1',
  code: 'TC-05',
  severity: 1,
  table: TABLE,
  shoe: SHOE_ID,
  coup: 12,
  rules: 'punto-banco@1',
  events: ['device/B07-shoe#B07-shoe/7/67'],
  expected: 'the banker hand draws on 6 against 6',
  observed: 'it stood',
  void: false,
  remedied: false,
  message: 'The banker hand had to draw and did not.',
  status: 'standing',
  withdrawnBecause: null,
  shoeRef: SHOE_REF,
  coupRef: COUP_REF,
  dealer: 'd-104',
  at: AT,
  gamingDay: DAY,
};
const SHOE_LINE = {
  ref: SHOE_REF,
  table: TABLE,
  shoe: SHOE_ID,
  rules: 'punto-banco@1',
  decks: 8,
  kind: 'physical',
  currency: 'MOP',
  coups: 12,
  cards: 61,
  unread: 0,
  closed: false,
  closeReason: null,
  remaining: null,
  openedAt: '2026-11-20T11:02:00.000Z',
  closedAt: null,
  gamingDay: DAY,
  findings: 1,
  worst: 1,
};
const COUP_LINE = {
  ref: COUP_REF,
  shoeRef: SHOE_REF,
  table: TABLE,
  shoe: SHOE_ID,
  coup: 12,
  kind: 'normal',
  state: 'over',
  outcome: 'player',
  dealer: 'd-104',
  openedAt: AT,
  endedAt: '2026-11-20T12:04:55.000Z',
  gamingDay: DAY,
  player: ['9S', '8C'],
  banker: ['4D', '2H'],
  findings: 1,
  worst: 1,
};

export const TABLES = {
  lines: [
    {
      table: TABLE,
      dealer: 'd-104',
      lastEventTime: AT,
      lastReceived: AT,
      shoe: {
        ref: SHOE_REF,
        shoe: SHOE_ID,
        rules: 'punto-banco@1',
        decks: 8,
        kind: 'physical',
        currency: 'MOP',
        coups: 12,
        cards: 61,
        unread: 0,
        openedAt: '2026-11-20T11:02:00.000Z',
        gamingDay: DAY,
        findings: 1,
        worst: 1,
      },
      coup: {
        ref: COUP_REF,
        coup: 12,
        kind: 'normal',
        openedAt: AT,
        cards: CARDS.slice(0, 2),
        bets: BETS.map((bet) => ({ ...bet, settled: null })),
      },
      events: { read: 812, admitted: 812, duplicates: 0, equivocal: 0, late: 0, stray: 0 },
      parked: null,
    },
  ],
  next: null,
};
export const SHOES = { lines: [SHOE_LINE], next: null };
export const SHOE = {
  ...SHOE_LINE,
  ledger: [
    { seat: 3, due: 2_500, taken: 0, marked: 2_500, collected: 0, waived: 0, outstanding: 2_500 },
  ],
  coupLines: [COUP_LINE],
  raised: [FINDING],
  unjudgeable: [],
};
export const COUPS = { lines: [COUP_LINE], next: null };
export const COUP = {
  ...COUP_LINE,
  rules: 'punto-banco@1',
  decks: 8,
  currency: 'MOP',
  steps: CARDS.map((card, i) => ({
    ...card,
    due: [{ step: 'card', to: i % 2 === 0 ? 'player' : 'banker' }],
  })),
  then: [{ step: 'outcome', outcome: 'player' }],
  declared: [{ outcome: 'player', by: 'dealer' }],
  bets: BETS,
  commission: [],
  raised: [FINDING],
  unjudgeable: [],
};
export const FINDINGS = { lines: [FINDING], next: null };
