import { describe, expect, it } from '@jest/globals';
import type { EventData, Finding } from '#audit';
import { audit, codes, type Audited, type Sent } from '../kit/audit.js';
import { PLAYER_WINS, play, settle, type Played } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

type Step = (log: TableLog) => void;
const bet =
  (seat: number, id: string, amount: number, rest: Sent = {}): Step =>
  (log) =>
    void log.add('terminal', 'bet-placed', { seat, bet: id, amount }, rest);
const withdraw =
  (seat: number, id: string, amount: number, rest: Sent = {}): Step =>
  (log) =>
    void log.add('terminal', 'bet-withdrawn', { seat, bet: id, amount }, rest);
const close: Step = (log) => void log.add('terminal', 'betting-closed');
const cards =
  (text = PLAYER_WINS): Step =>
  (log) =>
    void log.draw(text);
const declare: Step = (log) =>
  void log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
const settled =
  (...each: Parameters<typeof settle>[1]): Step =>
  (log) =>
    void settle(log, each);
const end: Step = (log) => void log.add('terminal', 'coup-closed');

function opened(data: Partial<EventData['shoe-opened']> = {}): TableLog {
  const log = new TableLog();
  log.open(data);
  log.dealer();
  return log;
}
/** Plays a coup of these steps, from its opening. */
function coup(
  steps: readonly Step[],
  data: Partial<EventData['shoe-opened']> = {},
  kind?: Played['kind'],
): Audited {
  const log = opened(data);
  log.add('shoe', 'coup-opened', { coup: 1, ...(kind ? { kind } : undefined) });
  for (const step of steps) step(log);
  return audit(log.events);
}
const only = ({ findings }: Audited): Finding => {
  expect(codes(findings)).toHaveLength(1);
  return findings[0] as Finding;
};
/** Returns a time: that of a clock, in seconds after noon. */
const at = (clock: string): Sent => ({ time: `2026-11-20T12:00:${clock}Z` });

describe('a bet placed or withdrawn too late (BT-01)', () => {
  it('raises BT-01 after betting closed', () => {
    const audited = coup([
      bet(1, 'player', 100),
      close,
      bet(2, 'tie', 50),
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
      settled(2, 'tie', 'returned', 0),
      end,
    ]);
    expect(only(audited)).toMatchObject({
      code: 'BT-01',
      severity: 1,
      coup: 1,
      observed: '50 placed',
      void: false,
    });
  });

  it('raises nothing before betting closed, even if a card was drawn', () => {
    const audited = coup([
      bet(1, 'player', 100),
      cards('P 4S'),
      bet(2, 'tie', 50),
      close,
      cards('B 2H P 5D B 5C'),
      declare,
      settled(1, 'player', 'returned', 100),
      settled(2, 'tie', 'taken', 0),
      end,
    ]);
    expect(codes(audited.findings)).toEqual(['DL-01']);
  });

  it('raises BT-01 after the first game card if betting was never closed', () => {
    const audited = coup([
      bet(1, 'player', 100),
      cards('P 4S'),
      bet(2, 'tie', 50),
      cards('B 2H P 5D B 5C'),
      declare,
      settled(1, 'player', 'returned', 100),
      settled(2, 'tie', 'returned', 0),
      end,
    ]);
    expect(only(audited)).toMatchObject({
      code: 'BT-01',
      events: ['device/T1-shoe#T1-shoe/1/3', 'device/T1-terminal#T1-terminal/1/3'],
    });
  });

  it('raises nothing before the first game card, and a burned card does not count', () => {
    const audited = coup([
      (log) => log.draw('burn 9H'),
      bet(1, 'player', 100),
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
      end,
    ]);
    expect(audited.findings).toEqual([]);
  });

  it('raises nothing after a card carried over from the coup before', () => {
    const log = opened();
    play(log, 1, { bets: [[1, 'player', 100]], cards: PLAYER_WINS, closed: false });
    const [extra] = log.draw('- 6H');
    log.add('person/sam', 'card-moved', { event: extra as string, to: 'next', by: 'sam' });
    for (const step of [declare, settled(1, 'player', 'returned', 100), end]) step(log);
    log.add('shoe', 'coup-opened', { coup: 2 });
    bet(1, 'player', 100)(log);
    for (const step of [
      cards('B 2H P 3D B 5C'),
      declare,
      settled(1, 'player', 'returned', 100),
      end,
    ])
      step(log);
    expect(codes(audit(log.events).findings)).toEqual(['DL-06']);
  });

  it('is not a bet: a late stake that is paid, taken or left unsettled raises PY-06', () => {
    const late = [
      bet(1, 'player', 100),
      close,
      bet(2, 'player', 50),
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
    ];
    expect(codes(coup([...late, settled(2, 'player', 'returned', 0), end]).findings)).toEqual([
      'BT-01',
    ]);
    const paid = coup([...late, settled(2, 'player', 'returned', 50), end]).findings.find(
      ({ code }) => code === 'PY-06',
    );
    expect(paid).toMatchObject({
      severity: 1,
      impact: { amount: 50, currency: 'USD', favours: 'patron' },
    });
    const taken = coup([...late, settled(2, 'player', 'taken', 0), end]).findings.find(
      ({ code }) => code === 'PY-06',
    );
    expect(taken).toMatchObject({ impact: { amount: 50, favours: 'house' } });
    const left = coup([...late, end]).findings.find(({ code }) => code === 'PY-06');
    expect(left).toMatchObject({
      observed: 'not settled',
      impact: { amount: 50, favours: 'house' },
    });
  });

  it('does not add to a lawful bet of the same seat: the settlement is judged on the lawful stake', () => {
    const steps = [bet(1, 'player', 100), close, bet(1, 'player', 900), cards(), declare];
    expect(codes(coup([...steps, settled(1, 'player', 'returned', 100), end]).findings)).toEqual([
      'BT-01',
    ]);
    expect(codes(coup([...steps, settled(1, 'player', 'returned', 1000), end]).findings)).toEqual([
      'BT-01',
      'PY-03',
    ]);
  });

  it('does not reduce the bet: a late withdrawal has no effect on the settlement', () => {
    const steps = [
      bet(1, 'tie', 100),
      bet(2, 'player', 50),
      close,
      withdraw(1, 'tie', 100),
      cards(),
      declare,
      settled(2, 'player', 'returned', 50),
    ];
    expect(codes(coup([...steps, settled(1, 'tie', 'taken', 0), end]).findings)).toEqual(['BT-01']);
    expect(codes(coup([...steps, settled(1, 'tie', 'returned', 0), end]).findings)).toEqual([
      'BT-01',
      'PY-02',
    ]);
  });

  it('raises BT-01 between two sources only if their clocks differ by more than the tolerance', () => {
    const close_ =
      (time: Sent): Step =>
      (log) =>
        void log.add('camera', 'betting-closed', {}, time);
    const steps = (clock: string, settlement: Step): Step[] => [
      bet(1, 'player', 100, at('10.000')),
      close_(at('20.000')),
      bet(2, 'player', 50, at(clock)),
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
      settlement,
      end,
    ];
    expect(codes(coup(steps('21.001', settled(2, 'player', 'returned', 0))).findings)).toEqual([
      'BT-01',
    ]);
    for (const clock of ['21.000', '20.000', '12.000']) {
      const close_call = coup(steps(clock, settled(2, 'player', 'returned', 50)));
      expect(close_call.findings).toEqual([]); // the bet counts and was paid
      expect(close_call.unjudgeable).toMatchObject([
        {
          coup: 1,
          codes: ['BT-01', 'BT-02', 'BT-03', 'BT-07'],
          why: 'the clocks of two sources are too close to call',
        },
      ]);
    }
  });

  it('raises BT-01 within one source whatever its clock says', () => {
    const audited = coup([
      bet(1, 'player', 100),
      close,
      bet(2, 'tie', 50, at('00.000')),
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
      settled(2, 'tie', 'returned', 0),
      end,
    ]);
    expect(codes(audited.findings)).toEqual(['BT-01']);
    expect(audited.unjudgeable).toEqual([]);
  });

  it('is found when betting for the coup was closed before it opened', () => {
    const log = opened();
    bet(1, 'player', 100)(log);
    close(log);
    bet(2, 'tie', 50)(log);
    log.add('shoe', 'coup-opened', { coup: 1 });
    for (const step of [
      cards(),
      declare,
      settled(1, 'player', 'returned', 100),
      settled(2, 'tie', 'returned', 0),
      end,
    ])
      step(log);
    expect(codes(audit(log.events).findings)).toEqual(['BT-01']);
  });
});

describe('a bet outside the limits (BT-02, BT-03)', () => {
  const limits = { player: { min: 100, max: 500 } };
  const play_ =
    (...moves: Step[]): ((amount: number) => Audited) =>
    (amount) =>
      coup([...moves, close, cards(), declare, settled(1, 'player', 'returned', amount), end], {
        limits,
      });

  it('is not one of exactly the minimum or the maximum', () => {
    expect(play_(bet(1, 'player', 100))(100).findings).toEqual([]);
    expect(play_(bet(1, 'player', 500))(500).findings).toEqual([]);
  });

  it('raises BT-02 below the minimum and BT-03 above the maximum, and is settled in full', () => {
    expect(only(play_(bet(1, 'player', 99))(99))).toMatchObject({
      code: 'BT-02',
      severity: 2,
      expected: 'at least 100',
      observed: '99',
    });
    expect(only(play_(bet(1, 'player', 501))(501))).toMatchObject({
      code: 'BT-03',
      severity: 2,
      expected: 'at most 500',
      observed: '501',
    });
    expect(codes(play_(bet(1, 'player', 501))(500).findings)).toEqual(['BT-03', 'PY-03']);
  });

  it('is judged by the stake when betting closes', () => {
    expect(play_(bet(1, 'player', 60), bet(1, 'player', 40))(100).findings).toEqual([]);
    expect(play_(bet(1, 'player', 600), withdraw(1, 'player', 100))(500).findings).toEqual([]);
    expect(codes(play_(bet(1, 'player', 150), withdraw(1, 'player', 100))(50).findings)).toEqual([
      'BT-02',
    ]);
  });

  it('is judged by seat and bet, and ignored if it was withdrawn entirely', () => {
    const audited = coup(
      [
        bet(1, 'player', 50),
        withdraw(1, 'player', 50),
        bet(2, 'tie', 1),
        bet(3, 'player', 300),
        bet(4, 'player', 300),
        close,
        cards(),
        declare,
        settled(2, 'tie', 'taken', 0),
        settled(3, 'player', 'returned', 300),
        settled(4, 'player', 'returned', 300),
        end,
      ],
      { limits },
    );
    expect(audited.findings).toEqual([]);
  });

  it('is judged at the end of the coup if betting was never closed', () => {
    expect(
      codes(
        coup([bet(1, 'player', 99), cards(), declare, settled(1, 'player', 'returned', 99), end], {
          limits,
        }).findings,
      ),
    ).toEqual(['BT-02']);
  });

  it('does not exist if the opening names no limits', () => {
    expect(
      coup([bet(1, 'player', 1), close, cards(), declare, settled(1, 'player', 'returned', 1), end])
        .findings,
    ).toEqual([]);
  });
});

describe.each(['dummy', 'demonstration', 'free'] as const)('BT-07: a bet on a %s coup', (kind) => {
  it('raises BT-07, and its stake must be returned', () => {
    const audited = coup(
      [bet(1, 'player', 100), close, cards(), declare, settled(1, 'player', 'returned', 0), end],
      {},
      kind,
    );
    expect(only(audited)).toMatchObject({ code: 'BT-07', severity: 1, coup: 1 });
  });

  it('raises BT-08 when the next coup opens if its stake was taken or left', () => {
    for (const steps of [[settled(1, 'player', 'taken', 0)], []]) {
      const log = opened();
      play(log, 1, { kind, bets: [[1, 'player', 100]], outcome: 'player', closed: false });
      for (const step of steps) step(log);
      end(log);
      expect(codes(audit(log.events).findings)).toEqual(['BT-07']);
      log.add('shoe', 'coup-opened', { coup: 2 });
      expect(audit(log.events).findings.find(({ code }) => code === 'BT-08')).toMatchObject({
        severity: 1,
        coup: 1,
        impact: { amount: 100, currency: 'USD', favours: 'house' },
      });
    }
  });

  it('is owed back even if it came too late, and raises no PY-06', () => {
    const played = (stake: 'returned' | 'taken'): string[] => {
      const log = new TableLog();
      log.open();
      log.dealer();
      play(log, 1, { kind: 'dummy', closed: false });
      log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
      settle(log, [1, 'player', stake, 0]);
      log.add('terminal', 'coup-closed');
      play(log, 2, { kind: 'dummy' });
      return codes(audit(log.events).findings);
    };
    expect(played('returned')).toEqual(['BT-01', 'BT-07']);
    expect(played('taken')).toEqual(['BT-01', 'BT-07', 'BT-08']);
  });

  it('is not required, and neither is an outcome', () => {
    expect(coup([cards(), end], {}, kind).findings).toEqual([]);
  });
});

describe('a void coup whose stakes were not returned (BT-08)', () => {
  const voided = (...after: Step[]): Audited => {
    const log = opened();
    play(log, 1, {
      bets: [
        [1, 'player', 100],
        [2, 'tie', 50],
      ],
      closed: false,
    });
    log.add('person/sam', 'coup-voided', { reason: 'misdeal', by: 'sam' });
    for (const step of after) step(log);
    return audit(log.events);
  };
  const next: Step = (log) => void log.add('shoe', 'coup-opened', { coup: 2 });
  const closeShoe: Step = (log) => void log.add('shoe', 'shoe-closed', { reason: 'error' });

  it('raises BT-08 for each stake when the next coup opens or the shoe closes', () => {
    expect(codes(voided().findings)).toEqual([]);
    expect(codes(voided(next).findings)).toEqual(['BT-08', 'BT-08']);
    expect(codes(voided(settled(2, 'tie', 'returned', 0), closeShoe).findings)).toEqual(['BT-08']);
  });

  it('raises nothing if all stakes are returned in time', () => {
    expect(
      voided(settled(1, 'player', 'returned', 0), settled(2, 'tie', 'returned', 0), next).findings,
    ).toEqual([]);
    expect(
      codes(
        voided(settled(1, 'player', 'returned', 0), next, settled(2, 'tie', 'returned', 0))
          .findings,
      ),
    ).toContain('BT-08');
  });

  it('raises BT-08 for stakes taken before the void, but not for stakes returned before it', () => {
    const log = opened();
    play(log, 1, {
      bets: [
        [1, 'player', 100],
        [2, 'tie', 50],
      ],
      outcome: 'player',
      settled: [
        [1, 'player', 'returned', 100],
        [2, 'tie', 'taken', 0],
      ],
    });
    log.add('person/sam', 'coup-voided', { coup: 1, reason: 'card on the floor', by: 'sam' });
    next(log);
    const [finding, ...others] = audit(log.events).findings;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      code: 'BT-08',
      expected: 'stake of 50 returned',
      observed: 'stake taken',
    });
  });

  it('owes late stakes too', () => {
    const log = opened();
    play(log, 1, { bets: [[1, 'player', 100]], closed: false });
    bet(2, 'tie', 50)(log);
    log.add('person/sam', 'coup-voided', { reason: 'misdeal', by: 'sam' });
    settled(1, 'player', 'returned', 0)(log);
    next(log);
    expect(codes(audit(log.events).findings)).toEqual(['BT-01', 'BT-08']);
  });

  it('raises BT-08 even after its shoe closed: when the next shoe opens its first coup, or is replaced itself', () => {
    for (const last of ['coup-opened', 'shoe-opened']) {
      const log = opened();
      play(log, 1, {
        bets: [[1, 'player', 100]],
        outcome: 'player',
        settled: [[1, 'player', 'taken', 0]],
      });
      log.add('shoe', 'shoe-closed', { reason: 'end' });
      log.add('person/sam', 'coup-voided', { coup: 1, reason: 'camera', by: 'sam' });
      log.shoe = 'S2';
      log.open();
      expect(codes(audit(log.events).findings)).toEqual([]);
      if (last === 'shoe-opened') log.shoe = 'S3';
      if (last === 'shoe-opened') log.open();
      else log.add('shoe', 'coup-opened', { coup: 1 });
      expect(codes(audit(log.events).findings)).toContain('BT-08');
    }
  });

  it('raises BT-08 only for stakes taken if the table does not report settlements', () => {
    const log = (taken: boolean): TableLog => {
      const table = opened({ reports: ['bets', 'outcomes'] });
      play(table, 1, { bets: [[1, 'player', 100]], closed: false });
      table.add('person/sam', 'coup-voided', { reason: 'misdeal', by: 'sam' });
      if (taken) settled(1, 'player', 'taken', 0)(table);
      next(table);
      return table;
    };
    expect(audit(log(false).events).findings).toEqual([]);
    expect(codes(audit(log(true).events).findings)).toEqual(['BT-08']);
  });
});

describe('a bet that the rule document does not have (BT-10)', () => {
  it('raises BT-10 once, and its settlement is not judged', () => {
    for (const settlement of [
      [],
      [settled(1, 'dragon-7', 'returned', 5)],
      [settled(1, 'dragon-7', 'taken', 0, 5)],
    ]) {
      const audited = coup([
        bet(1, 'dragon-7', 100),
        bet(2, 'player', 100),
        close,
        cards(),
        declare,
        ...settlement,
        settled(2, 'player', 'returned', 100),
        end,
      ]);
      expect(only(audited)).toMatchObject({
        code: 'BT-10',
        severity: 2,
        coup: 1,
        observed: 'dragon-7',
      });
    }
  });

  it('raises BT-10 at its settlement if it was never placed', () => {
    const audited = coup([
      bet(2, 'player', 100),
      close,
      cards(),
      declare,
      settled(2, 'player', 'returned', 100),
      settled(1, 'dragon-7', 'returned', 5),
      end,
    ]);
    expect(codes(audited.findings)).toEqual(['BT-10']);
  });

  it('is not judged for the time of its settlement either', () => {
    const early = coup([
      bet(1, 'dragon-7', 100),
      bet(2, 'player', 100),
      close,
      cards(),
      settled(1, 'dragon-7', 'returned', 5),
      declare,
      settled(2, 'player', 'returned', 100),
      end,
    ]);
    expect(codes(early.findings)).toEqual(['BT-10']);
    const late = coup([
      bet(1, 'dragon-7', 100),
      bet(2, 'player', 100),
      close,
      cards(),
      declare,
      settled(2, 'player', 'returned', 100),
      end,
      settled(1, 'dragon-7', 'taken', 0),
    ]);
    expect(codes(late.findings)).toEqual(['BT-10']);
  });

  it('is different from every bet of the document, which raises nothing', () => {
    expect(
      coup(
        [
          bet(1, 'dragon-7', 100),
          close,
          cards('P 4S B 2H P 5D B 5C'),
          declare,
          settled(1, 'dragon-7', 'taken', 0),
          end,
        ],
        { rules: 'ez-baccarat@1', reports: ['bets', 'settlements'] },
      ).findings,
    ).toEqual([]);
  });
});
