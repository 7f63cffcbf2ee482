import { describe, expect, it } from '@jest/globals';
import type { EventData, Finding, Report } from '#audit';
import { audit, codes, type Audited } from '../kit/audit.js';
import { BANKER_WINS, PLAYER_WINS, settle, TIE } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

/** The banker hand wins with 7 or 6, with or without its third card. */
const BANKER_THREE_CARD_7 = 'P KS B 2H P 2D B AC P TH B 4S';
const BANKER_THREE_CARD_6 = 'P KS B 2H P 2D B AC P TH B 3S';
const BANKER_TWO_CARD_6 = 'P KS B 2H P 2D B 4C P TH';
const ALL: readonly Report[] = ['outcomes', 'bets', 'settlements', 'commission', 'dealers'];

type Settlement = Parameters<typeof settle>[1] extends readonly [number, string, ...infer Rest]
  ? Rest
  : never;

interface Case {
  readonly bet: string;
  readonly stake?: number;
  readonly cards?: string;
  readonly settled: readonly Settlement[];
  readonly rules?: string;
  readonly reports?: readonly Report[];
  readonly kind?: EventData['coup-opened']['kind'];
}

/** Plays one bet of seat 1 (a stake of 100 by default) with its cards and settlements. */
function judged({
  bet,
  stake = 100,
  cards = PLAYER_WINS,
  settled,
  rules = 'punto-banco-no-burn@1',
  reports = ALL,
  kind,
}: Case): Audited {
  const log = new TableLog();
  log.open({ rules, reports });
  log.dealer();
  log.add('shoe', 'coup-opened', { coup: 1, ...(kind ? { kind } : undefined) });
  log.add('terminal', 'bet-placed', { seat: 1, bet, amount: stake });
  log.draw(cards);
  const outcome = cards === PLAYER_WINS ? 'player' : cards === TIE ? 'tie' : 'banker';
  log.add('terminal', 'outcome-declared', { outcome, by: 'dealer' });
  for (const each of settled) settle(log, [1, bet, ...each]);
  log.add('terminal', 'coup-closed');
  return audit(log.events);
}
function only(audited: Audited): Finding {
  expect(codes(audited.findings)).toHaveLength(1);
  return audited.findings[0] as Finding;
}
const patron = (amount: number): unknown => ({ amount, currency: 'USD', favours: 'patron' });
const house = (amount: number): unknown => ({ amount, currency: 'USD', favours: 'house' });

describe('a bet settled as the document prescribes', () => {
  it.each<[string, Case]>([
    ['a winning player bet, at even money', { bet: 'player', settled: [['returned', 100]] }],
    [
      'a winning banker bet, at even money less marked commission',
      { bet: 'banker', cards: BANKER_WINS, settled: [['returned', 100, 5]] },
    ],
    ['a winning tie bet, at 8 to 1', { bet: 'tie', cards: TIE, settled: [['returned', 800]] }],
    ['a losing player bet', { bet: 'player', cards: BANKER_WINS, settled: [['taken', 0]] }],
    ['a player bet on a tie', { bet: 'player', cards: TIE, settled: [['returned', 0]] }],
    ['a banker bet on a tie', { bet: 'banker', cards: TIE, settled: [['returned', 0]] }],
    [
      'a winning pair bet, at 11 to 1',
      { bet: 'player-pair', cards: 'P 5S B 2H P 5D B 5C P 2C', settled: [['returned', 1100]] },
    ],
    [
      'a pair bet on jack and queen',
      { bet: 'player-pair', cards: 'P JS B 4H P QD B 5C', settled: [['taken', 0]] },
    ],
    [
      'lucky 6 with two cards, at 12 to 1',
      {
        rules: 'macau-2011@1',
        bet: 'lucky-6',
        cards: BANKER_TWO_CARD_6,
        settled: [['returned', 1200]],
      },
    ],
    [
      'lucky 6 with three cards, at 20 to 1',
      {
        rules: 'macau-2011@1',
        bet: 'lucky-6',
        cards: BANKER_THREE_CARD_6,
        settled: [['returned', 2000]],
      },
    ],
    [
      "EZ's push on a three-card seven",
      {
        rules: 'ez-baccarat@1',
        bet: 'banker',
        cards: BANKER_THREE_CARD_7,
        settled: [['returned', 0]],
      },
    ],
    [
      "super 6's half payment on a six",
      { rules: 'super-6@1', bet: 'banker', cards: BANKER_TWO_CARD_6, settled: [['returned', 50]] },
    ],
    [
      'half of an odd stake, rounded half up',
      {
        rules: 'super-6@1',
        bet: 'banker',
        stake: 101,
        cards: BANKER_TWO_CARD_6,
        settled: [['returned', 51]],
      },
    ],
    [
      'two settlements that add up',
      {
        bet: 'tie',
        cards: TIE,
        settled: [
          ['taken', 300],
          ['returned', 500],
        ],
      },
    ],
    [
      'big, at 0.54',
      { rules: 'super-6@1', bet: 'big', cards: BANKER_TWO_CARD_6, settled: [['returned', 54]] },
    ],
  ])('raises nothing: %s', (_, played) => {
    expect(judged(played).findings).toEqual([]);
    expect(judged(played).unjudgeable).toEqual([]);
  });
});

describe('a winner that was not paid (PY-01)', () => {
  it.each<[string, Case['settled'], unknown]>([
    ['without a settlement', [], house(100)],
    ['with its stake taken', [['taken', 0]], house(200)],
    ['with its stake taken though paid', [['taken', 100]], house(100)],
    ['with nothing paid', [['returned', 0]], house(100)],
    [
      'with its stake taken at last',
      [
        ['returned', 100],
        ['taken', 0],
      ],
      house(100),
    ],
  ])('raises PY-01 %s', (_, settled, impact) => {
    expect(only(judged({ bet: 'player', settled }))).toMatchObject({
      code: 'PY-01',
      severity: 1,
      coup: 1,
      expected: 'paid 100 (1 to 1), stake returned',
      impact,
    });
  });

  it('raises PY-01 if a half payment was not paid at all', () => {
    expect(
      only(
        judged({
          rules: 'super-6@1',
          bet: 'banker',
          cards: BANKER_TWO_CARD_6,
          settled: [['returned', 0]],
        }),
      ),
    ).toMatchObject({ code: 'PY-01', impact: house(50) });
  });

  it('raises nothing without a settlement if the table does not report settlements, or if it does not report bets', () => {
    const reports = ALL.filter((report) => report !== 'settlements');
    expect(judged({ bet: 'player', settled: [], reports }).findings).toEqual([]);
    expect(codes(judged({ bet: 'player', settled: [['taken', 0]], reports }).findings)).toEqual([
      'PY-01',
    ]);
    expect(
      judged({
        bet: 'player',
        settled: [['taken', 0]],
        reports: ALL.filter((report) => report !== 'bets'),
      }).findings,
    ).toEqual([]);
  });
});

describe('a loser that was not collected (PY-02)', () => {
  it.each<[string, Case['settled'], unknown]>([
    ['without a settlement', [], patron(100)],
    ['with its stake returned', [['returned', 0]], patron(100)],
    ['with anything paid', [['taken', 5]], patron(5)],
    ['paid as if it had won', [['returned', 100]], patron(200)],
  ])('raises PY-02 %s', (_, settled, impact) => {
    expect(only(judged({ bet: 'player', cards: BANKER_WINS, settled }))).toMatchObject({
      code: 'PY-02',
      severity: 1,
      impact,
    });
  });

  it('raises nothing without a settlement if the table does not report settlements', () => {
    expect(
      judged({ bet: 'player', cards: BANKER_WINS, settled: [], reports: ['bets'] }).findings,
    ).toEqual([]);
  });
});

describe('a push that was not returned, or was paid (PY-04)', () => {
  it.each<[string, Case['settled'], unknown]>([
    ['without a settlement', [], undefined],
    ['with its stake taken', [['taken', 0]], house(100)],
    ['with anything paid', [['returned', 100]], patron(100)],
  ])('raises PY-04 %s', (_, settled, impact) => {
    const finding = only(judged({ bet: 'player', cards: TIE, settled }));
    expect(finding).toMatchObject({ code: 'PY-04', severity: 1 });
    expect(finding.impact).toEqual(impact);
  });
});

describe('a special push or half payment that was not made (PY-05)', () => {
  const seven = { rules: 'ez-baccarat@1', bet: 'banker', cards: BANKER_THREE_CARD_7 };
  const six = { rules: 'super-6@1', bet: 'banker', cards: BANKER_TWO_CARD_6 };
  it.each<[string, Case, unknown]>([
    ["EZ's three-card seven was paid", { ...seven, settled: [['returned', 100]] }, patron(100)],
    ["EZ's three-card seven was taken", { ...seven, settled: [['taken', 0]] }, house(100)],
    ["EZ's three-card seven was left", { ...seven, settled: [] }, undefined],
    ["super 6's six was paid in full", { ...six, settled: [['returned', 100]] }, patron(50)],
    ["super 6's six was paid too little", { ...six, settled: [['returned', 5]] }, house(45)],
    [
      "super 6's half was paid and the stake taken",
      { ...six, settled: [['taken', 50]] },
      house(100),
    ],
    [
      "super 6's half of an odd stake was rounded down",
      { ...six, stake: 101, settled: [['returned', 50]] },
      house(1),
    ],
  ])('raises PY-05: %s', (_, played, impact) => {
    const finding = only(judged(played));
    expect(finding).toMatchObject({ code: 'PY-05', severity: 1 });
    expect(finding.impact).toEqual(impact);
    expect(finding.explainedBy).toBeUndefined();
  });

  it('is not raised for a wrong settlement to which the special rule does not apply', () => {
    const plain = 'P KS B 3H P 2D B 4C P TH'; // the banker hand wins with two cards and 7
    expect(
      codes(
        judged({ rules: 'ez-baccarat@1', bet: 'banker', cards: plain, settled: [['returned', 50]] })
          .findings,
      ),
    ).toEqual(['PY-03']);
    expect(
      codes(
        judged({ rules: 'super-6@1', bet: 'banker', cards: plain, settled: [['returned', 50]] })
          .findings,
      ),
    ).toEqual(['PY-03']);
    expect(
      codes(
        judged({ rules: 'ez-baccarat@1', bet: 'banker', cards: TIE, settled: [['taken', 0]] })
          .findings,
      ),
    ).toEqual(['PY-04']);
  });
});

describe('a winner that was paid another amount (PY-03)', () => {
  it.each<[string, Case, Finding['explainedBy'], unknown]>([
    [
      'a tie paid 7 to 1, because 8 to 1 was read as 8 for 1',
      { bet: 'tie', cards: TIE, settled: [['returned', 700]] },
      'odds-read-as-for',
      house(100),
    ],
    [
      'a pair paid 10 to 1',
      { bet: 'player-pair', cards: 'P 5S B 2H P 5D B 5C P 2C', settled: [['returned', 1000]] },
      'odds-read-as-for',
      house(100),
    ],
    [
      'lucky 6 with two cards paid as if with three',
      {
        rules: 'macau-2011@1',
        bet: 'lucky-6',
        cards: BANKER_TWO_CARD_6,
        settled: [['returned', 2000]],
      },
      'wrong-tier',
      patron(800),
    ],
    [
      'lucky 6 with three cards paid as if with two',
      {
        rules: 'macau-2011@1',
        bet: 'lucky-6',
        cards: BANKER_THREE_CARD_6,
        settled: [['returned', 1200]],
      },
      'wrong-tier',
      house(800),
    ],
    [
      'banker paid 95 with the commission netted',
      { bet: 'banker', cards: BANKER_WINS, settled: [['returned', 95]] },
      'commission-netted',
      house(5),
    ],
    [
      'big on 125 paid 67 instead of 67.5',
      {
        rules: 'super-6@1',
        bet: 'big',
        stake: 125,
        cards: BANKER_TWO_CARD_6,
        settled: [['returned', 67]],
      },
      'wrong-rounding',
      house(1),
    ],
    [
      'a tie paid 9 to 1',
      { bet: 'tie', cards: TIE, settled: [['returned', 900]] },
      'stake-counted-as-winnings',
      patron(100),
    ],
    [
      'a player bet paid twice over',
      { bet: 'player', settled: [['returned', 200]] },
      'stake-counted-as-winnings',
      patron(100),
    ],
    [
      'a tie paid some other amount',
      { bet: 'tie', cards: TIE, settled: [['returned', 750]] },
      undefined,
      house(50),
    ],
    [
      'a player bet paid in two parts that add up to too much',
      {
        bet: 'player',
        settled: [
          ['returned', 60],
          ['returned', 60],
        ],
      },
      undefined,
      patron(20),
    ],
  ])(
    'raises PY-03, with the slip that explains it, if any: %s',
    (_, played, explainedBy, impact) => {
      const finding = only(judged(played));
      expect(finding).toMatchObject({ code: 'PY-03', severity: 1, impact });
      expect(finding.explainedBy).toBe(explainedBy);
    },
  );

  it('raises CM-01 too, unless the commission was netted', () => {
    expect(
      codes(judged({ bet: 'banker', cards: BANKER_WINS, settled: [['returned', 95]] }).findings),
    ).toEqual(['PY-03']);
    expect(
      codes(judged({ bet: 'banker', cards: BANKER_WINS, settled: [['returned', 90]] }).findings),
    ).toEqual(['CM-01', 'PY-03']);
  });

  it('is explained by rounding only if rounding explains it', () => {
    expect(
      only(
        judged({
          rules: 'super-6@1',
          bet: 'big',
          stake: 125,
          cards: BANKER_TWO_CARD_6,
          settled: [['returned', 66]],
        }),
      ).explainedBy,
    ).toBeUndefined();
  });
});

describe('a settlement without a bet (PY-06)', () => {
  function table(...steps: ((log: TableLog) => unknown)[]): Audited {
    const log = new TableLog();
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    for (const step of steps) step(log);
    log.draw(PLAYER_WINS);
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    settle(log, [1, 'player', 'returned', 100]);
    settle(log, [2, 'player', 'returned', 70]);
    log.add('terminal', 'coup-closed');
    return audit(log.events);
  }

  it('raises PY-06 if nothing was placed, or all was withdrawn', () => {
    expect(only(table())).toMatchObject({ code: 'PY-06', severity: 1, impact: patron(70) });
    const withdrawn = table(
      (log) => log.add('terminal', 'bet-placed', { seat: 2, bet: 'player', amount: 70 }),
      (log) => log.add('terminal', 'bet-withdrawn', { seat: 2, bet: 'player', amount: 70 }),
    );
    expect(only(withdrawn)).toMatchObject({ code: 'PY-06' });
  });

  it('raises nothing if there is a bet', () => {
    expect(
      table((log) => log.add('terminal', 'bet-placed', { seat: 2, bet: 'player', amount: 70 }))
        .findings,
    ).toEqual([]);
  });

  it('raises PY-06 before any coup of the shoe, unless the table does not report bets', () => {
    for (const reports of [ALL, ['settlements'] as const]) {
      const log = new TableLog();
      log.open({ reports });
      settle(log, [1, 'player', 'returned', 100]);
      expect(codes(audit(log.events).findings)).toEqual(reports === ALL ? ['PY-06'] : []);
    }
  });
});

describe('a settlement before the outcome (PY-07)', () => {
  function early(clock?: string, declared = true, source = 'camera'): Audited {
    const log = new TableLog();
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    log.draw(PLAYER_WINS);
    log.add(
      'terminal',
      'bet-settled',
      { seat: 1, bet: 'player', stake: 'returned', paid: 100 },
      { time: '2026-11-20T12:01:00.000Z' },
    );
    if (declared)
      log.add(
        source,
        'outcome-declared',
        { outcome: 'player', by: 'device' },
        { time: `2026-11-20T12:01:${clock}Z` },
      );
    log.add('terminal', 'coup-closed');
    return audit(log.events);
  }

  it('raises PY-07, and the settlement itself is judged too', () => {
    expect(only(early('30.000'))).toMatchObject({ code: 'PY-07', severity: 3, coup: 1 });
    expect(only(early('00.000', true, 'terminal'))).toMatchObject({ code: 'PY-07' });
  });

  it('cannot be judged between two sources whose clocks are too close', () => {
    for (const clock of ['01.000', '00.000']) {
      expect(early(clock).findings).toEqual([]);
      expect(early(clock).unjudgeable).toMatchObject([{ coup: 1, codes: ['PY-07'] }]);
    }
    expect(codes(early('01.001').findings)).toEqual(['PY-07']);
  });

  it('raises nothing if no outcome follows', () => {
    expect(codes(early(undefined, false).findings)).toEqual(['RS-07']);
  });

  it('raises nothing in a dummy coup, whose stakes are returned whatever the outcome', () => {
    const log = new TableLog();
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1, kind: 'dummy' });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    log.draw(PLAYER_WINS);
    log.add('terminal', 'bet-settled', { seat: 1, bet: 'player', stake: 'returned', paid: 0 });
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    log.add('terminal', 'coup-closed');
    expect(codes(audit(log.events).findings)).toEqual(['BT-07']);
  });
});

describe('a settlement after the close of the coup (PY-10)', () => {
  function late(marked: number): Audited {
    const log = new TableLog();
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'banker', amount: 100 });
    log.draw(BANKER_WINS);
    log.add('terminal', 'outcome-declared', { outcome: 'banker', by: 'dealer' });
    log.add('terminal', 'coup-closed');
    settle(log, [1, 'banker', 'returned', 100, marked]);
    return audit(log.events);
  }

  it('raises PY-10; the coup is not judged again, and the commission enters the ledger', () => {
    const audited = late(5);
    expect(codes(audited.findings)).toEqual(['PY-01', 'PY-10']);
    expect(audited.findings.find(({ code }) => code === 'PY-10')).toMatchObject({
      severity: 2,
      coup: 1,
    });
    expect(audited.ledger).toMatchObject([{ seat: 1, due: 0, marked: 5, outstanding: 5 }]);
  });

  it('raises PY-10 in the shoe before the open one, and PR-09 in an older one', () => {
    const log = new TableLog();
    log.open();
    log.dealer();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    log.draw(PLAYER_WINS);
    log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
    settle(log, [1, 'player', 'returned', 100]);
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    for (const [shoe, expected] of [
      ['S2', ['PY-10']],
      ['S3', ['PR-09', 'PY-10']],
    ] as const) {
      log.shoe = shoe;
      log.open();
      log.add('shoe', 'shoe-closed', { reason: 'end' });
      log.shoe = 'S1';
      settle(log, [1, 'player', 'returned', 5]);
      expect(codes(audit(log.events).findings)).toEqual(expected);
    }
  });
});

describe('a card that could not be read', () => {
  it('leaves a settlement unjudgeable only if the card matters to it', () => {
    // The player hand wins with 8 or 9, ties with 7, loses below.
    const unread = 'P 4S B 2H P ?? B 5C';
    const audited = judged({ bet: 'player', cards: unread, settled: [['taken', 0]] });
    expect(codes(audited.findings).filter((code) => code.startsWith('PY'))).toEqual([]);
    expect(audited.unjudgeable.flatMap(({ codes: open }) => open)).toEqual(
      expect.arrayContaining(['PY-01', 'PY-04']),
    );
  });

  it('leaves nothing unjudgeable if the result is the same for every value', () => {
    const audited = judged({
      bet: 'small',
      rules: 'super-6@1',
      cards: 'P KS B 4H P ?? B 5C',
      settled: [['taken', 0]],
    });
    expect(codes(audited.findings)).toContain('PY-01');
    expect(
      audited.unjudgeable
        .flatMap(({ codes: open }) => open)
        .filter((code) => code.startsWith('PY')),
    ).toEqual([]);
  });

  it('leaves a wrong amount unjudgeable if it is wrong for every winning value and right for a losing one', () => {
    const audited = judged({
      bet: 'tie',
      cards: 'P 4S B 2H P ?? B 5C',
      settled: [['returned', 700]],
    });
    expect(audited.unjudgeable.flatMap(({ codes: open }) => open)).toEqual(
      expect.arrayContaining(['PY-02', 'PY-03']),
    );
  });
});
