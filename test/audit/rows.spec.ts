import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  coupReport,
  fold,
  loadTable,
  newTable,
  saveTable,
  shoesInReach,
  shoeSums,
  type Shoe,
  type TableState,
} from '#audit';
import { ledgerRow } from '../../libs/audit/src/ledger/commission.js';
import { anyStream } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import { decoded, type Sent } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';
import { BANKER_WINS, play, settle } from '../kit/play.js';
import { TableLog } from '../kit/table.js';
import { simulated } from '../simulate/simulated.js';
import { rounds } from '../kit/rounds.js';

const dayOf = (time: string): string => time.slice(0, 10);
const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived'] as const;

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
    const row = ledgerRow(shoe, line.seat);
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
  it('of a seat add up to its ledger after every event of any game', () => {
    fc.assert(
      fc.property(
        anyGame(),
        (events) => void folded(events, (state) => shoesInReach(state).forEach(addsUp)),
      ),
      { numRuns: rounds(150) },
    );
  });

  it('add up when the devices lose, repeat and contradict events too', () => {
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
        (events) => void folded(events, (state) => shoesInReach(state).forEach(addsUp)),
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
          if (at % 37 === 0) shoesInReach(state).forEach(addsUp);
        },
      );
    },
  );

  it('stand under whoever dealt the coup, and money collected under whoever was on duty that day', () => {
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

  it('keep what was taken in a void coup, and not what was marked', () => {
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
  it('is reported with its cards, bets, settlements and commission, a late settlement too', () => {
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
    const report = coupReport(shoe, shoe.coups[0] as Shoe['coups'][number]);
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
        settled: { stake: 'returned', paid: 1000, commissionTaken: 0, commissionMarked: 50 },
      },
      {
        seat: 2,
        bet: 'player',
        stands: 500,
        late: 0,
        settled: { stake: 'taken', paid: 0, commissionTaken: 0, commissionMarked: 0 },
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

  it('that ended is told of whenever its report changes, unless a correction changes its shoe', () => {
    fc.assert(
      fc.property(anyGame(), (events) => {
        const state = newTable('T1');
        let known = new Map<string, string>();
        for (const event of events.map(decoded)) {
          const before = shoesInReach(state);
          const told = new Set(
            fold(state, event, BOOK).flatMap((each) => (each.is === 'coup' ? each.ref : [])),
          );
          const now = new Map(
            shoesInReach(state).flatMap((shoe) =>
              shoe.coups
                .filter((coup) => coup.state !== 'open')
                .map((coup) => [coup.ref, JSON.stringify(coupReport(shoe, coup))] as const),
            ),
          );
          const replayed = shoesInReach(state).some(
            (shoe) => !before.includes(shoe) && before.some(({ ref }) => ref === shoe.ref),
          );
          if (!replayed)
            for (const [ref, text] of now) if (known.get(ref) !== text) expect(told).toContain(ref);
          known = now;
        }
      }),
      { numRuns: rounds(150) },
    );
  });
});

describe('what is reported of a table', () => {
  it('is the same when its state was saved and loaded in between', () => {
    const report = (state: TableState): unknown =>
      shoesInReach(state).map((shoe) => ({
        coups: shoe.coups.map((coup) => coupReport(shoe, coup)),
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
