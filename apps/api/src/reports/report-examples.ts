const AMOUNTS = { due: 2_500, taken: 0, marked: 2_500, collected: 1_000, waived: 0 };
const OWED = { currency: 'MOP', ...AMOUNTS, outstanding: 1_500 };
const SHOE_REF = 'device/B07-shoe#B07-shoe/7/40';
const COUP_REF = 'device/B07-shoe#B07-shoe/7/61';
const OF_THE_SHOE = { table: 'B07', shoe: 'B07-20261120-3', shoeRef: SHOE_REF };
const DAY = '2026-11-20';

/** Answers as the documentation shows them. Amounts are minor units. */
export const COMMISSION = {
  lines: [{ ...OF_THE_SHOE, seat: 3, dealer: null, gamingDay: null, ...OWED }],
  next: null,
  totals: [OWED],
};
export const COMMISSION_COUPS = {
  lines: [
    {
      ...OF_THE_SHOE,
      coup: 12,
      coupRef: COUP_REF,
      state: 'over',
      dealer: 'd-104',
      openedAt: '2026-11-20T12:04:10.000Z',
      gamingDay: DAY,
      currency: 'MOP',
      seat: 3,
      due: 2_500,
      taken: 0,
      marked: 2_500,
    },
  ],
  next: null,
};

const FINDING = {
  id: 'f3a1c09d52be77e1',
  code: 'TC-05',
  severity: 1,
  table: 'B07',
  shoe: 'B07-20261120-3',
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
  at: '2026-11-20T12:04:10.000Z',
  gamingDay: DAY,
};
const one = <Value>(value: Value): object => ({ value, findings: 1, coups: 1 });
export const MISDEALT = {
  summary: {
    coups: 1,
    findings: 1,
    voidCoups: 0,
    remedied: 0,
    byCode: [one('TC-05')],
    bySeverity: [one(1)],
    byTable: [one('B07')],
    byDealer: [one('d-104')],
    byDay: [one(DAY)],
  },
  lines: [
    {
      coupRef: COUP_REF,
      ...OF_THE_SHOE,
      coup: 12,
      dealer: 'd-104',
      at: '2026-11-20T12:04:10.000Z',
      gamingDay: DAY,
      void: false,
      findings: [FINDING],
    },
  ],
  next: null,
};

const ACCURACY = {
  coups: 1_204,
  cards: 5_930,
  findings: 4,
  errors: 3,
  coupsInError: 3,
  errorsPer1000: 2.49,
  lower95: 0.51,
  upper95: 7.28,
};
export const DEALERS = { lines: [{ dealer: 'd-104', ...ACCURACY }], total: ACCURACY };

export const SHOES = {
  lines: [
    {
      ...OF_THE_SHOE,
      rules: 'punto-banco@1',
      currency: 'MOP',
      gamingDay: DAY,
      openedAt: '2026-11-20T11:02:00.000Z',
      closedAt: '2026-11-20T12:05:00.000Z',
      closed: true,
      closeReason: 'cut-card',
      decks: 8,
      expected: 416,
      drawn: 399,
      unread: 0,
      computedRemaining: 17,
      saidRemaining: 17,
      difference: 0,
      coups: 80,
      hours: 1.05,
      coupsPerHour: 76.19,
      findings: [],
    },
  ],
  next: null,
  total: {
    shoes: 1,
    closed: 1,
    expected: 416,
    drawn: 399,
    unread: 0,
    coups: 80,
    unreconciled: 0,
    findings: 0,
  },
};

export const PAYOUTS = {
  lines: [
    {
      bet: 'banker',
      currency: 'MOP',
      bets: 310,
      staked: 9_300_000,
      paid: 4_100_000,
      taken: 4_800_000,
      won: 700_000,
    },
  ],
  variance: [
    {
      bet: 'tie',
      code: 'PY-03',
      explainedBy: 'odds-read-as-for',
      favours: 'house',
      currency: 'MOP',
      findings: 1,
      amount: 10_000,
    },
  ],
  totals: [
    {
      currency: 'MOP',
      bets: 310,
      staked: 9_300_000,
      paid: 4_100_000,
      taken: 4_800_000,
      won: 700_000,
      findings: 1,
      houseGained: 10_000,
      patronsGained: 0,
      net: 10_000,
    },
  ],
};

export const DEVICES = {
  lines: [
    {
      table: 'B07',
      source: 'device/B07-shoe',
      online: true,
      events: 5_120,
      session: '7',
      lastSequence: 5_120,
      lastTime: '2026-11-20T12:04:55.000Z',
      lastReceived: '2026-11-20T12:04:55.020Z',
      clockOffsetLast: 20,
      clockOffsetLeast: 12,
      clockOffsetMost: 71,
      gaps: 0,
      unread: 1,
      equivocations: 0,
    },
  ],
  next: null,
  total: { devices: 1, events: 5_120, gaps: 0, unread: 1, equivocations: 0 },
};
