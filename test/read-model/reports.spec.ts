import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FindingCode } from '#audit';
import {
  COMMISSION_BY,
  commissionCoups,
  commissionOwed,
  DEALER_ERRORS,
  dealerAccuracy,
  deviceHealth,
  MISDEALT_CODES,
  misdealtCoups,
  payoutCoups,
  payoutVariance,
  shoeReport,
  type CommissionBy,
  type CommissionLine,
  type Filter,
  type FindingAsFolded,
  type ShoeRow,
  type ShoeTotals,
} from '#read-model';
import {
  aCoup,
  aDevice,
  aFinding,
  allPages,
  aShoe,
  openFloor,
  planOf,
  someTotals,
  type Floor,
} from './floor.js';

let floor: Floor;
beforeAll(async () => {
  floor = await openFloor();
});
afterAll(() => floor.close());

const DAYS = ['2026-11-19', '2026-11-20', '2026-11-21'];
const DEALERS = ['', 'ana', 'bo'];
const CODES: FindingCode[] = [
  'TC-05',
  'RS-02',
  'RS-03',
  'SH-04',
  'SH-09',
  'DL-15',
  'PY-01',
  'PY-03',
  'BT-01',
  'CM-01',
  'DV-01',
  'DV-04',
  'DV-15',
  'PR-04',
];

const day = fc.constantFrom(...DAYS);
const dealer = fc.constantFrom(...DEALERS);
const amount = fc.integer({ min: 0, max: 1_000_000 });
const by = fc.record({ dealer, gamingDay: day });
const commissionLine = fc
  .tuple(
    by,
    fc.record({
      seat: fc.integer({ min: 1, max: 3 }),
      due: amount,
      taken: amount,
      marked: amount,
      collected: amount,
      waived: amount,
    }),
  )
  .map(([of, line]) => ({ ...of, ...line }));
const betLine = fc
  .tuple(
    by,
    fc.record({
      bet: fc.constantFrom('player', 'banker', 'tie'),
      bets: fc.integer({ min: 1, max: 50 }),
      staked: amount,
      paid: amount,
      taken: amount,
    }),
  )
  .map(([of, line]) => ({ ...of, ...line }));
const dealtLine = fc
  .tuple(
    by,
    fc.record({ coups: fc.integer({ min: 0, max: 80 }), cards: fc.integer({ min: 0, max: 400 }) }),
  )
  .map(([of, line]) => ({ ...of, ...line }));
const aFindingOf = fc.record({
  code: fc.constantFrom(...CODES),
  coup: fc.integer({ min: 1, max: 4 }),
  seat: fc.integer({ min: 1, max: 3 }),
  withdrawn: fc.boolean(),
  void: fc.boolean(),
  remedied: fc.boolean(),
  explained: fc.boolean(),
  impact: fc.option(
    fc.record({
      amount: fc.integer({ min: 1, max: 1_000_000 }),
      favours: fc.constantFrom('house' as const, 'patron' as const),
    }),
    { nil: undefined },
  ),
  source: fc.constantFrom('device/shoe', 'device/shoe#2', 'device/scanner'),
});
const byKey = <
  T extends {
    readonly dealer: string;
    readonly gamingDay: string;
    readonly seat?: number;
    readonly bet?: string;
  },
>(
  line: T,
): string => [line.seat, line.bet, line.dealer, line.gamingDay].join();
const shoe = fc.record({
  table: fc.constantFrom('A', 'B'),
  currency: fc.constantFrom('MOP', 'HKD'),
  day,
  decks: fc.constantFrom(6, 8),
  cards: fc.integer({ min: 0, max: 416 }),
  unread: fc.integer({ min: 0, max: 3 }),
  coups: fc.integer({ min: 0, max: 80 }),
  remaining: fc.option(fc.integer({ min: 0, max: 416 })),
  minutes: fc.option(fc.integer({ min: -5, max: 300 })),
  /** The dealer and the gaming day of each of the shoe's coups. */
  coupsBy: fc.array(by, { minLength: 4, maxLength: 4 }),
  commission: fc.uniqueArray(commissionLine, { selector: byKey, maxLength: 5 }),
  bets: fc.uniqueArray(betLine, { selector: byKey, maxLength: 5 }),
  dealt: fc.uniqueArray(dealtLine, { selector: byKey, maxLength: 4 }),
  findings: fc.array(aFindingOf, { maxLength: 8 }),
});
type Made = typeof shoe extends fc.Arbitrary<infer T> ? T : never;

interface House {
  readonly scope: string[];
  readonly shoes: ShoeRow[];
  readonly totals: ShoeTotals[];
  readonly findings: FindingAsFolded[];
}

let houses = 0;

/** Returns rows of tables that no other house has. Tests read them through their scope. */
function houseOf(made: readonly Made[]): House {
  houses += 1;
  const of = `house ${houses}`;
  const shoes = made.map((one, i) =>
    aShoe({
      ref: `${of}#${i}`,
      table: `${of} ${one.table}`,
      shoe: String(i),
      currency: one.currency,
      gamingDay: one.day,
      decks: one.decks,
      cards: one.cards,
      unread: one.unread,
      coups: one.coups,
      remaining: one.remaining,
      openedAt: `${one.day}T12:00:00.000Z`,
      closedAt:
        one.minutes === null
          ? null
          : new Date(Date.parse(`${one.day}T12:00:00Z`) + one.minutes * 60_000).toISOString(),
      closed: one.minutes !== null,
    }),
  );
  const totals = made.map(({ commission, bets, dealt, currency }, i) =>
    someTotals({
      shoeRef: `${of}#${i}`,
      table: shoes[i]?.table as string,
      shoe: String(i),
      currency,
      commission,
      bets,
      dealt,
    }),
  );
  const findings = made.flatMap((one, i) =>
    one.findings.map((found, n) => {
      const ofCoup = !['SH-04', 'DL-15'].includes(found.code);
      const at = one.coupsBy[found.coup - 1] as (typeof one.coupsBy)[number];
      return aFinding({
        shoeRef: `${of}#${i}`,
        coupRef: ofCoup ? `${of}#${i}/${found.coup}` : null,
        dealer: at.dealer || null,
        gamingDay: at.gamingDay,
        at: `${at.gamingDay}T13:0${found.coup}:00.000Z`,
        withdrawnBecause: found.withdrawn ? 'x#1' : null,
        finding: {
          id: `${of}/${i}/${n}`,
          code: found.code,
          table: shoes[i]?.table as string,
          shoe: String(i),
          ...(ofCoup ? { coup: found.coup } : undefined),
          events: [`${found.source}#${n}`],
          void: found.void,
          remedied: found.remedied,
          ...(found.code.startsWith('PY') ? { bet: 'banker', seat: found.seat } : undefined),
          ...(found.code === 'PY-03' && found.explained
            ? { explainedBy: 'wrong-tier' as const }
            : undefined),
          ...(found.impact ? { impact: { ...found.impact, currency: one.currency } } : undefined),
        },
      });
    }),
  );
  return { scope: [`${of} A`, `${of} B`], shoes, totals, findings };
}

const write = ({ shoes, totals, findings }: House): Promise<void> =>
  floor.write({ shoes, totals, findings });

const filterOf = fc.record(
  { from: day, to: day, dealer, table: fc.constantFrom('A', 'B') },
  { requiredKeys: [] },
);
const narrowed = (house: House, { table, ...filter }: Filter): Filter => {
  const own = house.scope.find((one) => table !== undefined && one.endsWith(table));
  return { ...filter, scope: house.scope, ...(own !== undefined && { table: own }) };
};
const holds = (
  { from, to, dealer: who, table, scope }: Filter,
  row: { readonly table: string; readonly dealer?: string | null; readonly gamingDay: string },
): boolean =>
  (scope ?? []).includes(row.table) &&
  (table === undefined || row.table === table) &&
  (from === undefined || row.gamingDay >= from) &&
  (to === undefined || row.gamingDay <= to) &&
  (who === undefined || row.dealer === undefined || (row.dealer ?? '') === who);

const add = <Row>(rows: readonly Row[], what: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + what(row), 0);
const groups = <Row>(rows: readonly Row[], key: (row: Row) => string): Row[][] => {
  const all = new Map<string, Row[]>();
  for (const row of rows) all.set(key(row), [...(all.get(key(row)) ?? []), row]);
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => of);
};

/**
 * Checks a property of a report on houses of random rows. Each run writes and reads a real
 * database, so there are few runs with many rows each.
 */
const law = (check: (house: House, filter: Filter) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(shoe, { minLength: 1, maxLength: 6 }),
      fc.array(filterOf, { minLength: 3, maxLength: 3 }),
      async (made, filters) => {
        const house = houseOf(made);
        await write(house);
        for (const filter of [{}, ...filters]) await check(house, narrowed(house, filter));
      },
    ),
    { numRuns: 12 },
  );

describe('commission owed', () => {
  const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived'] as const;
  const keys: Record<
    CommissionBy,
    (line: {
      table: string | null;
      shoe: string | null;
      shoeRef: string | null;
      seat: number | null;
      dealer: string | null;
      gamingDay: string | null;
      currency: string;
    }) => unknown[]
  > = {
    seat: (line) => [line.table, line.shoe, line.shoeRef, line.seat, line.currency],
    shoe: (line) => [line.table, line.shoe, line.shoeRef, line.currency],
    table: (line) => [line.table, line.currency],
    dealer: (line) => [line.dealer || null, line.currency],
    day: (line) => [line.gamingDay, line.currency],
  };
  const written = (house: House, filter: Filter) =>
    house.totals
      .flatMap(({ commission, table, shoe: name, shoeRef, currency }) =>
        commission.map((line) => ({ ...line, table, shoe: name, shoeRef, currency })),
      )
      .filter((line) => holds(filter, line));

  it('has totals that are the sums of its lines, and no line with two currencies, for every grouping', () =>
    law(async (house, filter) => {
      for (const how of COMMISSION_BY) {
        const { lines, totals, next } = await floor.read((read) =>
          commissionOwed(read, how, filter, { limit: 1000 }),
        );
        expect(next).toBeNull();
        expect(totals.map(({ currency }) => currency)).toEqual(
          [...new Set(lines.map(({ currency }) => currency))].sort(),
        );
        for (const total of totals) {
          const of = lines.filter(({ currency }) => currency === total.currency);
          for (const name of [...AMOUNTS, 'outstanding'] as const)
            expect(total[name]).toBe(add(of, (line) => line[name]));
          expect(total.outstanding).toBe(total.marked - total.collected - total.waived);
        }
      }
    }));

  it('adds up the ledger line by line under every filter', () =>
    law(async (house, filter) => {
      for (const how of COMMISSION_BY) {
        const lines = await allPages(2, (paging) =>
          floor.read((read) => commissionOwed(read, how, filter, paging)),
        );
        const told = groups(lines, (line) => JSON.stringify(keys[how](line)));
        const expected = groups(written(house, filter), (line) => JSON.stringify(keys[how](line)));
        expect(
          told.map(([line]) => [
            keys[how](line as CommissionLine),
            ...AMOUNTS.map((name) => line?.[name]),
          ]),
        ).toEqual(
          expected.map((of) => [
            keys[how](of[0] as (typeof of)[number]),
            ...AMOUNTS.map((name) => add(of, (line) => line[name])),
          ]),
        );
        expect(told.every((of) => of.length === 1)).toBe(true);
      }
    }));

  it('has coups behind each line, which add up to it', async () => {
    const table = 'drill';
    const commission = (seat: number, due: number) => ({ seat, due, taken: 0, marked: due });
    const coups = [
      aCoup({
        ref: 'd#1',
        shoeRef: 'd#0',
        table,
        dealer: 'ana',
        detail: {
          callers: [],
          cards: [],
          bettingClosed: null,
          declared: [],
          bets: [],
          commission: [commission(1, 50), commission(2, 70)],
        },
      }),
      aCoup({
        ref: 'd#2',
        shoeRef: 'd#0',
        table,
        coup: 2,
        dealer: 'bo',
        detail: {
          callers: [],
          cards: [],
          bettingClosed: null,
          declared: [],
          bets: [],
          commission: [commission(1, 5)],
        },
      }),
      aCoup({ ref: 'd#3', shoeRef: 'd#0', table, coup: 3, dealer: 'bo' }),
    ];
    const line = (seat: number, dealer: string, due: number) => ({
      seat,
      dealer,
      gamingDay: '2026-11-20',
      due,
      taken: 0,
      marked: due,
      collected: 0,
      waived: 0,
    });
    await floor.write({
      shoes: [aShoe({ ref: 'd#0', table })],
      coups,
      totals: [
        someTotals({
          shoeRef: 'd#0',
          table,
          commission: [line(1, 'ana', 50), line(2, 'ana', 70), line(1, 'bo', 5)],
        }),
      ],
    });
    const { lines } = await floor.read((read) => commissionOwed(read, 'seat', { table }, {}));
    expect(lines.map(({ seat, due }) => [seat, due])).toEqual([
      [1, 55],
      [2, 70],
    ]);
    const behind = await allPages(1, (paging) =>
      floor.read((read) =>
        commissionCoups(read, { shoeRef: lines[0]?.shoeRef as string, seat: 1 }, paging),
      ),
    );
    expect(
      behind.map(({ coupRef, due, marked, currency }) => [coupRef, due, marked, currency]),
    ).toEqual([
      ['d#2', 5, 5, 'MOP'],
      ['d#1', 50, 50, 'MOP'],
    ]);
    const ofAna = await allPages(1, (paging) =>
      floor.read((read) => commissionCoups(read, { table, dealer: 'ana' }, paging)),
    );
    expect(ofAna.map(({ coupRef, seat }) => [coupRef, seat])).toEqual([
      ['d#1', 1],
      ['d#1', 2],
    ]);
    expect(
      (await floor.read((read) => commissionCoups(read, { table, scope: ['elsewhere'] }, {})))
        .lines,
    ).toEqual([]);
  });
});

describe('misdealt coups', () => {
  const of = (house: House, filter: Filter): FindingAsFolded[] =>
    house.findings.filter(
      ({ body: finding, coupRef, withdrawnBecause, ...row }) =>
        holds(filter, row) &&
        coupRef !== null &&
        withdrawnBecause === null &&
        MISDEALT_CODES.includes(finding.code),
    );

  it('appear once each, with every standing finding', () =>
    law(async (house, filter) => {
      const lines = await allPages(2, (paging) =>
        floor.read((read) => misdealtCoups(read, filter, paging)),
      );
      const expected = groups(of(house, filter), ({ coupRef }) => coupRef as string);
      expect(
        groups(lines, ({ coupRef }) => coupRef).map(([line]) => [
          line?.coupRef,
          line?.findings.map(({ id }) => id).sort(),
        ]),
      ).toEqual(
        expected.map((all) => [all[0]?.coupRef, all.map(({ body: finding }) => finding.id).sort()]),
      );
      expect(lines).toHaveLength(expected.length);
      const times = lines.map(({ at, coupRef }) => `${at} ${coupRef}`);
      expect(times).toEqual(times.toSorted().reverse());
    }));

  it('are counted by code, severity, table, dealer and day, and the counts add up', () =>
    law(async (house, filter) => {
      const { summary } = await floor.read((read) => misdealtCoups(read, filter, { limit: 1 }));
      const all = of(house, filter);
      expect(summary.findings).toBe(all.length);
      expect(summary.coups).toBe(new Set(all.map(({ coupRef }) => coupRef)).size);
      expect(summary.remedied).toBe(all.filter(({ body: finding }) => finding.remedied).length);
      expect(summary.voidCoups).toBe(
        new Set(all.filter(({ body: finding }) => finding.void).map(({ coupRef }) => coupRef)).size,
      );
      for (const counts of [
        summary.byCode,
        summary.bySeverity,
        summary.byTable,
        summary.byDealer,
        summary.byDay,
      ])
        expect(add(counts as readonly { findings: number }[], ({ findings }) => findings)).toBe(
          summary.findings,
        );
      for (const counts of [summary.byTable, summary.byDealer, summary.byDay])
        expect(add(counts as readonly { coups: number }[], ({ coups }) => coups)).toBe(
          summary.coups,
        );
      for (const { value, findings } of summary.byDealer)
        expect(findings).toBe(all.filter((row) => row.dealer === value).length);
      for (const { value, findings } of summary.byCode)
        expect(findings).toBe(all.filter(({ body: finding }) => finding.code === value).length);
    }));

  it('can be filtered by code, and a code about money matches none', async () => {
    const house = houseOf([
      {
        ...(fc.sample(shoe, { numRuns: 1, seed: 1 })[0] as Made),
        findings: ['TC-05', 'RS-02', 'PY-01'].map((code) => ({
          code: code as FindingCode,
          coup: 1,
          seat: 1,
          withdrawn: false,
          void: false,
          remedied: false,
          explained: false,
          impact: undefined,
          source: 'device/shoe' as const,
        })),
      },
    ]);
    await write(house);
    const codes = async (code: FindingCode[]): Promise<string[]> =>
      (
        await floor.read((read) => misdealtCoups(read, { scope: house.scope, code }, {}))
      ).lines.flatMap(({ findings }) => findings.map((one) => one.code));
    expect(await codes(['TC-05'])).toEqual(['TC-05']);
    expect(await codes(['PY-01'])).toEqual([]);
  });
});

describe('dealers', () => {
  it('are listed with what they dealt and how often they erred, and the total is the sum', () =>
    law(async (house, filter) => {
      const { lines, total } = await floor.read((read) => dealerAccuracy(read, filter));
      const dealt = house.totals
        .flatMap(({ dealt: some, table }) => some.map((line) => ({ ...line, table })))
        .filter((line) => holds(filter, line));
      const found = house.findings.filter(
        ({ withdrawnBecause, ...row }) => withdrawnBecause === null && holds(filter, row),
      );
      for (const line of lines) {
        const errors = found.filter(
          ({ body: finding, dealer: who }) =>
            who === line.dealer && DEALER_ERRORS.includes(finding.code),
        );
        expect(line.coups).toBe(
          add(
            dealt.filter(({ dealer: who }) => (who || null) === line.dealer),
            ({ coups }) => coups,
          ),
        );
        expect(line.findings).toBe(found.filter(({ dealer: who }) => who === line.dealer).length);
        expect(line.errors).toBe(errors.length);
        expect(line.coupsInError).toBe(
          new Set(errors.map(({ coupRef }) => coupRef).filter((ref) => ref !== null)).size,
        );
        if (line.coups === 0)
          expect([line.errorsPer1000, line.lower95, line.upper95]).toEqual([null, null, null]);
        else expect(line.errorsPer1000).toBeCloseTo((errors.length * 1000) / line.coups, 9);
      }
      for (const name of ['coups', 'cards', 'findings', 'errors', 'coupsInError'] as const)
        expect(total[name]).toBe(add(lines, (line) => line[name]));
      expect(total.coups).toBe(add(dealt, ({ coups }) => coups));
      expect(total.findings).toBe(found.length);
    }));

  it('are sorted by the lower limit of their rate, not by the rate itself', async () => {
    const table = 'dealers';
    const error = (id: string, dealer: string) =>
      aFinding({
        finding: { id, code: 'TC-05', table },
        dealer,
        shoeRef: 'e#0',
        coupRef: `e#${id}`,
      });
    await floor.write({
      findings: [
        error('e1', 'new'),
        ...Array.from({ length: 20 }, (_, i) => error(`f${i}`, 'old')),
      ],
      totals: [
        someTotals({
          shoeRef: 'e#0',
          table,
          dealt: [
            { dealer: 'new', gamingDay: '2026-11-20', coups: 10, cards: 50 },
            { dealer: 'old', gamingDay: '2026-11-20', coups: 1000, cards: 5000 },
          ],
        }),
      ],
    });
    const { lines } = await floor.read((read) => dealerAccuracy(read, { table }));
    // 1 error in 10 coups is a rate of 100 per 1,000, but a lower limit of only 2.5. 20 errors in
    // 1,000 coups are a rate of 20 and a lower limit of 12.2.
    expect(lines.map(({ dealer: who, errorsPer1000 }) => [who, errorsPer1000])).toEqual([
      ['old', 20],
      ['new', 100],
    ]);
    expect(lines[0]?.lower95).toBeCloseTo(12.2165, 3);
    expect(lines[0]?.upper95).toBeCloseTo(30.888, 3);
    expect(lines[1]?.lower95).toBeCloseTo(2.532, 3);
  });
});

describe('payouts', () => {
  it('have totals per currency that are the sums of their lines by bet and cause', () =>
    law(async (house, filter) => {
      const { lines, variance, totals } = await floor.read((read) => payoutVariance(read, filter));
      const bets = house.totals
        .flatMap(({ bets: some, table, currency }) =>
          some.map((line) => ({ ...line, table, currency })),
        )
        .filter((line) => holds(filter, line));
      const wrong = house.findings.filter(
        ({ body: finding, withdrawnBecause, ...row }) =>
          finding.code.startsWith('PY') &&
          withdrawnBecause === null &&
          !finding.void &&
          holds(filter, row),
      );
      expect(add(variance, ({ findings }) => findings)).toBe(wrong.length);
      for (const total of totals) {
        const { currency } = total;
        for (const name of ['bets', 'staked', 'paid', 'taken'] as const) {
          expect(total[name]).toBe(
            add(
              bets.filter((line) => line.currency === currency),
              (line) => line[name],
            ),
          );
          expect(total[name]).toBe(
            add(
              lines.filter((line) => line.currency === currency),
              (line) => line[name],
            ),
          );
        }
        expect(total.won).toBe(total.taken - total.paid);
        const moved = (who: 'house' | 'patron') =>
          add(
            wrong.filter(
              ({ body: { impact } }) => impact?.currency === currency && impact.favours === who,
            ),
            ({ body: { impact } }) => impact?.amount ?? 0,
          );
        expect([total.houseGained, total.patronsGained, total.net]).toEqual([
          moved('house'),
          moved('patron'),
          moved('house') - moved('patron'),
        ]);
        expect(total.net).toBe(
          add(
            variance.filter((line) => line.currency === currency),
            ({ favours, amount: sum }) => (favours === 'patron' ? -sum : sum),
          ),
        );
      }
      expect(
        variance.every(({ code, explainedBy }) => explainedBy === null || code === 'PY-03'),
      ).toBe(true);
    }));
});

describe('the report on shoes', () => {
  it('reconciles each shoe, and its total is the sum of its lines', () =>
    law(async (house, { dealer: _, ...filter }) => {
      const lines = await allPages(2, (paging) =>
        floor.read((read) => shoeReport(read, filter, paging)),
      );
      const { total } = await floor.read((read) => shoeReport(read, filter, { limit: 1 }));
      const rows = house.shoes.filter((row) =>
        holds(filter, { table: row.table, gamingDay: row.gamingDay }),
      );
      expect(lines.map(({ shoeRef }) => shoeRef).sort()).toEqual(rows.map(({ ref }) => ref).sort());
      for (const line of lines) {
        const row = rows.find(({ ref }) => ref === line.shoeRef) as ShoeRow;
        expect(line.expected).toBe(52 * row.decks);
        expect(line.computedRemaining).toBe(52 * row.decks - row.cards);
        expect(line.difference).toBe(
          row.remaining === null ? null : row.remaining - line.computedRemaining,
        );
        expect(line.findings).toEqual(
          house.findings
            .filter(
              ({ shoeRef, withdrawnBecause, body: finding }) =>
                shoeRef === row.ref && withdrawnBecause === null && finding.code.startsWith('SH'),
            )
            .map(({ body: finding }) => finding.code)
            .sort(),
        );
        const hours =
          row.closedAt === null
            ? null
            : (Date.parse(row.closedAt) - Date.parse(row.openedAt)) / 3_600_000;
        expect(line.coupsPerHour).toBe(hours === null || hours <= 0 ? null : row.coups / hours);
      }
      expect(total).toEqual({
        shoes: lines.length,
        closed: lines.filter(({ closed }) => closed).length,
        expected: add(lines, (line) => line.expected),
        drawn: add(lines, (line) => line.drawn),
        unread: add(lines, (line) => line.unread),
        coups: add(lines, (line) => line.coups),
        unreconciled: lines.filter(({ difference }) => difference !== null && difference !== 0)
          .length,
        findings: add(lines, (line) => line.findings.length),
      });
    }));

  it('filtered by a dealer has the shoes in which that dealer dealt', async () => {
    const table = 'shoes of a dealer';
    const dealt = (who: string) => [{ dealer: who, gamingDay: '2026-11-20', coups: 1, cards: 4 }];
    await floor.write({
      shoes: [aShoe({ ref: 'g#0', table }), aShoe({ ref: 'g#1', table })],
      totals: [
        someTotals({ shoeRef: 'g#0', table, dealt: dealt('ana') }),
        someTotals({ shoeRef: 'g#1', table, dealt: dealt('') }),
      ],
    });
    const of = async (who: string): Promise<string[]> =>
      (await floor.read((read) => shoeReport(read, { table, dealer: who }, {}))).lines.map(
        ({ shoeRef }) => shoeRef,
      );
    expect(await of('ana')).toEqual(['g#0']);
    expect(await of('')).toEqual(['g#1']);
  });
});

describe('devices', () => {
  it('are listed with their own gaps, unread cards and equivocations, and the total is the sum', () =>
    law(async (house, { dealer: _, ...filter }) => {
      const sources = ['device/shoe', 'device/shoe#2', 'device/scanner'];
      await floor.write({
        devices: house.scope.flatMap((table) =>
          sources.map((source, i) =>
            aDevice({
              table,
              source,
              events: 10 + i,
              ...(i > 0 && { clockOffsetLast: 5, clockOffsetLeast: -3, clockOffsetMost: 9 }),
            }),
          ),
        ),
      });
      const lines = await allPages(2, (paging) =>
        floor.read((read) => deviceHealth(read, filter, paging)),
      );
      const { total } = await floor.read((read) => deviceHealth(read, filter, { limit: 1 }));
      expect(lines.map(({ table, source }) => `${table}: ${source}`)).toEqual(
        house.scope
          .filter((table) => filter.table === undefined || table === filter.table)
          .flatMap((table) => sources.toSorted().map((source) => `${table}: ${source}`)),
      );
      for (const line of lines) {
        const count = (code: string) =>
          house.findings.filter(
            ({ body: finding, withdrawnBecause, ...row }) =>
              finding.code === code &&
              withdrawnBecause === null &&
              holds(filter, row) &&
              finding.table === line.table &&
              finding.events[0]?.replace(/#\d+$/, '') === line.source,
          ).length;
        expect([line.gaps, line.unread, line.equivocations]).toEqual([
          count('DV-04'),
          count('DV-01'),
          count('DV-15'),
        ]);
        expect(line.clockOffsetLeast).toBe(line.source === 'device/shoe' ? null : -3);
      }
      expect(total).toEqual({
        devices: lines.length,
        events: add(lines, ({ events }) => events),
        gaps: add(lines, ({ gaps }) => gaps),
        unread: add(lines, ({ unread }) => unread),
        equivocations: add(lines, ({ equivocations }) => equivocations),
      });
    }));
});

describe('every report', () => {
  it('is empty for an identity without tables', async () => {
    const nothing: Filter = { scope: [] };
    expect(await floor.read((read) => commissionOwed(read, 'table', nothing, {}))).toEqual({
      lines: [],
      next: null,
      totals: [],
    });
    expect((await floor.read((read) => misdealtCoups(read, nothing, {}))).summary).toEqual({
      coups: 0,
      findings: 0,
      voidCoups: 0,
      remedied: 0,
      byCode: [],
      bySeverity: [],
      byTable: [],
      byDealer: [],
      byDay: [],
    });
    expect((await floor.read((read) => dealerAccuracy(read, nothing))).lines).toEqual([]);
    expect(await floor.read((read) => payoutVariance(read, nothing))).toEqual({
      lines: [],
      variance: [],
      totals: [],
    });
    expect((await floor.read((read) => shoeReport(read, nothing, {}))).total.shoes).toBe(0);
    expect((await floor.read((read) => deviceHealth(read, nothing, {}))).total.devices).toBe(0);
  });

  it('answers even if absurd amounts add up to more than a number holds exactly', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const [table, by] = ['absurd', { dealer: '', gamingDay: '2026-11-20' }];
    const shoes = ['absurd#1', 'absurd#2'].map((ref) =>
      aShoe({ ref, table, decks: most, coups: most, remaining: most, closed: true }),
    );
    const amounts = { due: most, taken: most, marked: most, collected: 0, waived: 0 };
    const totals = shoes.map(({ ref }) =>
      someTotals({
        shoeRef: ref,
        table,
        commission: [{ ...by, seat: 1, ...amounts }],
        bets: [{ ...by, bet: 'tie', bets: 1, staked: most, paid: most, taken: 0 }],
        dealt: [{ ...by, coups: most, cards: most }],
      }),
    );
    // A coup's detail is stored as the fold has it, so it may already hold a sum.
    const coups = [
      aCoup({
        ref: 'absurd#3',
        shoeRef: 'absurd#1',
        table,
        detail: {
          callers: [],
          cards: [],
          bettingClosed: null,
          declared: [],
          bets: [],
          commission: [{ seat: 1, due: 0, taken: most * 3, marked: 1e21 }],
        },
      }),
    ];
    const impact = { amount: most, currency: 'MOP', favours: 'patron' as const };
    const findings = shoes.map(({ ref }) =>
      aFinding({
        shoeRef: ref,
        finding: { id: `absurd ${ref}`, code: 'PY-03', table, bet: 'tie', seat: 1, impact },
      }),
    );
    await floor.write({ shoes, totals, coups, findings });
    const filter: Filter = { scope: [table] };
    for (const way of COMMISSION_BY)
      expect(
        (await floor.read((read) => commissionOwed(read, way, filter, {}))).totals,
      ).toMatchObject([{ marked: most * 2, outstanding: most * 2 }]);
    expect((await floor.read((read) => commissionCoups(read, filter, {}))).lines).toMatchObject([
      { taken: most * 3, marked: 1e21 },
    ]);
    expect(await floor.read((read) => payoutVariance(read, filter))).toMatchObject({
      lines: [{ staked: most * 2, won: -most * 2 }],
      variance: [{ amount: most * 2 }],
    });
    expect((await floor.read((read) => shoeReport(read, filter, {}))).total).toMatchObject({
      shoes: 2,
      coups: most * 2,
    });
    expect((await floor.read((read) => dealerAccuracy(read, filter))).lines).toHaveLength(1);
    expect((await floor.read((read) => misdealtCoups(read, filter, {}))).summary.coups).toBe(0);
  });
});

describe('the coups under payouts', () => {
  const table = 'P';
  const opened = (n: number): string =>
    new Date(Date.parse('2026-11-20T12:00:00Z') + n * 1_000).toISOString();
  const bet = (seat: number, name: string, paid: number) => ({
    ...{ seat, bet: name, stands: 100, late: 0 },
    settled: {
      stake: paid > 0 ? ('returned' as const) : ('taken' as const),
      ...{ paid, commissionTaken: 0, commissionMarked: 0 },
    },
  });
  const open = { seat: 3, bet: 'tie', stands: 100, late: 0 };
  const bets = [bet(1, 'player', 0), bet(2, 'player', 0), bet(1, 'banker', 95), open];
  const COUPS = 2_000;

  beforeAll(async () => {
    const detail = { callers: [], cards: [], bettingClosed: null, declared: [], commission: [] };
    const coups = Array.from({ length: COUPS }, (_, n) =>
      aCoup({
        ...{ ref: `p#${n + 1}`, shoeRef: 'p#0', table, coup: n + 1, openedAt: opened(n) },
        ...(n % 10 === 9 && { state: 'void' as const }),
        detail: { ...detail, bets: bets as never },
      }),
    );
    await floor.write({ shoes: [aShoe({ ref: 'p#0', table })], coups });
    await floor.source.query('analyze rows.coup, rows.shoe');
  });

  it('has a line for each settled bet of a coup that is over, the latest first', async () => {
    const lines = await allPages(7, (paging) =>
      floor.read((read) => payoutCoups(read, { table }, paging)),
    );
    const over = Array.from({ length: COUPS }, (_, n) => n).filter((n) => n % 10 !== 9);
    expect(lines.map(({ coup, bet: name }) => `${coup} ${name}`)).toEqual(
      over.reverse().flatMap((n) => [`${n + 1} player`, `${n + 1} banker`]),
    );
    expect(lines.slice(0, 2)).toMatchObject([
      { bets: 2, staked: 200, paid: 0, taken: 200, won: 200, currency: 'MOP' },
      { bets: 1, staked: 100, paid: 95, taken: 0, won: -95, currency: 'MOP' },
    ]);
  });

  it.each([{}, { table }])(
    'reads the coups of its first page and no others: %j',
    async (filter) => {
      const plan = await planOf(floor, (read) => payoutCoups(read, filter, { limit: 100 }));
      const read = Number(/ on coup c \(actual rows=(\d+)/.exec(plan)?.[1]);
      expect([plan, read >= 50 && read < 200]).toEqual([plan, true]);
    },
  );
});
