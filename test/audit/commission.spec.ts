import { describe, expect, it } from '@jest/globals';
import { readRules, type RuleDocument } from '#baccarat';
import type { EventData, Finding, Report, RuleBook } from '#audit';
import { audit, codes, type Audited } from '../kit/audit.js';
import { BOOK, bookOf } from '../kit/house.js';
import { BANKER_WINS, play, PLAYER_WINS, settle, TIE } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

function opened(data: Partial<EventData['shoe-opened']> = {}): TableLog {
  const log = new TableLog();
  log.open({ reports: ['outcomes', 'bets', 'settlements', 'commission', 'dealers'], ...data });
  log.dealer();
  return log;
}

interface Paid {
  readonly stake?: number;
  readonly paid?: number;
  readonly marked?: number;
  readonly taken?: number;
  readonly rules?: string;
  readonly reports?: readonly Report[];
  readonly book?: RuleBook;
}

/** Returns a winning banker bet of seat 1. It is paid even money by default. */
function banker({
  stake = 100,
  paid = stake,
  marked = 0,
  taken = 0,
  rules,
  reports,
  book = BOOK,
}: Paid): Audited {
  const log = opened({
    ...(rules ? { rules } : undefined),
    ...(reports ? { reports } : undefined),
  });
  play(log, 1, {
    bets: [[1, 'banker', stake]],
    cards: BANKER_WINS,
    outcome: 'banker',
    settled: [[1, 'banker', 'returned', paid, marked, taken]],
  });
  return audit(log.events, { book });
}
function only(audited: Audited): Finding {
  expect(codes(audited.findings)).toHaveLength(1);
  return audited.findings[0] as Finding;
}
const variant = (change: Partial<NonNullable<RuleDocument['commission']>>): RuleBook => {
  const { document } = BOOK.get('punto-banco-no-burn@1') as { document: RuleDocument };
  return bookOf(
    readRules({
      ...document,
      commission: {
        ...(document.commission as NonNullable<RuleDocument['commission']>),
        ...change,
      },
    }),
  );
};

describe('commission on a winning banker bet', () => {
  it('is right if it is taken, marked, or a mixture of both', () => {
    for (const paid of [
      { marked: 5 },
      { taken: 5 },
      { marked: 2, taken: 3 },
      { rules: 'punto-banco-taken@1', taken: 5 },
    ])
      expect(banker(paid).findings).toEqual([]);
  });

  it('is rounded as the document prescribes', () => {
    expect(banker({ stake: 110, marked: 6 }).findings).toEqual([]); // 5.5, halves up
    expect(banker({ stake: 109, marked: 5 }).findings).toEqual([]);
    // 35, up to 25.
    expect(banker({ rules: 'pa-627a@1', stake: 700, marked: 50 }).findings).toEqual([]);
    expect(banker({ rules: 'pa-627a@1', stake: 500, marked: 25 }).findings).toEqual([]);
  });

  it('is nothing on a bet so small that it rounds away', () => {
    expect(banker({ stake: 9 }).findings).toEqual([]);
    expect(banker({ stake: 9 }).ledger).toEqual([]);
  });

  it('is due on the lawful winnings, not on the amount paid', () => {
    const audited = banker({ stake: 100, paid: 300, marked: 5 });
    expect(codes(audited.findings)).toEqual(['PY-03']);
    expect(audited.ledger).toMatchObject([{ due: 5, marked: 5 }]);
  });

  it('raises CM-01 if it is missing, unless the table does not report commission', () => {
    expect(only(banker({}))).toMatchObject({
      code: 'CM-01',
      severity: 1,
      coup: 1,
      expected: '5',
      observed: '0',
      impact: { amount: 5, currency: 'USD', favours: 'patron' },
    });
    expect(banker({ reports: ['outcomes', 'bets', 'settlements', 'dealers'] }).findings).toEqual(
      [],
    );
  });

  it('raises CM-02 if the amount is wrong', () => {
    expect(only(banker({ marked: 4 }))).toMatchObject({
      code: 'CM-02',
      severity: 1,
      impact: { amount: 1, favours: 'patron' },
    });
    expect(only(banker({ marked: 5, taken: 5 }))).toMatchObject({
      code: 'CM-02',
      observed: '10',
      impact: { amount: 5, favours: 'house' },
    });
    expect(only(banker({ rules: 'pa-627a@1', stake: 700, marked: 40 }))).toMatchObject({
      code: 'CM-02',
    });
    expect(
      only(banker({ marked: 4, reports: ['bets', 'settlements', 'dealers', 'outcomes'] })),
    ).toMatchObject({ code: 'CM-02' });
  });

  it('raises CM-03 if another rounding explains the amount', () => {
    expect(only(banker({ stake: 110, marked: 5 }))).toMatchObject({
      code: 'CM-03',
      severity: 2,
      expected: '6',
      observed: '5',
    });
    expect(only(banker({ stake: 101, marked: 6 }))).toMatchObject({ code: 'CM-03' });
    for (const marked of [25, 35])
      expect(only(banker({ rules: 'pa-627a@1', stake: 700, marked }))).toMatchObject({
        code: 'CM-03',
        expected: '50',
      });
  });

  it('raises CM-03 for the minimum where more is due and for the rate where the minimum is due, but CM-02 otherwise', () => {
    const book = variant({ minimum: 10 });
    expect(banker({ book, stake: 100, marked: 10 }).findings).toEqual([]);
    expect(only(banker({ book, stake: 400, marked: 10 }))).toMatchObject({
      code: 'CM-03',
      expected: '20',
    });
    expect(only(banker({ book, stake: 100, marked: 5 }))).toMatchObject({
      code: 'CM-03',
      expected: '10',
    });
    expect(only(banker({ book, stake: 100, marked: 7 }))).toMatchObject({
      code: 'CM-02',
      expected: '10',
    });
  });

  it('adds up over several settlements of one bet', () => {
    const log = opened();
    play(log, 1, {
      bets: [[1, 'banker', 100]],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [
        [1, 'banker', 'returned', 60, 3],
        [1, 'banker', 'returned', 40, 2],
      ],
    });
    expect(audit(log.events).findings).toEqual([]);
  });
});

describe('commission charged on a settlement that owes none (CM-04)', () => {
  it.each<[string, string, string, 'returned' | 'taken', number]>([
    ['a winning player bet', 'player', PLAYER_WINS, 'returned', 100],
    ['a losing banker bet', 'banker', PLAYER_WINS, 'taken', 0],
    ['a banker bet pushed by a tie', 'banker', TIE, 'returned', 0],
    ['a winning tie bet', 'tie', TIE, 'returned', 800],
  ])('is found on %s', (_, bet, cards, stake, paid) => {
    const log = opened();
    play(log, 1, {
      bets: [[1, bet, 100]],
      cards,
      outcome: cards === TIE ? 'tie' : 'player',
      settled: [[1, bet, stake, paid, 5]],
    });
    expect(only(audit(log.events))).toMatchObject({
      code: 'CM-04',
      severity: 1,
      expected: '0',
      observed: '5',
      impact: { amount: 5, favours: 'house' },
    });
  });

  it('is found without a bet, and in a game without commission', () => {
    const log = opened();
    play(log, 1, {
      bets: [[2, 'player', 100]],
      outcome: 'player',
      settled: [
        [2, 'player', 'returned', 100],
        [1, 'banker', 'returned', 0, 5],
      ],
    });
    expect(codes(audit(log.events).findings)).toEqual(['CM-04', 'PY-06']);
    expect(codes(banker({ rules: 'ez-baccarat@1', marked: 5 }).findings)).toEqual(['CM-04']);
  });

  it("is not raised, and neither is another finding on a coup's commission, if the table does not report bets", () => {
    for (const paid of [{ marked: 4 }, {}, { stake: 110, marked: 5 }])
      expect(
        banker({ ...paid, reports: ['outcomes', 'settlements', 'commission', 'dealers'] }).findings,
      ).toEqual([]);
  });
});

describe('the commission ledger', () => {
  const game = (): TableLog => {
    const log = opened();
    play(log, 1, {
      bets: [
        [1, 'banker', 100],
        [2, 'banker', 200],
      ],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [
        [1, 'banker', 'returned', 100, 5],
        [2, 'banker', 'returned', 200, 0, 10],
      ],
    });
    play(log, 2, {
      bets: [[1, 'banker', 1000]],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 1000, 40]],
    });
    return log;
  };

  it('keeps for each seat what was due, taken, marked, collected, waived and is outstanding', () => {
    const log = game();
    log.add('terminal', 'commission-collected', { seat: 1, amount: 20 });
    log.add('person/sam', 'commission-waived', {
      seat: 1,
      amount: 15,
      by: 'sam',
      reason: 'courtesy',
    });
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['CM-02']);
    expect(audited.ledger).toEqual([
      {
        table: 'T1',
        shoe: 'S1',
        seat: 1,
        due: 55,
        taken: 0,
        marked: 45,
        collected: 20,
        waived: 15,
        outstanding: 10,
      },
      {
        table: 'T1',
        shoe: 'S1',
        seat: 2,
        due: 10,
        taken: 10,
        marked: 0,
        collected: 0,
        waived: 0,
        outstanding: 0,
      },
    ]);
  });

  it('drops what a void coup marked and owed, and keeps what was taken there', () => {
    const log = game();
    log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'camera' });
    const audited = audit(log.events);
    expect(audited.ledger).toMatchObject([
      { seat: 1, due: 50, marked: 40, outstanding: 40 },
      { seat: 2, due: 0, taken: 10, marked: 0, outstanding: 0 },
    ]);
  });

  it('does not include commission marked in a coup after it was declared void', () => {
    const log = opened();
    play(log, 1, { bets: [[1, 'banker', 100]], cards: BANKER_WINS, closed: false });
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'camera' });
    settle(log, [1, 'banker', 'returned', 0, 5]);
    expect(audit(log.events).ledger).toMatchObject([
      { seat: 1, due: 0, marked: 0, outstanding: 0 },
    ]);
  });

  it('raises CM-05 for each seat with commission outstanding when the shoe closes', () => {
    const log = game();
    expect(codes(audit(log.events).findings)).toEqual(['CM-02']);
    log.add('terminal', 'bet-placed', { seat: 3, bet: 'tie', amount: 5 });
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    const [finding, ...more] = audit(log.events).findings.filter(({ code }) => code === 'CM-05');
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      severity: 1,
      observed: '45 outstanding',
      impact: { amount: 45, currency: 'USD', favours: 'patron' },
    });
    expect(finding).not.toHaveProperty('coup');
  });

  it('raises CM-05 for commission outstanding when the seat leaves', () => {
    const log = game();
    log.add('terminal', 'seat-left', { seat: 2 });
    expect(codes(audit(log.events).findings)).toEqual(['CM-02']);
    log.add('terminal', 'seat-left', { seat: 1 });
    expect(codes(audit(log.events).findings)).toEqual(['CM-02', 'CM-05']);
  });

  it('raises no CM-05 once all is collected or waived, or if the table does not report commission', () => {
    const log = game();
    log.add('terminal', 'commission-collected', { seat: 1, amount: 45 });
    log.add('terminal', 'seat-left', { seat: 1 });
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    expect(codes(audit(log.events).findings)).toEqual(['CM-02']);
    const silent = opened({ reports: ['outcomes', 'bets', 'settlements', 'dealers'] });
    play(silent, 1, {
      bets: [[1, 'banker', 100]],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 100, 5]],
    });
    silent.add('shoe', 'shoe-closed', { reason: 'end' });
    expect(audit(silent.events).findings).toEqual([]);
  });

  it('raises CM-05 when another shoe is opened in place of this one', () => {
    const log = game();
    log.shoe = 'S2';
    log.open();
    expect(codes(audit(log.events).findings)).toEqual(['CM-02', 'CM-05', 'SH-10']);
  });

  it('raises CM-06 if more is collected or waived than is outstanding', () => {
    const log = game();
    log.add('terminal', 'commission-collected', { seat: 1, amount: 45 });
    expect(codes(audit(log.events).findings)).toEqual(['CM-02']);
    log.add('terminal', 'commission-collected', { seat: 1, amount: 1 });
    log.add('person/sam', 'commission-waived', {
      seat: 2,
      amount: 3,
      by: 'sam',
      reason: 'courtesy',
    });
    const found = audit(log.events).findings.filter(({ code }) => code === 'CM-06');
    expect(found).toMatchObject([
      {
        severity: 1,
        expected: 'at most 0',
        observed: '1',
        impact: { amount: 1, favours: 'house' },
      },
      {
        severity: 1,
        expected: 'at most 0',
        observed: '3',
        impact: { amount: 3, favours: 'patron' },
      },
    ]);
    expect(audit(log.events).ledger).toMatchObject([
      { seat: 1, outstanding: -1 },
      { seat: 2, outstanding: -3 },
    ]);
  });

  it('raises CM-08 for a waiver without a name, without a reason, or by the dealer who dealt', () => {
    const waived = (data: { by?: string; reason?: string }): string[] => {
      const log = game();
      log.add(`person/${data.by ?? 'sam'}`, 'commission-waived', { seat: 1, amount: 5, ...data });
      return codes(audit(log.events).findings);
    };
    expect(waived({ by: 'sam', reason: 'courtesy' })).toEqual(['CM-02']);
    for (const data of [
      {},
      { by: 'sam' },
      { reason: 'courtesy' },
      { by: 'dora', reason: 'courtesy' },
    ])
      expect(waived(data)).toEqual(['CM-02', 'CM-08']);
  });

  it('the ledger of the shoe before still takes later entries, but not that of an older shoe', () => {
    const log = game();
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    log.shoe = 'S2';
    log.open();
    log.shoe = 'S1';
    log.add('terminal', 'commission-collected', { seat: 1, amount: 45 });
    expect(audit(log.events).ledger).toMatchObject([
      { shoe: 'S1', seat: 1, collected: 45, outstanding: 0 },
      { seat: 2 },
    ]);
    log.shoe = 'S3';
    log.open();
    log.shoe = 'S1';
    log.add('terminal', 'commission-collected', { seat: 1, amount: 45 });
    expect(codes(audit(log.events).findings)).toEqual(['CM-02', 'CM-05', 'PR-09', 'SH-10']);
  });

  it('leaves open what depends on an unread card, and judges the rest', () => {
    // The player hand stands on 7, so the banker hand's second card decides.
    const cards = 'P 2S B 4H P 5D B ??';
    const log = opened();
    play(log, 1, {
      bets: [
        [1, 'banker', 100],
        [2, 'player', 100],
      ],
      cards,
      outcome: 'banker',
      settled: [
        [1, 'banker', 'returned', 100],
        [2, 'player', 'taken', 0, 5],
      ],
    });
    const audited = audit(log.events);
    // The player bet owes no commission, whatever the card.
    expect(codes(audited.findings).filter((code) => code.startsWith('CM'))).toEqual(['CM-04']);
    expect(audited.unjudgeable.flatMap(({ codes: open }) => open)).toContain('CM-01');
    expect(audited.ledger).toMatchObject([{ seat: 2, due: 0, marked: 5 }]);
  });
});
