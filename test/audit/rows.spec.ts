import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  blockOf,
  Decoder,
  FINDING_CODES,
  fold,
  loadTable,
  newTable,
  rowsOf,
  saveTable,
  takeChanges,
  type AuditedCoup,
  type AuditedFinding,
  type AuditedShoe,
  type EventData,
  type Line,
  type ShoeSums,
  type TableState,
} from '#audit';
import { RANKS, type Rank } from '#baccarat';
import { ledgerRow } from '../../libs/audit/src/ledger/commission.js';
import { auditedCoup } from '../../libs/audit/src/rows/audited-coup.js';
import { auditedShoe } from '../../libs/audit/src/rows/audited-shoe.js';
import { shoeSums } from '../../libs/audit/src/rows/shoe-sums.js';
import type { SeatAccount, Shoe } from '../../libs/audit/src/state.js';
import { anyStream, hasEachCoupOnce, sharesReference } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import { decoded, type Sent } from '../kit/audit.js';
import { BOOK, HOUSE } from '../kit/house.js';
import { BANKER_WINS, play, PLAYER_WINS, settle } from '../kit/play.js';
import { TableLog } from '../kit/table.js';
import { simulated } from '../simulate/simulated.js';
import { rounds } from '../kit/rounds.js';

const dayOf = (time: string): string => time.slice(0, 10);
const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived'] as const;

const shoesOf = ({ open, before }: TableState): Shoe[] =>
  [open, before].filter((shoe) => shoe !== null);

function folded(
  events: readonly (Sent | string)[],
  look: (state: TableState, at: number) => void = () => undefined,
): TableState {
  const list = events.map(decoded);
  const state = newTable(list[0]?.table ?? 'T1');
  list.forEach((event, at) => {
    fold(state, event, BOOK);
    look(state, at);
  });
  return state;
}

/** The sums of a seat's lines, and those of its coups, against the ledger as the fold keeps it. */
function addsUp(shoe: Shoe): void {
  const { ledger, commission } = shoeSums(shoe, dayOf);
  expect(ledger.map(({ seat }) => seat)).toEqual([...shoe.ledger.keys()].sort((a, b) => a - b));
  for (const line of ledger) {
    const row = ledgerRow(shoe, line.seat, shoe.ledger.get(line.seat) as SeatAccount);
    for (const name of AMOUNTS) {
      expect(line[name]).toBe(row[name]);
      expect(
        commission
          .filter(({ seat }) => seat === line.seat)
          .reduce((sum, each) => sum + each[name], 0),
      ).toBe(row[name]);
    }
  }
  // Also of a seat whose commission all went away with a void coup, so that a report by seat is the
  // ledger.
  expect([...new Set(commission.map(({ seat }) => seat))].sort((a, b) => a - b)).toEqual(
    ledger.map(({ seat }) => seat),
  );
}

const lastShoe = (log: TableLog): Shoe => folded(log.events).open as Shoe;

describe('the lines of commission', () => {
  it('the lines of a seat add up to its ledger after every event of any game', () => {
    fc.assert(
      fc.property(
        anyGame(),
        (events) => void folded(events, (state) => shoesOf(state).forEach(addsUp)),
      ),
      { numRuns: rounds(150) },
    );
  });

  it('add up even if the devices lose, repeat and contradict events', () => {
    // Amounts near 2^53 are recorded as they are; their sums are no longer exact, whichever way
    // they are added.
    const small = anyStream(80).map((events) =>
      events.map(
        (event) => JSON.parse(JSON.stringify(event).replaceAll('9007199254740991', '7')) as Sent,
      ),
    );
    fc.assert(
      fc.property(
        small,
        (events) => void folded(events, (state) => shoesOf(state).forEach(addsUp)),
      ),
      { numRuns: rounds(150) },
    );
  });

  it.each(['punto-banco@1', 'punto-banco-taken@1', 'super-6@1'])(
    'add up for simulated shoes with faults under %s',
    (rules) => {
      const faults = ['PY-10', 'CM-01', 'CM-04', 'CM-06', 'RS-09', 'DV-04', 'PY-07'].filter(
        (code) => rules !== 'super-6@1' || !code.startsWith('CM'),
      );
      folded(
        simulated({ rules, bets: true, seed: 'sums', shoes: 2, faults }).lines,
        (state, at) => {
          if (at % 37 === 0) shoesOf(state).forEach(addsUp);
        },
      );
    },
  );

  it('name the dealer who dealt the coup, and for collected money the dealer on duty that day', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: BANKER_WINS,
      outcome: 'banker',
      bets: [[1, 'banker', 1000]],
      settled: [[1, 'banker', 'returned', 1000, 50]],
    });
    log.dealer('ivan');
    play(log, 2, {
      cards: BANKER_WINS,
      outcome: 'banker',
      bets: [[1, 'banker', 2000]],
      settled: [[1, 'banker', 'returned', 2000, 100]],
    });
    log.add(
      'terminal',
      'commission-collected',
      { seat: 1, amount: 120 },
      { time: '2026-11-21T03:00:00.000Z' },
    );
    expect(shoeSums(lastShoe(log), dayOf).commission).toEqual([
      {
        seat: 1,
        dealer: 'dora',
        gamingDay: '2026-11-20',
        due: 50,
        taken: 0,
        marked: 50,
        collected: 0,
        waived: 0,
      },
      {
        seat: 1,
        dealer: 'ivan',
        gamingDay: '2026-11-20',
        due: 100,
        taken: 0,
        marked: 100,
        collected: 0,
        waived: 0,
      },
      {
        seat: 1,
        dealer: 'ivan',
        gamingDay: '2026-11-21',
        due: 0,
        taken: 0,
        marked: 0,
        collected: 120,
        waived: 0,
      },
    ]);
  });

  it('come in an order of their own, which a coup without amounts does not change', () => {
    const log = new TableLog();
    log.open();
    const settle = (): string =>
      log.add('terminal', 'bet-settled', {
        ...{ seat: 1, bet: 'player', stake: 'returned', paid: 0, commissionMarked: 5 },
      });
    log.dealer('dora');
    settle();
    log.add('terminal', 'dealer-relieved', { dealer: 'dora', role: 'dealer' });
    settle();
    const before = shoeSums(lastShoe(log), dayOf);
    expect(before.commission.map(({ dealer }) => dealer)).toEqual(['', 'dora']);
    log.add('shoe', 'coup-opened', { coup: 1 });
    expect(shoeSums(lastShoe(log), dayOf)).toEqual(before);
  });

  it('keep what was taken in a void coup, but not what was marked', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: BANKER_WINS,
      outcome: 'banker',
      bets: [[1, 'banker', 1000]],
      settled: [[1, 'banker', 'returned', 1000, 20, 30]],
    });
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
    const { commission, bets } = shoeSums(lastShoe(log), dayOf);
    expect(commission).toEqual([
      {
        seat: 1,
        dealer: 'dora',
        gamingDay: '2026-11-20',
        due: 0,
        taken: 30,
        marked: 0,
        collected: 0,
        waived: 0,
      },
    ]);
    expect(bets).toEqual([]);
  });
});

describe('a coup', () => {
  it('is reported with its cards, bets, settlements and commission, including a late settlement', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: BANKER_WINS,
      outcome: 'banker',
      bets: [
        [1, 'banker', 1000],
        [2, 'player', 500],
      ],
      settled: [[2, 'player', 'taken', 0]],
    });
    settle(log, [1, 'banker', 'returned', 1000, 50]);
    const shoe = lastShoe(log);
    const report = auditedCoup(shoe, shoe.coups[0] as Shoe['coups'][number]);
    expect(report).toMatchObject({ coup: 1, state: 'over', outcome: 'banker', dealer: 'dora' });
    expect(report.detail.cards.map(({ card, to }) => `${card} ${to}`)).toEqual([
      '2S player',
      '4H banker',
      '5D player',
      '5C banker',
    ]);
    expect(report.detail.bets).toEqual([
      {
        seat: 1,
        bet: 'banker',
        stands: 1000,
        late: 0,
        settled: {
          stake: 'returned',
          paid: 1000,
          commissionTaken: 0,
          commissionMarked: 50,
          ms: 22_000,
        },
      },
      {
        seat: 2,
        bet: 'player',
        stands: 500,
        late: 0,
        settled: {
          stake: 'taken',
          paid: 0,
          commissionTaken: 0,
          commissionMarked: 0,
          ms: 18_000,
        },
      },
    ]);
    expect(report.detail.commission).toEqual([{ seat: 1, due: 0, taken: 0, marked: 50 }]);
    expect(report.endedAt).toBe(
      log.events.find(({ type }) => type === 'shoeprint.coup-closed.v1')?.time,
    );
    expect(shoeSums(shoe, dayOf).bets).toEqual([
      {
        bet: 'banker',
        dealer: 'dora',
        gamingDay: '2026-11-20',
        bets: 1,
        staked: 1000,
        paid: 1000,
        taken: 0,
      },
      {
        bet: 'player',
        dealer: 'dora',
        gamingDay: '2026-11-20',
        bets: 1,
        staked: 500,
        paid: 0,
        taken: 500,
      },
    ]);
  });

  const coupsOf = (log: TableLog): AuditedCoup['detail'][] => {
    const shoe = lastShoe(log);
    return shoe.coups.map((coup) => auditedCoup(shoe, coup).detail);
  };
  const after = (opening: string, ms: number): string =>
    new Date(Date.parse(opening) + ms).toISOString();

  it('shows how long after its opening betting closed, each card came and the outcome was declared', () => {
    const log = new TableLog();
    log.open();
    play(log, 1, { cards: BANKER_WINS, outcome: 'banker' });
    const [detail] = coupsOf(log);
    expect(detail?.bettingClosed).toEqual({ ms: 2_000 });
    expect(detail?.cards.map(({ ms }) => ms)).toEqual([4_000, 6_000, 8_000, 10_000]);
    expect(detail?.declared).toEqual([{ outcome: 'banker', by: 'dealer', ms: 12_000 }]);
  });

  it('shows no closing of betting until there is one, and then the first', () => {
    const log = new TableLog();
    log.open();
    log.add('shoe', 'coup-opened', { coup: 1 });
    expect(coupsOf(log)[0]?.bettingClosed).toBeNull();
    log.add('terminal', 'betting-closed');
    log.add('terminal', 'betting-closed');
    expect(coupsOf(log)[0]?.bettingClosed).toEqual({ ms: 2_000 });
  });

  it('names everybody who was on duty in it as caller, as corrected last', () => {
    const log = new TableLog();
    log.open();
    const signOn = (type: 'dealer-signed-on' | 'dealer-relieved', dealer: string) =>
      log.add('terminal', type, { dealer, role: 'caller' });
    const callers = (): (readonly string[])[] => coupsOf(log).map((coup) => coup.callers);
    play(log, 1, { cards: BANKER_WINS, outcome: 'banker' });
    signOn('dealer-signed-on', 'cora');
    log.add('shoe', 'coup-opened', { coup: 2 });
    const carl = signOn('dealer-signed-on', 'carl');
    signOn('dealer-relieved', 'carl');
    signOn('dealer-signed-on', 'cora');
    log.add('shoe', 'coup-closed');
    log.add('shoe', 'coup-opened', { coup: 3 });
    expect(callers()).toEqual([[], ['cora', 'carl'], ['cora']]);
    log.add('person/s.k', 'observation-corrected', {
      event: carl,
      data: { dealer: 'cleo', role: 'caller' },
      by: 's.k',
      reason: 'the wrong card was read',
    });
    expect(callers()).toEqual([[], ['cora', 'cleo'], ['cora']]);
  });

  it('shows when a bet was settled last if it was settled twice', () => {
    const log = new TableLog();
    log.open();
    play(log, 1, {
      cards: BANKER_WINS,
      bets: [[1, 'banker', 1000]],
      outcome: 'banker',
      settled: [
        [1, 'banker', 'taken', 0],
        [1, 'banker', 'returned', 1000, 50],
      ],
    });
    expect(coupsOf(log)[0]?.bets.map(({ settled }) => settled)).toEqual([
      { stake: 'returned', paid: 1000, commissionTaken: 0, commissionMarked: 50, ms: 18_000 },
    ]);
  });

  it('shows times before its opening if the clock of a device is behind, in whole milliseconds', () => {
    const log = new TableLog();
    log.open();
    log.add('shoe', 'coup-opened', { coup: 1 });
    const opened = log.events.at(-1)?.time as string;
    log.add('terminal', 'betting-closed', {}, { time: after(opened, -1_500) });
    const drawn = (time: string): string =>
      log.add('shoe', 'card-drawn', { card: '9S', to: 'player' }, { time });
    drawn(after(opened, -1));
    drawn(opened.replace('.000Z', '.0009Z'));
    drawn(after(opened, 250).replace('Z', '+00:00'));
    const [detail] = coupsOf(log);
    expect(detail?.bettingClosed).toEqual({ ms: -1_500 });
    expect(detail?.cards.map(({ ms }) => ms)).toEqual([-1, 0, 250]);
  });

  it('shows that a card carried over came before its opening', () => {
    const log = new TableLog();
    log.open();
    play(log, 1, { cards: PLAYER_WINS, closed: false });
    const [excess] = log.draw('- KD');
    log.add('person/sam', 'card-moved', { event: excess as string, to: 'next', by: 'sam' });
    log.add('terminal', 'coup-closed');
    play(log, 2);
    const [first, second] = coupsOf(log);
    expect(first?.cards.at(-1)).toMatchObject({ ref: excess, ms: 12_000 });
    expect(second?.cards[0]).toMatchObject({ ref: excess, carried: true, ms: -6_000 });
  });
});

describe('a shoe', () => {
  const left = (log: TableLog): readonly number[] => auditedShoe(lastShoe(log)).leftByRank;
  /** The counts of eight full decks, less the cards drawn of each rank. */
  const lessThanFull = (drawn: Partial<Record<Rank, number>>): number[] =>
    RANKS.map((rank) => 32 - (drawn[rank] ?? 0));

  it('is reported with the cards left of each rank, wherever those that were drawn lie', () => {
    const log = new TableLog();
    log.open();
    expect(left(log)).toEqual(lessThanFull({}));
    log.draw('burn AS AH');
    play(log, 1, { cards: 'P 4S B 2H P 5D B 5C', closed: false });
    log.draw('- TD');
    log.add('person/sam', 'coup-voided', { by: 'sam', reason: 'misdeal' });
    log.draw('burn KC - KH');
    expect(left(log)).toEqual(lessThanFull({ A: 2, 4: 1, 2: 1, 5: 2, T: 1, K: 2 }));
  });

  it('takes an unread card from no rank until a correction names it', () => {
    const log = new TableLog();
    log.open();
    log.add('shoe', 'coup-opened', { coup: 1 });
    const [, unread] = log.draw('P 4S B ??');
    expect(left(log)).toEqual(lessThanFull({ 4: 1 }));
    log.add('person/sam', 'observation-corrected', {
      event: unread as string,
      data: { card: 'QD', to: 'banker' },
      by: 'sam',
      reason: 'video',
    });
    expect(left(log)).toEqual(lessThanFull({ 4: 1, Q: 1 }));
  });

  it('takes a card as it was corrected last, also in a coup long over', () => {
    const log = new TableLog();
    log.open();
    for (let coup = 1; coup <= 3; coup += 1) play(log, coup, { cards: PLAYER_WINS });
    const card = log.events.find(({ type }) => type === 'shoeprint.card-drawn.v1') as Sent;
    const correct = (to: 'JS' | '7S'): string =>
      log.add('person/sam', 'observation-corrected', {
        event: `${card.source as string}#${card.id as string}`,
        data: { card: to, to: 'player' },
        by: 'sam',
        reason: 'video',
      });
    expect(left(log)).toEqual(lessThanFull({ 4: 3, 2: 3, 5: 6 }));
    correct('JS');
    correct('7S');
    expect(left(log)).toEqual(lessThanFull({ 4: 2, 7: 1, 2: 3, 5: 6 }));
  });

  it('counts from the decks of its opening as that was corrected', () => {
    const log = new TableLog();
    const opening = log.open({ decks: 6 });
    log.draw('burn 9C');
    expect(left(log)[RANKS.indexOf('9')]).toBe(23);
    const { data } = log.events[0] as { data: EventData['shoe-opened'] };
    log.add('person/sam', 'observation-corrected', {
      event: opening,
      data: { ...data, decks: 8 },
      by: 'sam',
      reason: 'the label',
    });
    expect(left(log)).toEqual(lessThanFull({ 9: 1 }));
  });

  it('has its burn, card by card, with what the rules permit by the first card', () => {
    const burn = (log: TableLog): unknown => auditedShoe(lastShoe(log)).burn;
    const log = new TableLog();
    log.open({ rules: 'punto-banco@1' });
    expect(burn(log)).toEqual({ cards: [], permitted: null, byFirstCard: true });
    const [first] = log.draw('burn ??');
    expect(burn(log)).toEqual({ cards: [null], permitted: null, byFirstCard: true });
    log.add('person/sam', 'observation-corrected', {
      event: first as string,
      data: { card: '3S', to: 'burn' },
      by: 'sam',
      reason: 'video',
    });
    log.draw('burn KH 4D');
    const burned = { cards: ['3S', 'KH', '4D'], permitted: [4], byFirstCard: true };
    expect(burn(log)).toEqual(burned);
    play(log, 1, { cards: PLAYER_WINS });
    log.draw('burn 9C');
    expect(burn(log)).toEqual(burned);
  });

  it('has its burn as a number where the rules count otherwise, and none if nobody reports it', () => {
    const log = new TableLog();
    log.open();
    log.draw('burn 9C');
    const { burn } = auditedShoe(lastShoe(log));
    expect(burn).toEqual({ cards: ['9C'], permitted: [0], byFirstCard: false });
    const silent = new TableLog();
    silent.open({ reports: ['outcomes'] });
    expect(auditedShoe(lastShoe(silent))).toMatchObject({ burn: null, cutCard: null });
  });

  it('says in which coup the cut card showed, how many cards were left, and how many coups', () => {
    const cutCard = (log: TableLog): unknown => auditedShoe(lastShoe(log)).cutCard;
    const log = new TableLog();
    log.open();
    expect(cutCard(log)).toBeNull();
    play(log, 1, { cards: PLAYER_WINS });
    log.add('shoe', 'coup-opened', { coup: 2 });
    log.draw('P 4S B 2H');
    const cardsLeft = 8 * 52 - auditedShoe(lastShoe(log)).cards;
    log.add('shoe', 'cut-card-drawn');
    log.draw('P 5D');
    log.add('shoe', 'cut-card-drawn');
    expect(cutCard(log)).toEqual({
      ...{ coup: 2, inside: true, cardsLeft, coupsLeft: 1 },
    });
    log.add('shoe', 'coup-closed');
    for (const coup of [3, 4]) play(log, coup, { cards: PLAYER_WINS });
    expect(cutCard(log)).toMatchObject({ coup: 2, cardsLeft, coupsLeft: 0 });
  });

  it('says after which coup the cut card showed where no card of the next one lay', () => {
    const before = new TableLog();
    before.open();
    before.add('shoe', 'cut-card-drawn');
    expect(auditedShoe(lastShoe(before)).cutCard).toMatchObject({
      ...{ coup: null, inside: false, cardsLeft: 8 * 52 },
    });
    const log = new TableLog();
    log.open();
    play(log, 1, { cards: PLAYER_WINS });
    log.add('shoe', 'coup-opened', { coup: 2 });
    log.add('shoe', 'cut-card-drawn');
    expect(auditedShoe(lastShoe(log)).cutCard).toMatchObject({ coup: 1, inside: false });
  });

  it('has less than none left of a rank of which more came than the decks hold', () => {
    const log = new TableLog();
    log.open({ decks: 1 });
    log.draw(`burn ${'AS AH AD AC AS '.repeat(2)}`);
    expect(left(log)).toEqual(RANKS.map((rank) => (rank === 'A' ? -6 : 4)));
  });
});

describe('the time and the dealer of a finding about no coup', () => {
  const of = (log: TableLog, code: string): unknown => {
    const { shoes } = rowsOf(takeChanges(folded(log.events)));
    const found = shoes
      .flatMap((rows) => rows.findings())
      .filter(({ finding }) => finding.code === code);
    expect(found).toHaveLength(1);
    return found[0]?.raised();
  };
  const timeOf = (log: TableLog): unknown => log.events.at(-1)?.time;

  it('are those of the event that raised it', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    log.add('person/pia', 'coup-voided', { coup: 7, by: 'pia', reason: 'misdeal' });
    expect(of(log, 'PR-09')).toEqual({ time: timeOf(log), dealer: 'dora' });
  });

  it('are those of a correction that names nothing', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    const data = { event: 'device/T1-shoe#none', data: {}, by: 'pia' };
    log.add('person/pia', 'observation-corrected', data);
    expect(of(log, 'PR-09')).toEqual({ time: timeOf(log), dealer: 'dora' });
  });

  it('are those of a second content under one number', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    log.add('terminal', 'device-error', { code: 7 });
    log.add('terminal', 'device-error', { code: 8 }, { sequence: 2, id: 'other' });
    expect(of(log, 'DV-15')).toEqual({ time: timeOf(log), dealer: 'dora' });
  });
});

/** The rows of a table as a reader keeps them who takes its changes now and then. */
class Reader {
  readonly shoes = new Map<string, unknown>();
  readonly coups = new Map<string, AuditedCoup>();
  readonly sums = new Map<string, unknown>();
  readonly findings = new Map<string, Omit<AuditedFinding, 'raised' | 'received'>>();
  readonly unjudgeable = new Map<string, unknown>();

  take(state: TableState): void {
    const { shoes, outside } = rowsOf(takeChanges(state));
    this.keep(outside);
    for (const rows of shoes) {
      const { ref } = rows.shoe;
      if (rows.mark !== null) this.shoes.set(ref, rows.shoe);
      for (const { mark: _, ...coup } of rows.coups()) this.coups.set(coup.ref, coup);
      const sums = rows.sums(dayOf);
      if (sums) this.sums.set(ref, sums);
      this.keep(rows.findings());
      for (const { key, coupRef, entry } of rows.unjudgeable())
        if (entry) this.unjudgeable.set(`${ref} ${key}`, { coupRef, entry });
        else this.unjudgeable.delete(`${ref} ${key}`);
    }
  }

  private keep(findings: readonly AuditedFinding[]): void {
    for (const { raised, received: _, ...finding } of findings)
      this.findings.set(finding.finding.id, { ...finding, ...raised(), mark: 0 });
  }
}

describe('the rows that changed', () => {
  /** Holds what a reader kept to the state of the shoes within reach. */
  function agrees(reader: Reader, state: TableState): void {
    for (const shoe of shoesOf(state)) {
      expect(reader.shoes.get(shoe.ref)).toEqual(auditedShoe(shoe));
      for (const coup of shoe.coups)
        expect(reader.coups.get(coup.ref)).toEqual(auditedCoup(shoe, coup));
      // of a copy nothing is added up yet
      expect(reader.sums.get(shoe.ref) ?? NO_SUMS).toEqual(shoeSums({ ...shoe }, dayOf));
      for (const [key, { coup, entry }] of shoe.unjudgeable)
        expect(reader.unjudgeable.get(`${shoe.ref} ${key}`)).toEqual({ coupRef: coup, entry });
      const keys = [...reader.unjudgeable.keys()].filter((key) => key.startsWith(`${shoe.ref} `));
      expect(keys).toHaveLength(shoe.unjudgeable.size);
      for (const [id, { finding, coup }] of shoe.found)
        expect(reader.findings.get(id)).toMatchObject({
          finding,
          coupRef: coup,
          withdrawnBecause: null,
        });
      const standing = [...reader.findings.values()].filter(
        ({ shoeRef, withdrawnBecause }) => shoeRef === shoe.ref && withdrawnBecause === null,
      );
      expect(standing).toHaveLength(shoe.found.size);
    }
    for (const [id, { finding }] of state.foundOutside)
      expect(reader.findings.get(id)).toMatchObject({ finding, shoeRef: null });
  }
  const NO_SUMS = { ledger: [], commission: [], dealt: [], bets: [] };
  const undated = (kept: object): object => ({ ...kept, time: null, dealer: null });
  const anyLog = fc.oneof(anyGame(), anyStream(80)).filter(hasEachCoupOnce);

  it('keep a reader up to date after every event, whatever is sent', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const reader = new Reader();
        folded(events, (state) => {
          reader.take(state);
          agrees(reader, state);
        });
      }),
      { numRuns: rounds(400) },
    );
  });

  it('keep a reader up to date through simulated shoes with every fault that their rules know', () => {
    const faults = FINDING_CODES.filter((code) => code !== 'PY-05');
    const { lines } = simulated({ rules: 'nsw-crown@1', bets: true, seed: 1, shoes: 4, faults });
    const reader = new Reader();
    folded(lines, (state, at) => {
      if (at % 241 !== 0) return;
      reader.take(state);
      agrees(reader, state);
    });
    expect(reader.shoes.size).toBe(4);
  });

  it('look at each coup of a shoe a few times, however many findings it has', () => {
    const COUPS = 300;
    const log = new TableLog();
    log.open();
    for (let coup = 1; coup <= COUPS; coup += 1) log.add('terminal', 'coup-opened', { coup });
    const state = folded(log.events);
    const [changed] = rowsOf(takeChanges(state)).shoes;
    const shoe = state.open as { coups: Shoe['coups'] };
    let looks = 0;
    shoe.coups = new Proxy(shoe.coups, {
      get: (coups, name, receiver): unknown => {
        looks += 1;
        return Reflect.get(coups, name, receiver);
      },
    });
    expect(changed?.findings().length).toBeGreaterThan(COUPS / 2);
    expect(looks).toBeLessThan(10 * COUPS);
  });

  /** A table whose reader has taken all rows so far. */
  function level(log: TableLog): { readonly state: TableState; readonly reader: Reader } {
    const reader = new Reader();
    const state = folded(log.events);
    reader.take(state);
    return { state, reader };
  }
  const then = (of: ReturnType<typeof level>, log: TableLog, from: number): void => {
    for (const event of log.events.slice(from)) fold(of.state, decoded(event), BOOK);
    of.reader.take(of.state);
    agrees(of.reader, of.state);
  };

  it('put the findings and the money of a coup under the dealer who signs on during it', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: `${BANKER_WINS} P 2C`,
      bets: [[1, 'banker', 1000]],
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 1000, 50]],
      closed: false,
    });
    const read = level(log);
    const dealers = (): unknown[] =>
      [...read.reader.findings.values()].map((finding) => (finding as { dealer?: unknown }).dealer);
    expect(dealers()).toEqual(['dora']);
    const from = log.events.length;
    log.dealer('ivan');
    then(read, log, from);
    expect(dealers()).toEqual(['ivan']);
  });

  it('show a coup void and empty if a corrected late closing takes it off the record', () => {
    const log = new TableLog();
    log.open();
    play(log, 1);
    const closing = log.add('shoe', 'shoe-closed', { reason: 'end' });
    const late = log.events.pop() as Sent;
    play(log, 2);
    log.add('system/auditor', 'gap-declared', {
      source: late.source as string,
      session: late.session as string,
      from: late.sequence as number,
      to: late.sequence as number,
    });
    const read = level(log);
    expect([...read.reader.coups.values()].map(({ coup, state }) => [coup, state])).toEqual([
      [1, 'over'],
      [2, 'over'],
    ]);
    const from = log.events.length;
    log.events.push(late);
    log.add('person/sam', 'observation-corrected', {
      event: closing,
      data: { reason: 'end' },
      by: 'sam',
      reason: 'found',
    });
    then(read, log, from);
    expect(
      [...read.reader.coups.values()].map(({ coup, state, detail }) => [
        coup,
        state,
        detail.cards.length,
      ]),
    ).toEqual([
      [1, 'over', 4],
      [2, 'void', 0],
    ]);
  });

  it('show no commission due in a coup that a gap hides', () => {
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: BANKER_WINS,
      bets: [[1, 'banker', 1000]],
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 1000, 50]],
    });
    const read = level(log);
    const commission = (): unknown => [...read.reader.coups.values()][0]?.detail.commission;
    expect(commission()).toEqual([{ seat: 1, due: 50, taken: 0, marked: 50 }]);
    const from = log.events.length;
    log.add('shoe', 'coup-opened', { coup: 2 });
    log.events.pop();
    log.add('shoe', 'cut-card-drawn');
    log.add('shoe', 'shoe-closed', { reason: 'end' });
    then(read, log, from);
    expect(commission()).toEqual([{ seat: 1, due: 0, taken: 0, marked: 50 }]);
  });

  it('add up a coup again that is declared void once others have followed', () => {
    const log = new TableLog();
    log.open();
    for (const coup of [1, 2, 3])
      play(log, coup, {
        cards: BANKER_WINS,
        bets: [[1, 'banker', 1000]],
        outcome: 'banker',
        settled: [[1, 'banker', 'returned', 1000, 50]],
      });
    const read = level(log);
    const staked = (): unknown =>
      [...read.reader.sums.values()].map((sums) => (sums as ShoeSums).bets[0]?.staked);
    expect(staked()).toEqual([3_000]);
    const from = log.events.length;
    log.add('person/sam', 'coup-voided', { coup: 1, by: 'sam', reason: 'a card was exposed' });
    then(read, log, from);
    expect(staked()).toEqual([2_000]);
  });

  it('show the cards left of a shoe when one is drawn and when one is corrected', () => {
    const log = new TableLog();
    log.open();
    play(log, 1, { cards: PLAYER_WINS });
    const read = level(log);
    const left = (rank: Rank): unknown =>
      ([...read.reader.shoes.values()][0] as AuditedShoe).leftByRank[RANKS.indexOf(rank)];
    const next = (what: () => string): string => {
      const from = log.events.length;
      const reference = what();
      then(read, log, from);
      return reference;
    };
    expect(left('K')).toBe(32);
    const king = next(() => log.draw('burn KH')[0] as string);
    expect(left('K')).toBe(31);
    next(() =>
      log.add('person/sam', 'observation-corrected', {
        event: king,
        data: { card: 'QH', to: 'burn' },
        by: 'sam',
        reason: 'video',
      }),
    );
    expect([left('Q'), left('K')]).toEqual([31, 32]);
  });

  it('show the cut card of a shoe as soon as it is drawn', () => {
    const log = new TableLog();
    log.open();
    play(log, 1, { cards: PLAYER_WINS });
    const read = level(log);
    const from = log.events.length;
    log.add('shoe', 'cut-card-drawn');
    then(read, log, from);
    const [shoe] = read.reader.shoes.values();
    expect((shoe as AuditedShoe).cutCard).toMatchObject({ coup: 1, inside: false });
  });

  it('add up to the same in any portions, including those of shoes out of reach', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 2, max: 40 }), (events, portion) => {
        const [each, some, once] = [new Reader(), new Reader(), new Reader()];
        folded(events, (state) => each.take(state));
        some.take(
          folded(events, (state, at) => {
            if (at % portion === 0) some.take(state);
          }),
        );
        once.take(folded(events));
        // A finding is dated by the reference of its event. If a second event has it too, its date
        // is that of the one which the shoe holds when the row is written.
        const seen = ({ findings, ...rest }: Reader): object =>
          sharesReference(events)
            ? { ...rest, findings: new Map([...findings].map(([id, each]) => [id, undated(each)])) }
            : { ...rest, findings };
        expect(seen(some)).toEqual(seen(each));
        // A finding that was raised and withdrawn in one portion is a row of it too.
        expect(seen(once)).toEqual(seen(each));
      }),
      { numRuns: rounds(400) },
    );
  });
});

describe('a line', () => {
  const lineOf = (bytes: Uint8Array): Line => ({
    decoder: new Decoder(HOUSE),
    block: blockOf(bytes, Buffer.from(bytes).toString('latin1')),
    from: 0,
    to: bytes.length,
  });
  const encoded = (event: Sent): Uint8Array => new TextEncoder().encode(JSON.stringify(event));

  it('is folded as the event that it contains', () => {
    fc.assert(
      fc.property(anyGame(), (events) => {
        const [byLines, byEvents] = [newTable('T1'), folded(events)];
        for (const event of events) fold(byLines, lineOf(encoded(event)), BOOK);
        byLines.lane.catchUp(byLines);
        expect(saveTable(byLines)).toBe(saveTable(byEvents));
      }),
      { numRuns: rounds(100) },
    );
  });

  it('a line that is malformed, or of another table, is refused and changes nothing', () => {
    const log = new TableLog();
    log.open();
    const [opening] = log.events as [Sent];
    const state = newTable('T1');
    const before = saveTable(state);
    const refused = (event: Sent, why: string): void =>
      expect(() => fold(state, lineOf(encoded(event)), BOOK)).toThrow(why);
    refused({ ...opening, time: 'noon' }, 'the line cannot be read: /time');
    refused({ ...opening, table: 'T2' }, 'the line is of table T2, not T1');
    expect(saveTable(state)).toBe(before);
  });
});

describe('the rows of a table', () => {
  it('are the same if its state was saved and loaded in between', () => {
    const report = (state: TableState): unknown =>
      shoesOf(state).map((shoe) => ({
        shoe: auditedShoe(shoe),
        coups: shoe.coups.map((coup) => auditedCoup(shoe, coup)),
        sums: shoeSums(shoe, dayOf),
      }));
    fc.assert(
      fc.property(anyGame(), fc.nat(100), (events, cut) => {
        const list = events.map(decoded);
        let state = newTable('T1');
        list.forEach((event, at) => {
          if (at === cut % list.length) state = loadTable(saveTable(state), BOOK);
          fold(state, event, BOOK);
        });
        expect(report(state)).toEqual(report(folded(events)));
      }),
      { numRuns: rounds(150) },
    );
  });
});
