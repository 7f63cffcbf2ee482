import { describe, expect, it } from '@jest/globals';
import type { EventData, Finding } from '#audit';
import { audit, codes, type Audited, type Sent } from '../kit/audit.js';
import { BANKER_WINS, play, PLAYER_WINS, settle } from '../kit/play.js';
import { TableLog } from '../kit/table.js';

function opened(data: Partial<EventData['shoe-opened']> = {}): TableLog {
  const log = new TableLog();
  log.open({ reports: ['outcomes', 'bets', 'settlements', 'commission', 'dealers'], ...data });
  log.dealer();
  return log;
}
/** Returns the reference of the last event of a type, or of the one `back` before it. */
function last(log: TableLog, type: string, back = 1): string {
  const { source, id } = log.events
    .filter((event) => event.type === `shoeprint.${type}.v1`)
    .at(-back) as { source: string; id: string };
  return `${source}#${id}`;
}
const openingData: EventData['shoe-opened'] = {
  rules: 'punto-banco-no-burn@1',
  decks: 8,
  kind: 'physical',
  currency: 'USD',
  reports: ['outcomes', 'bets', 'settlements', 'commission', 'dealers'],
};
const correct = (
  log: TableLog,
  event: string,
  data: Sent,
  who: Sent = { by: 'sam', reason: 'camera' },
): string =>
  log.add(`person/${(who.by as string | undefined) ?? 'sam'}`, 'observation-corrected', {
    event,
    data,
    ...who,
  });
const standing = (log: TableLog): string[] => codes(audit(log.events).findings);
const won = {
  bets: [[1, 'player', 100]],
  outcome: 'player',
  settled: [[1, 'player', 'returned', 100]],
} as const;

describe('a correction judges its coup again', () => {
  it('a correction withdraws what no longer holds, naming the finding and the correction', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' }); // banker 9: a tie
    expect(standing(log)).toEqual(['PY-04', 'RS-02']);
    const correction = correct(log, last(log, 'card-drawn'), { card: '5C', to: 'banker' });
    const audited = audit(log.events);
    expect(audited.findings).toEqual([]);
    expect(audited.withdrawn.map(({ finding, because }) => [finding.code, because])).toEqual([
      ['RS-02', correction],
      ['PY-04', correction],
    ]);
  });

  it('a correction raises what holds now, and keeps what still holds under its id', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    const before = audit(log.events).findings;
    correct(log, last(log, 'card-drawn', 2), { card: '4D', to: 'player' }); // player 8, banker 9
    const after = audit(log.events);
    expect(codes(after.findings)).toEqual(['PY-02', 'RS-02']);
    const result = (findings: readonly Finding[]): Finding | undefined =>
      findings.find(({ code }) => code === 'RS-02');
    expect(result(after.findings)).toMatchObject({ id: result(before)?.id, expected: 'banker' });
    expect(codes(after.amended)).toEqual(['RS-02']);
  });

  it('a correction judges a coup again while it is open, and long after it ended', () => {
    for (const coups of [0, 3]) {
      const log = opened();
      play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C', closed: coups > 0 });
      const card = last(log, 'card-drawn');
      for (let coup = 2; coup < 2 + coups; coup += 1) play(log, coup, won);
      correct(log, card, { card: '5C', to: 'banker' });
      if (coups === 0) log.add('terminal', 'coup-closed');
      expect(standing(log)).toEqual([]);
    }
  });

  it('a correction changes no other coup', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    play(log, 2, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    correct(log, last(log, 'card-drawn'), { card: '5C', to: 'banker' });
    expect(audit(log.events).findings.map(({ code, coup }) => [code, coup])).toEqual([
      ['RS-02', 1],
      ['PY-04', 1],
    ]);
  });

  it('a correction judges a coup of the shoe before the open one again', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    const card = last(log, 'card-drawn');
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    log.shoe = 'S2';
    log.open();
    correct(log, card, { card: '5C', to: 'banker' });
    expect(standing(log)).toEqual([]);
  });

  it('a correction judges its coup again with corrected bets, settlements and declarations', () => {
    const log = opened();
    play(log, 1, {
      bets: [[1, 'player', 1000]],
      outcome: 'banker',
      settled: [[1, 'player', 'taken', 100]],
    });
    expect(standing(log)).toEqual(['PY-01', 'RS-02']);
    correct(log, last(log, 'bet-placed'), { seat: 1, bet: 'player', amount: 100 });
    correct(log, last(log, 'bet-settled'), {
      seat: 1,
      bet: 'player',
      stake: 'returned',
      paid: 100,
    });
    correct(log, last(log, 'outcome-declared'), { outcome: 'player', by: 'dealer' });
    expect(standing(log)).toEqual([]);
  });

  it('a correction judges a coup again whose bet was placed before it opened', () => {
    const log = opened();
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 1000 });
    const bet = last(log, 'bet-placed');
    play(log, 1, { outcome: 'player', settled: [[1, 'player', 'returned', 100]] });
    expect(standing(log)).toEqual(['PY-03']);
    correct(log, bet, { seat: 1, bet: 'player', amount: 100 });
    expect(standing(log)).toEqual([]);
  });

  it("a correction takes away the line of a seat's commission if no settlement of it is left", () => {
    const log = opened();
    play(log, 1, { ...won, settled: [[1, 'player', 'returned', 100, 5]] });
    expect(audit(log.events).ledger).toMatchObject([{ seat: 1, marked: 5 }]);
    const paid = { seat: 1, bet: 'player', stake: 'returned', paid: 100 };
    correct(log, last(log, 'bet-settled'), paid);
    expect(audit(log.events).ledger).toEqual([]);
  });

  it('a later correction that gives the seat something, even zero, brings that line back', () => {
    const log = opened();
    const waived = (seat: number, amount: number) => ({ seat, amount, by: 'sam', reason: 'guest' });
    const waiver = log.add('person/sam', 'commission-waived', waived(3, 500));
    play(log, 1, won);
    play(log, 2, won);
    correct(log, waiver, waived(6, 500));
    expect(audit(log.events).ledger).toMatchObject([{ seat: 6, waived: 500 }]);
    correct(log, waiver, waived(3, 0));
    expect(audit(log.events).ledger).toMatchObject([{ seat: 3, waived: 0 }]);
  });

  it('a correction projects the row of the coup again', () => {
    const log = opened();
    play(log, 1, won);
    const before = audit(log.events).coups.length;
    correct(log, last(log, 'card-drawn', 3), { card: '2S', to: 'banker' });
    const rows = audit(log.events).coups;
    expect(rows).toHaveLength(before + 1);
    expect(rows.at(-1)?.detail.cards.map(({ card }) => card)).toEqual(['4S', '2S', '5D', '5C']);
  });
});

describe('a correction changes what follows from it in later coups', () => {
  const coupsOf = (log: TableLog) => audit(log.events, { once: true }).state.open?.coups ?? [];

  it('a correction changes who dealt the later coups, until the next sign-on', () => {
    const log = opened();
    play(log, 1, won);
    log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' });
    const relief = last(log, 'dealer-relieved');
    play(log, 2, won);
    log.dealer('mira');
    play(log, 3, won);
    const dealers = (): unknown[] => [
      ...new Map(audit(log.events).coups.map(({ coup, dealer }) => [coup, dealer])).values(),
    ];
    expect(dealers()).toEqual(['dora', null, 'mira']);
    correct(log, relief, { dealer: 'nobody', role: 'dealer' });
    expect(dealers()).toEqual(['dora', 'dora', 'mira']);
  });

  it('a correction changes with which card the next coup begins', () => {
    const log = opened();
    play(log, 1, { ...won, closed: false });
    log.draw('- 2S');
    const card = last(log, 'card-drawn');
    log.add('terminal', 'coup-closed');
    log.add('person/sam', 'card-moved', {
      event: card,
      to: 'discard',
      by: 'sam',
      reason: 'excess',
    });
    const move = last(log, 'card-moved');
    play(log, 2, { cards: 'B 2H P 5D B 7C' });
    play(log, 3, won);
    expect(standing(log)).toContain('DL-02');
    correct(log, move, { event: card, to: 'next', by: 'sam', reason: 'excess' });
    expect(coupsOf(log)[1]?.player[0]).toMatchObject({ card: '2S', carried: true });
  });

  it('whether the burn can be judged, once its first card is known', () => {
    const log = opened({ rules: 'punto-banco@1', reports: ['burns'] });
    const [indicator] = log.draw('burn ?? 2S 3S 4S') as [string];
    play(log, 1, {});
    const listed = (): unknown[] =>
      audit(log.events).unjudgeable.flatMap(({ codes: each }) => each);
    expect(listed()).toContain('SH-07');
    correct(log, indicator, { card: '3H', to: 'burn' });
    expect(listed()).not.toContain('SH-07');
    expect(standing(log)).toEqual(['DV-01']);
  });

  it('a correction changes at which leaving a seat was found to owe commission', () => {
    const log = opened();
    const owing = { ...won, settled: [[1, 'player', 'returned', 100, 5]] } as const;
    play(log, 1, owing);
    log.add('terminal', 'seat-left', { seat: 1 });
    const [left] = [last(log, 'seat-left')];
    play(log, 2, { ...won, bets: [[2, 'player', 100]], settled: [[2, 'player', 'returned', 100]] });
    log.add('terminal', 'seat-left', { seat: 1 });
    const again = last(log, 'seat-left');
    play(log, 3, won);
    const because = (): unknown =>
      audit(log.events).findings.find(({ code }) => code === 'CM-05')?.events;
    expect(because()).toEqual([left]);
    correct(log, left, { seat: 2 });
    expect(because()).toEqual([again]);
  });

  it('a correction changes who had dealt when commission was waived', () => {
    const log = opened();
    play(log, 1, won);
    log.dealer('mira');
    const signOn = last(log, 'dealer-signed-on');
    log.dealer('dora');
    play(log, 2, won);
    play(log, 3, won);
    log.add('person/mira', 'commission-waived', {
      seat: 1,
      amount: 0,
      by: 'mira',
      reason: 'guest',
    });
    expect(standing(log)).toEqual(['CM-08']);
    correct(log, signOn, { dealer: 'nina', role: 'dealer' });
    expect(standing(log)).toEqual([]);
  });
});

describe('a correction judges the cards and the commission of its shoe again', () => {
  it('a correction withdraws an extra copy that was found in another coup', () => {
    const log = opened({ decks: 6 });
    for (let coup = 1; coup <= 7; coup += 1) play(log, coup, won);
    expect(standing(log)).toEqual(['SH-02', 'SH-02', 'SH-02', 'SH-02']);
    for (const [i, card] of (['4H', '2D', '5S', '5H'] as const).entries())
      correct(log, `device/T1-shoe#T1-shoe/1/${3 + i}`, {
        card,
        to: i % 2 === 0 ? 'player' : 'banker',
      });
    expect(standing(log)).toEqual([]);
  });

  it('a correction judges the count of cards at the close again', () => {
    const log = opened();
    play(log, 1, won);
    log.add('shoe', 'shoe-closed', { reason: 'end', remaining: 400 });
    expect(standing(log)).toEqual(['SH-04']);
    correct(log, last(log, 'shoe-closed'), { reason: 'end', remaining: 412 });
    expect(standing(log)).toEqual([]);
  });

  it('a correction judges commission marked, owed and outstanding again', () => {
    const log = opened();
    play(log, 1, {
      bets: [[1, 'banker', 100]],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 100, 50]],
    });
    const settled = last(log, 'bet-settled');
    log.add('terminal', 'commission-collected', { seat: 1, amount: 5 });
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    expect(standing(log)).toEqual(['CM-02', 'CM-05']);
    correct(log, settled, {
      seat: 1,
      bet: 'banker',
      stake: 'returned',
      paid: 100,
      commissionMarked: 5,
    });
    const audited = audit(log.events);
    expect(audited.findings).toEqual([]);
    expect(audited.ledger).toMatchObject([
      { seat: 1, due: 5, marked: 5, collected: 5, outstanding: 0 },
    ]);
  });

  it('a correction judges the shoe again whose opening it changes: the number of decks, or the rule document itself', () => {
    const log = opened({ decks: 7 });
    play(log, 1, {
      bets: [[1, 'banker', 100]],
      cards: BANKER_WINS,
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 100]],
    });
    expect(standing(log)).toEqual(['CM-01', 'SH-19']);
    const { data } = log.events[0] as { data: Sent };
    correct(log, last(log, 'shoe-opened'), { ...data, decks: 8 });
    expect(standing(log)).toEqual(['CM-01']);
    correct(log, last(log, 'shoe-opened'), { ...data, decks: 8, rules: 'ez-baccarat@1' });
    expect(standing(log)).toEqual([]);
  });

  it('a correction keeps what a gap left open about a card of an earlier coup', () => {
    const log = opened();
    log.draw('P 9S'); // while no coup was open: DL-15
    play(log, 1, { ...won, closed: false });
    log.lose('terminal'); // perhaps the opening of the coup that the card was for
    log.add('shoe', 'coup-opened', { coup: 2 });
    const bet = log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    const openCodes = (): string[] =>
      audit(log.events).unjudgeable.flatMap((entry) => (entry.coup ? [] : entry.codes));
    expect(openCodes()).toContain('DL-15');
    correct(log, bet, { seat: 1, bet: 'player', amount: 200 });
    expect(openCodes()).toContain('DL-15');
  });
});

describe('a correction never withdraws', () => {
  it('what devices did: an unread card, a gap, an equivocation, a card entered by hand', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B ?? P 5D B 5C' });
    expect(standing(log)).toContain('DV-01');
    correct(log, last(log, 'card-drawn', 3), { card: '2H', to: 'banker' });
    expect(standing(log)).toEqual(['DV-01']);
    expect(audit(log.events).unjudgeable).toEqual([]);
  });

  it('what people did: a coup dealt without a dealer signed on', () => {
    const log = new TableLog();
    log.open({ reports: ['dealers', 'outcomes'] });
    log.add('terminal', 'dealer-signed-on', { dealer: 'dora', role: 'caller' });
    play(log, 1, { outcome: 'player' });
    expect(standing(log)).toEqual(['PR-01']);
    correct(log, last(log, 'dealer-signed-on'), { dealer: 'dora', role: 'dealer' });
    expect(standing(log)).toEqual(['PR-01']);
    play(log, 2, { outcome: 'player' });
    expect(standing(log)).toEqual(['PR-01']);
    log.shoe = 'S2';
    log.open({ reports: ['dealers', 'outcomes'] });
    play(log, 1, { outcome: 'player' });
    // She is on duty in the next shoe too.
    expect(standing(log).filter((code) => code === 'PR-01')).toEqual(['PR-01']);
  });
});

describe('a correction (PR-09)', () => {
  it.each<[string, (log: TableLog) => string]>([
    ['of an unknown event', () => 'device/T1-shoe#nothing'],
    ['of a text that is not a reference', () => 'the third card'],
    [
      'of itself',
      (log) =>
        `person/sam#sam/1/${log.events.filter(({ source }) => source === 'person/sam').length + 1}`,
    ],
  ])('%s raises PR-09 and has no effect', (_, of) => {
    const log = opened();
    play(log, 1, won);
    correct(log, of(log), { card: '5C', to: 'banker' });
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([{ code: 'PR-09', severity: 3 }]);
  });

  it('raises PR-09 for a shoe older than the one before, but not for the one before', () => {
    const log = opened();
    play(log, 1, won);
    const card = last(log, 'card-drawn');
    for (const [shoe, expected] of [
      ['S2', []],
      ['S3', ['PR-09']],
    ] as const) {
      log.add('shoe', 'shoe-closed', { reason: 'end' });
      log.shoe = shoe;
      log.open();
      correct(log, card, { card: '5C', to: 'banker' });
      expect(standing(log)).toEqual(expected);
    }
  });

  it.each([
    ['nobody', 'person/sam', {}],
    ['the dealer who dealt', 'person/dora', { by: 'dora' }],
  ])('made by %s raises PR-04 too, and so does a move', (_, source, who) => {
    const log = opened();
    play(log, 1, { ...won, closed: false });
    log.add(source, 'observation-corrected', { event: 'a#b', data: {}, ...who });
    log.add(source, 'observation-corrected', {
      event: last(log, 'card-drawn'),
      data: {},
      ...who,
    });
    log.add(source, 'card-moved', { event: 'a#b', to: 'burn', ...who });
    expect(standing(log)).toEqual(['PR-04', 'PR-04', 'PR-04', 'PR-09', 'PR-09', 'PR-09']);
  });

  it('raises PR-09 once before any shoe opened', () => {
    const log = new TableLog();
    correct(log, 'a#b', {});
    expect(standing(log)).toEqual(['PR-09']);
  });

  it.each<[string, Sent]>([
    ['a missing field', { card: '5C' }],
    ['an extra field', { card: '5C', to: 'banker', colour: 'red' }],
    ['an impossible card', { card: '1C', to: 'banker' }],
    ['the data of another type', { seat: 1, bet: 'tie', amount: 1 }],
    ['no fields', {}],
  ])('whose data has %s does not fit, and has no effect', (_, data) => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    correct(log, last(log, 'card-drawn'), data);
    expect(standing(log)).toEqual(['PR-09', 'PY-04', 'RS-02']);
  });

  it('a correction whose data fits raises nothing', () => {
    const log = opened();
    play(log, 1, won);
    correct(log, last(log, 'card-drawn'), { to: 'banker', card: '5C', exposed: false });
    expect(standing(log)).toEqual([]);
  });
});

describe('a correction (PR-04)', () => {
  it.each<[string, Sent, string[]]>([
    ['by a supervisor raises nothing', { by: 'sam', reason: 'camera' }, []],
    ['without a reason raises nothing', { by: 'sam' }, []],
    ['without a name raises PR-04', { reason: 'camera' }, ['PR-04']],
    ['by the dealer who dealt raises PR-04', { by: 'dora', reason: 'camera' }, ['PR-04']],
    ['by a dealer who did not deal that coup raises nothing', { by: 'ivan', reason: 'camera' }, []],
  ])('%s', (_, who, expected) => {
    const log = opened();
    play(log, 1, won);
    const card = last(log, 'card-drawn');
    log.dealer('ivan');
    play(log, 2, won);
    correct(log, card, { card: '5C', to: 'banker' }, who);
    expect(standing(log)).toEqual(expected);
  });

  it('keeps its finding, however often it is corrected', () => {
    const log = opened();
    play(log, 1, won);
    for (const by of ['dora', 'sam'])
      correct(log, last(log, 'card-drawn'), { card: '5C', to: 'banker' }, { by });
    expect(audit(log.events).findings).toMatchObject([
      { code: 'PR-04', severity: 2, coup: 1, events: ['person/dora#dora/1/1'] },
    ]);
  });
});

describe('a correction of a correction', () => {
  /** A coup misread and corrected wrongly. Two coups later, that correction is corrected. */
  function twice(data: (card: string) => Sent): TableLog {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    const card = last(log, 'card-drawn');
    play(log, 2, won);
    // Banker 8: the player hand wins by 9 to 8.
    const first = correct(log, card, { card: '6C', to: 'banker' });
    expect(standing(log)).toEqual([]);
    play(log, 3, won);
    correct(log, first, data(card));
    return log;
  }

  it('judges the coup of the original event again', () => {
    expect(
      standing(twice((event) => ({ event, data: { card: '7C', to: 'banker' }, by: 'sam' }))),
    ).toEqual(['PY-04', 'RS-02']);
    expect(
      standing(twice((event) => ({ event, data: { card: '5C', to: 'banker' }, by: 'sam' }))),
    ).toEqual([]);
  });

  it('may name another event: that one is corrected, and the original counts again as it was', () => {
    const log = twice(() => ({
      event: 'device/T1-shoe#T1-shoe/1/7',
      data: { coup: 2, kind: 'dummy' },
      by: 'sam',
    }));
    expect(standing(log)).toEqual(expect.arrayContaining(['BT-07', 'PY-04', 'RS-02']));
    expect(
      audit(log.events)
        .findings.filter(({ coup }) => coup === 1)
        .map(({ code }) => code)
        .sort(),
    ).toEqual(['PY-04', 'RS-02']);
  });

  it.each<[string, (card: string) => Sent]>([
    ['data that fits no card', (event) => ({ event, data: { card: 'nonsense' }, by: 'sam' })],
    [
      'the data of a bet',
      (event) => ({ event, data: { seat: 1, bet: 'tie', amount: 5 }, by: 'sam' }),
    ],
    ['an unknown event', () => ({ event: 'a#b', data: {}, by: 'sam' })],
    ['itself', () => ({ event: 'person/sam#sam/1/2', data: {}, by: 'sam' })],
    [
      'the correction that it corrects',
      () => ({ event: 'person/sam#sam/1/1', data: {}, by: 'sam' }),
    ],
    ['no data at all', (event) => ({ event })],
  ])('that makes it name %s raises PR-09 and has no effect', (_, data) => {
    expect(standing(twice(data))).toEqual(['PR-09']);
  });

  it('gives way to the latest correction that names the event', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' });
    const card = last(log, 'card-drawn');
    correct(log, card, { card: '5C', to: 'banker' });
    correct(log, card, { card: '7C', to: 'banker' });
    expect(standing(log)).toEqual(['PY-04', 'RS-02']);
    correct(log, card, { card: '6C', to: 'banker' });
    expect(standing(log)).toEqual([]);
  });
});

describe('a late event', () => {
  /** A coup in which some of the scanner's messages arrived only after they were declared lost. */
  function late(...places: number[]): TableLog {
    const log = opened();
    play(log, 1, { ...won });
    const cards = log.events.flatMap((event, i) =>
      event.type === 'shoeprint.card-drawn.v1' ? [i] : [],
    );
    const lost = places.map((place) => log.events[cards[place] as number] as Sent);
    log.events.splice(0, log.events.length, ...log.events.filter((event) => !lost.includes(event)));
    const [first] = lost as [Sent];
    const declared = {
      source: 'device/T1-shoe',
      session: '1',
      from: first.sequence as number,
      to: (first.sequence as number) + places.length - 1,
    };
    log.add('system/auditor', 'gap-declared', declared);
    log.events.push(...lost);
    return log;
  }

  it('has no effect, and leaves its coup unjudgeable', () => {
    const audited = audit(late(1).events);
    expect(codes(audited.findings)).toEqual(['DV-04']);
    expect(audited.unjudgeable.find(({ coup }) => coup === 1)?.codes).toEqual(
      expect.arrayContaining(['DL-02', 'TC-05', 'RS-02', 'PY-01', 'CM-01']),
    );
  });

  it('counts at the position of its number once a correction enters it', () => {
    const log = late(1);
    correct(log, 'device/T1-shoe#T1-shoe/1/4', { card: '2H', to: 'banker' });
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DV-04']);
    expect(audited.unjudgeable).toEqual([]);
    expect(audited.coups.at(-1)?.detail.cards.map(({ card }) => card)).toEqual([
      '4S',
      '2H',
      '5D',
      '5C',
    ]);
  });

  it('is judged with the data that the correction entered', () => {
    const log = late(1);
    correct(log, 'device/T1-shoe#T1-shoe/1/4', { card: '4H', to: 'banker' }); // banker 9: a tie
    expect(standing(log)).toEqual(['DV-04', 'PY-04', 'RS-02']);
  });

  /** Delivers one event after its number was declared lost, and returns its reference. */
  function deliveredLate(log: TableLog, type: string): string {
    const at = log.events.findIndex((event) => event.type === `shoeprint.${type}.v1`);
    const [lost] = log.events.splice(at, 1) as [Sent];
    const { source, session, sequence, id } = lost as { [name: string]: string };
    const numbers = { from: Number(sequence), to: Number(sequence) };
    log.add('system/auditor', 'gap-declared', { source, session, ...numbers } as never);
    log.events.push(lost);
    return `${source}#${id}`;
  }

  it('a late event that opened a coup takes away what its cards were found for', () => {
    const log = opened();
    play(log, 1, { ...won, closed: false });
    log.add('terminal', 'coup-closed');
    const opening = deliveredLate(log, 'coup-opened');
    const before = audit(log.events);
    expect(before.unjudgeable.flatMap((entry) => entry.codes)).toContain('DL-15');
    correct(log, opening, { coup: 1 });
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DV-04']);
    expect(audited.unjudgeable).toEqual([]);
    expect(audited.coups.at(-1)).toMatchObject({ coup: 1, outcome: 'player' });
  });

  it('a late event of the shoe before can be entered, and its correction corrected, while the next is open', () => {
    const log = opened();
    play(log, 1, { ...won, cards: 'P 4S B 2H P 5D B 7C' }); // banker 9: a tie
    const cards = log.events.filter(({ type }) => type === 'shoeprint.card-drawn.v1');
    const lost = cards.at(-1) as Sent;
    log.events.splice(log.events.indexOf(lost), 1);
    log.shoe = 'S2';
    log.add('terminal', 'shoe-opened', openingData);
    log.dealer();
    play(log, 1, won);
    const { source, session, sequence } = lost as { [name: string]: string };
    const numbers = { from: Number(sequence), to: Number(sequence) };
    log.add('system/auditor', 'gap-declared', { source, session, ...numbers } as never);
    log.events.push(lost);
    const card = `${source}#${lost.id as string}`;
    const wrong = correct(log, card, { card: '7C', to: 'banker' });
    expect(standing(log)).toEqual(['DV-04', 'PY-04', 'RS-02', 'SH-10']);
    correct(log, wrong, { event: card, data: { card: '5C', to: 'banker' } });
    const audited = audit(log.events);
    expect(codes(audited.findings)).toEqual(['DV-04', 'SH-10']);
    expect(audited.unjudgeable).toEqual([]);
  });

  it('a late event that opened a shoe cannot be entered: PR-09', () => {
    const log = new TableLog();
    log.add('shoe', 'device-online');
    log.open();
    log.add('shoe', 'device-error', { code: 1 });
    const opening = deliveredLate(log, 'shoe-opened');
    const data = {
      rules: 'punto-banco@1',
      decks: 8,
      kind: 'physical',
      currency: 'USD',
      reports: [],
    };
    correct(log, opening, data);
    expect(standing(log)).toEqual(['DV-04', 'PR-09']);
  });

  it('a late event that is entered alone leaves unjudgeable what the rest of its hole may hide', () => {
    const log = late(1, 2);
    correct(log, 'device/T1-shoe#T1-shoe/1/4', { card: '2H', to: 'banker' });
    expect(audit(log.events).unjudgeable.some(({ coup }) => coup === 1)).toBe(true);
    correct(log, 'device/T1-shoe#T1-shoe/1/5', { card: '5D', to: 'player' });
    const audited = audit(log.events);
    expect(audited.unjudgeable).toEqual([]);
    expect(codes(audited.findings)).toEqual(['DV-04']);
  });
});

describe('a move of a card', () => {
  it('withdraws nothing, and results and settlements are judged on the hands after it', () => {
    const log = opened();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.add('terminal', 'bet-placed', { seat: 1, bet: 'player', amount: 100 });
    const [, misplaced] = log.draw('P 4S P 2H');
    log.add('person/sam', 'card-moved', { event: misplaced as string, to: 'banker', by: 'sam' });
    log.draw('P 5D B 5C');
    log.add('terminal', 'outcome-declared', {
      outcome: 'player',
      player: 9,
      banker: 7,
      by: 'dealer',
    });
    settle(log, [1, 'player', 'returned', 100]);
    log.add('terminal', 'coup-closed');
    expect(standing(log)).toEqual(['DL-02']);
    expect(audit(log.events).coups.at(-1)).toMatchObject({
      outcome: 'player',
      detail: { cards: [{}, { card: '2H', to: 'banker', moved: true }, {}, {}] },
    });
  });

  it('raises PR-04 without a name, or by the dealer who dealt', () => {
    for (const [who, expected] of [
      [{ by: 'sam' }, []],
      [{}, ['PR-04']],
      [{ by: 'dora' }, ['PR-04']],
      [{ by: 'ivan' }, []],
    ] as const) {
      const log = opened();
      play(log, 1, { bets: [[1, 'player', 100]], closed: false });
      const [extra] = log.draw('- 6H');
      const source = `person/${'by' in who ? who.by : 'sam'}`;
      log.add(source, 'card-moved', { event: extra as string, to: 'discard', ...who });
      log.add('terminal', 'outcome-declared', { outcome: 'player', by: 'dealer' });
      settle(log, [1, 'player', 'returned', 100]);
      expect(standing(log)).toEqual(['DL-06', ...expected]);
    }
  });

  it('raises PR-09 if it names something that is not a card of its shoe', () => {
    const log = opened();
    play(log, 1, won);
    for (const event of ['a#b', last(log, 'bet-placed')])
      log.add('person/sam', 'card-moved', { event, to: 'discard', by: 'sam' });
    expect(standing(log)).toEqual(['PR-09', 'PR-09']);
  });
});

describe('a void coup', () => {
  it('owes its stakes, whatever is corrected in a coup before the void', () => {
    const log = opened();
    play(log, 1, { bets: [[1, 'tie', 100]], outcome: 'player', settled: [[1, 'tie', 'taken', 0]] });
    play(log, 2, { kind: 'demonstration' });
    play(log, 3, { outcome: 'player', closed: false });
    log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'misdeal' });
    correct(log, last(log, 'card-drawn', 5), { card: '2H', to: 'player' }); // of coup 2
    play(log, 4, { outcome: 'player' });
    expect(standing(log)).toContain('BT-08');
  });

  it('withdraws findings on result, settlement and commission, and marks the others void', () => {
    const log = opened();
    play(log, 1, {
      bets: [
        [1, 'banker', 100],
        [2, 'player', 100],
      ],
      cards: 'P 4S B 2H P 5D B 5C P 2C',
      settled: [
        [1, 'banker', 'returned', 100],
        [2, 'player', 'returned', 50, 5],
      ],
    });
    expect(standing(log)).toEqual(['CM-01', 'CM-04', 'PY-02', 'RS-07', 'TC-01']);
    const void_ = log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'misdeal' });
    const audited = audit(log.events);
    expect(audited.findings).toMatchObject([{ code: 'TC-01', void: true }]);
    expect(audited.withdrawn.map(({ finding, because }) => [finding.code, because])).toEqual(
      ['RS-07', 'CM-01', 'PY-02', 'CM-04'].map((code) => [code, void_]),
    );
    expect(audited.coups.at(-1)).toMatchObject({ coup: 1, state: 'void' });
  });

  it('raises no missing card, draw, bet, result or settlement if it was still open', () => {
    for (const cards of ['P 4S', 'P 2S B 2H P 2D B 2C', PLAYER_WINS]) {
      const log = opened();
      play(log, 1, { bets: cards === 'P 4S' ? [] : [[1, 'player', 100]], cards, closed: false });
      log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
      expect(standing(log)).toEqual([]);
    }
  });

  it('is judged by its result if it was still open: the void is its end', () => {
    const log = opened();
    play(log, 1, { cards: 'P 9S B 5C P KH B 3D', closed: false }); // the player hand wins, 9 to 8
    for (const by of ['dealer', 'device'] as const)
      log.add('terminal', 'outcome-declared', { outcome: 'banker', by, specials: ['banker-pair'] });
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
    expect(audit(log.events).findings).toMatchObject(
      ['RS-02', 'RS-05', 'RS-03'].map((code) => ({ code, coup: 1, void: true })),
    );
  });

  it('leaves its result unjudgeable if it was still open and a card is unread', () => {
    const log = opened();
    play(log, 1, { cards: 'P 9S B 5C P ?? B 3D', closed: false });
    log.add('terminal', 'outcome-declared', {
      outcome: 'banker',
      by: 'dealer',
      specials: ['natural'],
    });
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
    const { findings, unjudgeable } = audit(log.events);
    expect(codes(findings)).toEqual(['DV-01']);
    expect(unjudgeable.flatMap((entry) => entry.codes)).toEqual(['RS-02', 'RS-05']);
  });

  it('leaves no payment unjudgeable, whether an unread card or a gap had done so', () => {
    const log = opened();
    play(log, 1, {
      bets: [[1, 'player', 100]],
      cards: 'P 9S B 5C P ?? B 3D',
      outcome: 'player',
      settled: [[1, 'player', 'returned', 100]],
    });
    const paymentsOf = ({ unjudgeable }: Audited): string[] =>
      unjudgeable
        .flatMap((entry) => (entry.coup === 1 ? entry.codes : []))
        .filter((code) => /^(PY|CM)|RS-07/.test(code));
    expect(paymentsOf(audit(log.events))).toEqual(['PY-02', 'PY-04']);
    log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'misdeal' });
    expect(paymentsOf(audit(log.events))).toEqual([]);
    for (const isLostFirst of [true, false]) {
      const gapped = opened();
      play(gapped, 1, { ...won, closed: false });
      const lose = (): void => {
        gapped.lose('shoe');
        gapped.add('shoe', 'device-error', { code: 3 });
      };
      if (isLostFirst) lose();
      gapped.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
      if (!isLostFirst) lose();
      const audited = audit(gapped.events);
      expect(paymentsOf(audited)).toEqual([]);
      expect(audited.unjudgeable.some(({ coup }) => coup === 1)).toBe(true);
    }
  });

  it('is the coup that the number meant when it was declared, if a correction changes it', () => {
    const log = opened();
    play(log, 1, { ...won, outcome: 'banker' });
    play(log, 2, { ...won, outcome: 'banker' });
    const wrong = log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'misdeal' });
    play(log, 2, { ...won, outcome: 'banker' }); // the number again
    correct(log, wrong, { coup: 2, by: 'sam', reason: 'misdeal' });
    const results = audit(log.events).findings.filter(({ code }) => code === 'RS-02');
    expect(results.map(({ coup, void: isVoid }) => [coup, isVoid])).toEqual([
      [1, false],
      [2, true],
      [2, false],
    ]);
    expect(codes(audit(log.events).findings).filter((code) => code.startsWith('PY'))).toEqual([]);
  });

  it('raises PR-09 if the shoe does not have that coup', () => {
    const log = opened();
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
    play(log, 1, won);
    log.add('person/sam', 'coup-voided', { coup: 2, by: 'sam', reason: 'misdeal' });
    expect(standing(log)).toEqual(['PR-09', 'PR-09']);
  });

  it('is the open coup, or else the last one, if the void names no number', () => {
    for (const closed of [true, false]) {
      const log = opened();
      play(log, 1, won);
      play(log, 2, { ...won, closed });
      log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
      expect([
        ...new Set(
          audit(log.events)
            .coups.filter(({ state }) => state === 'void')
            .map(({ coup }) => coup),
        ),
      ]).toEqual([2]);
    }
  });
});

describe('a correction of a card outside any coup', () => {
  it('withdraws the finding about that card', () => {
    const log = opened();
    const [card] = log.draw('P 9S') as [string];
    expect(standing(log)).toEqual(['DL-15']);
    correct(log, card, { card: '9S', to: 'burn' });
    expect(standing(log)).toEqual([]);
  });
});
