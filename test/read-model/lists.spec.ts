import type { Card } from '#baccarat';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installedRules } from '#rule-folder';
import type { FindingCode } from '#audit';
import {
  BadCursor,
  commissionCoups,
  commissionOwed,
  coup,
  coups,
  dealerAccuracy,
  findings,
  misdealtCoups,
  RulesNotInstalled,
  shoe,
  shoeReport,
  shoes,
  tables,
  type CoupDetail,
  type CoupRow,
  type FindingAsFolded,
  type Page,
  type Snapshot,
} from '#read-model';
import {
  aCoup,
  aFinding,
  allPages,
  aShoe,
  aTable,
  openFloor,
  someTotals,
  type Floor,
} from './floor.js';

let floor: Floor;
beforeAll(async () => {
  floor = await openFloor();
});
afterAll(() => floor.close());

const minute = (n: number): string =>
  new Date(Date.parse('2026-11-20T12:00:00Z') + n * 60_000).toISOString();
const found = (
  id: string,
  code: FindingCode,
  table: string,
  row: Partial<FindingAsFolded> = {},
): FindingAsFolded => aFinding({ ...row, finding: { id, code, table } });

describe('tables', () => {
  it('show their open shoe, open coup with cards, dealer, counts and whether they are parked', async () => {
    const cards: CoupDetail['cards'] = [
      {
        ref: 'device/s#5',
        card: '9S',
        to: 'player',
        moved: false,
        exposed: false,
        carried: false,
        ms: 9,
      },
    ];
    await floor.write({
      tables: [
        aTable({
          table: 't/1',
          shoeRef: 't1#0',
          dealer: 'ana',
          read: 7,
          admitted: 5,
          duplicates: 2,
          lastReceived: minute(9),
        }),
        aTable({ table: 't/2', shoeRef: 't2#0' }),
      ],
      shoes: [
        aShoe({ ref: 't1#0', table: 't/1', coups: 2, cards: 9 }),
        aShoe({ ref: 't2#0', table: 't/2', closed: true }),
      ],
      coups: [
        aCoup({ ref: 't1#1', shoeRef: 't1#0', table: 't/1' }),
        aCoup({
          ref: 't1#2',
          shoeRef: 't1#0',
          table: 't/1',
          coup: 2,
          state: 'open',
          endedAt: null,
          detail: {
            callers: [],
            cards,
            bettingClosed: null,
            declared: [],
            bets: [],
            commission: [],
          },
        }),
      ],
      findings: [
        found('t-a', 'DL-10', 't/1', { shoeRef: 't1#0' }),
        found('t-b', 'DL-01', 't/1', { shoeRef: 't1#0' }),
        found('t-c', 'TC-01', 't/1', { shoeRef: 't1#0', withdrawnBecause: 'x#1' }),
      ],
      parked: [
        { table: 't/2', partition: 0, offset: 40, line: 3, reason: 'the fold failed' },
        { table: 't/3', partition: 0, offset: 41, line: 0, reason: 'unknown type' },
      ],
    });
    const { lines } = await floor.read((read) =>
      tables(read, { scope: ['t/1', 't/2', 't/3'] }, {}),
    );
    expect(lines.map(({ table }) => table)).toEqual(['t/1', 't/2', 't/3']);
    const [one, two, three] = lines;
    expect(one).toMatchObject({
      dealer: 'ana',
      lastReceived: minute(9),
      parked: null,
      events: { read: 7, admitted: 5, duplicates: 2 },
      shoe: { ref: 't1#0', coups: 2, cards: 9, findings: 2, worst: 2 },
      coup: { ref: 't1#2', coup: 2, cards },
    });
    expect(two).toMatchObject({
      shoe: null,
      coup: null,
      parked: { partition: 0, offset: 40, line: 3, reason: 'the fold failed' },
    });
    expect(three).toMatchObject({
      shoe: null,
      events: null,
      lastEventTime: null,
      parked: { reason: 'unknown type' },
    });
  });

  it('are found by an id that is too long for an index, and show it in full', async () => {
    const table = `long ${'x'.repeat(5_000)}`;
    await floor.write({ tables: [aTable({ table })] });
    const { lines } = await floor.read((read) =>
      tables(read, { table, scope: [table, 'other'] }, {}),
    );
    expect(lines.map((line) => line.table)).toEqual([table]);
  });
});

describe('shoes and coups', () => {
  const table = 'S';
  beforeAll(async () => {
    const coupsOf = Array.from({ length: 7 }, (_, i): CoupRow =>
      aCoup({
        ref: `s#0/${i + 1}`,
        shoeRef: 's#0',
        table,
        shoe: 'morning',
        coup: i + 1,
        openedAt: minute(i),
        dealer: i < 3 ? 'ana' : null,
        state: i === 6 ? 'open' : i === 5 ? 'void' : 'over',
      }),
    );
    await floor.write({
      shoes: [
        aShoe({ ref: 's#0', table, shoe: 'morning', openedAt: minute(0) }),
        aShoe({ ref: 's#1', table, shoe: 'noon', openedAt: minute(60) }),
        aShoe({
          ref: 's#2',
          table,
          shoe: 'next',
          gamingDay: '2026-11-21',
          openedAt: '2026-11-21T08:00:00.000Z',
          rules: 'no-such@1',
        }),
      ],
      coups: [
        ...coupsOf,
        aCoup({
          ref: 's#2/1',
          shoeRef: 's#2',
          table,
          gamingDay: '2026-11-21',
          openedAt: '2026-11-21T08:01:00.000Z',
        }),
      ],
      findings: [
        found('s-a', 'TC-05', table, {
          shoeRef: 's#0',
          coupRef: 's#0/2',
          dealer: 'ana',
          at: minute(1),
        }),
        found('s-b', 'DL-10', table, {
          shoeRef: 's#0',
          coupRef: 's#0/2',
          dealer: 'ana',
          at: minute(1),
        }),
        found('s-c', 'TC-05', table, {
          shoeRef: 's#0',
          coupRef: 's#0/4',
          at: minute(3),
          withdrawnBecause: 'x#9',
        }),
        found('s-d', 'SH-10', table, { shoeRef: 's#0', at: minute(9) }),
      ],
      unjudgeable: [
        {
          table,
          shoeRef: 's#0',
          key: 'k2',
          shoe: 'morning',
          coup: 2,
          coupRef: 's#0/2',
          body: {
            table,
            shoe: 'morning',
            coup: 2,
            codes: ['TC-01'],
            events: [],
            why: 'a card could not be read',
          },
          partition: 0,
          changed: 0,
        },
        {
          table,
          shoeRef: 's#0',
          key: 'k1',
          shoe: 'morning',
          coup: null,
          coupRef: null,
          body: { table, shoe: 'morning', codes: ['SH-02'], events: [], why: 'a gap' },
          partition: 0,
          changed: 0,
        },
      ],
      totals: [
        someTotals({
          shoeRef: 's#0',
          table,
          ledger: [{ seat: 2, due: 50, taken: 0, marked: 50, collected: 20, waived: 5 }],
        }),
      ],
    });
  });

  it('come the latest first, by day and by table', async () => {
    const refs = async (days: { from?: string; to?: string } = {}): Promise<string[]> =>
      (
        await allPages(1, (paging) => floor.read((read) => shoes(read, { table, ...days }, paging)))
      ).map(({ ref }) => ref);
    expect(await refs()).toEqual(['s#2', 's#1', 's#0']);
    expect(await refs({ from: '2026-11-21' })).toEqual(['s#2']);
    expect(await refs({ to: '2026-11-20' })).toEqual(['s#1', 's#0']);
    expect(
      (await floor.read((read) => shoes(read, { table, scope: ['another'] }, {}))).lines,
    ).toEqual([]);
  });

  it('can be filtered by shoe, dealer, day and standing findings', async () => {
    const numbers = async (filter: Parameters<typeof coups>[1]): Promise<number[]> =>
      (
        await allPages(2, (paging) =>
          floor.read((read) => coups(read, { table, ...filter }, paging)),
        )
      ).map((line) => line.coup);
    expect(await numbers({ shoeRef: 's#0' })).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await numbers({ shoe: 'morning' })).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await numbers({ from: '2026-11-21', to: '2026-11-21' })).toEqual([1]);
    expect(await numbers({ dealer: 'ana' })).toEqual([3, 2, 1]);
    expect(await numbers({ shoeRef: 's#0', dealer: '' })).toEqual([7, 6, 5, 4]);
    expect(await numbers({ flagged: true })).toEqual([2]);
    expect(await numbers({ shoeRef: 's#0', flagged: false })).toEqual([7, 6, 5, 4, 3, 1]);
    expect(await numbers({ scope: ['another'] })).toEqual([]);
  });

  it('continue after the last page even if lines were added at the top', async () => {
    const first = await floor.read((read) => coups(read, { shoeRef: 's#0' }, { limit: 3 }));
    await floor.write({
      coups: [
        aCoup({
          ref: 's#0/8',
          shoeRef: 's#0',
          table,
          shoe: 'morning',
          coup: 8,
          openedAt: minute(8),
        }),
      ],
    });
    const second = await floor.read((read) =>
      coups(read, { shoeRef: 's#0' }, { limit: 3, cursor: first.next as string }),
    );
    expect([...first.lines, ...second.lines].map((line) => line.coup)).toEqual([7, 6, 5, 4, 3, 2]);
  });

  it('reject a cursor of another list, and one whose parts are not a day and a time', async () => {
    const { next } = await floor.read((read) => shoes(read, { table }, { limit: 1 }));
    await expect(floor.read((read) => coups(read, {}, { cursor: next as string }))).rejects.toThrow(
      BadCursor,
    );
    const forged = Buffer.from(JSON.stringify(['coups', 'tomorrow', 'noon', 'x'])).toString(
      'base64url',
    );
    await expect(floor.read((read) => coups(read, {}, { cursor: forged }))).rejects.toThrow(
      BadCursor,
    );
  });

  it('show one shoe with its ledger, coups in order, findings and unjudgeable entries', async () => {
    const whole = await floor.read((read) => shoe(read, 's#0'));
    expect(whole).toMatchObject({
      ref: 's#0',
      findings: 3,
      worst: 1,
      ledger: [
        { seat: 2, due: 50, taken: 0, marked: 50, collected: 20, waived: 5, outstanding: 25 },
      ],
    });
    expect(whole?.coupLines.map((line) => [line.coup, line.findings]).slice(0, 4)).toEqual([
      [1, 0],
      [2, 2],
      [3, 0],
      [4, 0],
    ]);
    expect(whole?.raised.map(({ id, status }) => `${id} ${status}`)).toEqual([
      's-a standing',
      's-b standing',
      's-d standing',
      's-c withdrawn',
    ]);
    expect(whole?.unjudgeable.map(({ why }) => why)).toEqual(['a gap', 'a card could not be read']);
    expect(await floor.read((read) => shoe(read, 's#0', { scope: ['another'] }))).toBeUndefined();
    expect(await floor.read((read) => shoe(read, 'no such'))).toBeUndefined();
  });

  it('show cards left, burn and cut card of one shoe, if its row has them', async () => {
    const burn = { cards: ['3S', null] as const, permitted: [4], byFirstCard: true };
    const cutCard = { coup: null, inside: false, cardsLeft: 410, coupsLeft: 1 };
    const leftByRank = [-1, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 0];
    await floor.write({
      shoes: [
        aShoe({ ref: 'counted#0', table: 'counted', leftByRank, burn, cutCard }),
        aShoe({ ref: 'counted#1', table: 'counted' }),
      ],
    });
    expect(await floor.read((read) => shoe(read, 'counted#0'))).toMatchObject({
      ...{ leftByRank, burn, cutCard },
    });
    expect(await floor.read((read) => shoe(read, 'counted#1'))).toMatchObject({
      ...{ leftByRank: null, burn: null, cutCard: null },
    });
  });

  it('show one coup with what was due at each card, findings and unjudgeable entries', async () => {
    const book = installedRules();
    const dealt = (ref: string, to: 'player' | 'banker', card: Card, ms: number | null) => ({
      ref,
      card,
      to,
      moved: false,
      exposed: false,
      carried: false,
      ms,
    });
    const cards = [
      dealt('c#1', 'player', '2S', -3),
      dealt('c#2', 'banker', '3D', null),
      dealt('c#3', 'player', '3C', 0),
      dealt('c#4', 'banker', 'TH', 4_000),
    ];
    const declared = [{ outcome: 'player', by: 'dealer', ms: 5_000 }];
    const bet = {
      seat: 1,
      bet: 'banker',
      stands: 100,
      late: 0,
      settled: {
        stake: 'returned' as const,
        paid: 95,
        commissionTaken: 5,
        commissionMarked: 0,
        ms: 6_000,
      },
    };
    await floor.write({
      coups: [
        aCoup({
          ref: 's#0/2',
          shoeRef: 's#0',
          table,
          shoe: 'morning',
          coup: 2,
          openedAt: minute(1),
          dealer: 'ana',
          detail: {
            callers: [],
            cards,
            bettingClosed: { ms: -20 },
            declared,
            bets: [bet],
            commission: [{ seat: 1, due: 5, taken: 5, marked: 0 }],
          },
        }),
      ],
    });
    const whole = await floor.read((read) => coup(read, 's#0/2', book));
    expect(whole?.steps.map(({ card, due }) => [card, ...due])).toEqual([
      ['2S', { step: 'card', to: 'player', optional: false }],
      ['3D', { step: 'card', to: 'banker', optional: false }],
      ['3C', { step: 'card', to: 'player', optional: false }],
      ['TH', { step: 'card', to: 'banker', optional: false }],
    ]);
    expect(whole?.then).toEqual([{ step: 'card', to: 'player', optional: false }]);
    expect(whole).toMatchObject({
      rules: 'punto-banco@1',
      decks: 8,
      currency: 'MOP',
      player: ['2S', '3C'],
      banker: ['3D', 'TH'],
      findings: 2,
      worst: 1,
      bets: [bet],
      bettingClosed: { ms: -20 },
      declared,
    });
    expect(whole?.steps.map(({ ms }) => ms)).toEqual([-3, null, 0, 4_000]);
    expect(whole?.raised.map(({ id }) => id)).toEqual(['s-a', 's-b']);
    expect(whole?.unjudgeable.map(({ why }) => why)).toEqual(['a card could not be read']);
    expect(
      await floor.read((read) => coup(read, 's#0/2', book, { scope: ['another'] })),
    ).toBeUndefined();
    expect(await floor.read((read) => coup(read, 'no such', book))).toBeUndefined();
    await expect(floor.read((read) => coup(read, 's#2/1', book))).rejects.toThrow(
      RulesNotInstalled,
    );
  });
});

describe('findings', () => {
  const table = 'F';
  const CODES: FindingCode[] = ['TC-05', 'DL-10', 'RS-02', 'DV-01', 'PY-03', 'DL-01'];
  beforeAll(() =>
    floor.write({
      findings: CODES.map((code, i) =>
        found(`f-${i}`, code, table, {
          at: minute(i),
          dealer: i % 2 ? 'ana' : null,
          withdrawnBecause: i === 2 ? 'x#1' : null,
          shoeRef: 'f#0',
          coupRef: i < 2 ? 'f#1' : null,
        }),
      ),
    }),
  );
  const codes = async (
    filter: Parameters<typeof findings>[1],
    order: 'newest' | 'worst' = 'newest',
  ): Promise<string[]> =>
    (
      await allPages(2, (paging) =>
        floor.read((read) => findings(read, { table, ...filter }, { ...paging, order })),
      )
    ).map(({ code }) => code);

  it('are the standing ones by default, the latest first', async () => {
    expect(await codes({})).toEqual(['DL-01', 'PY-03', 'DV-01', 'DL-10', 'TC-05']);
    expect(await codes({ status: 'withdrawn' })).toEqual(['RS-02']);
    expect(await codes({ status: 'all' })).toHaveLength(6);
  });

  it('come the gravest first in the order `worst`', async () => {
    expect(await codes({}, 'worst')).toEqual(['PY-03', 'TC-05', 'DL-01', 'DV-01', 'DL-10']);
  });

  it('can be filtered by severity, code, dealer, shoe, coup and table', async () => {
    expect(await codes({ severity: [1] })).toEqual(['PY-03', 'TC-05']);
    expect(await codes({ severity: [2, 3] })).toEqual(['DL-01', 'DV-01', 'DL-10']);
    expect(await codes({ code: ['TC-05', 'DV-01'] })).toEqual(['DV-01', 'TC-05']);
    expect(await codes({ dealer: 'ana' })).toEqual(['DL-01', 'DV-01', 'DL-10']);
    expect(await codes({ dealer: '' })).toEqual(['PY-03', 'TC-05']);
    expect(await codes({ coupRef: 'f#1' })).toEqual(['DL-10', 'TC-05']);
    expect(await codes({ shoeRef: 'f#0', from: '2026-11-21' })).toEqual([]);
    expect(await codes({ scope: ['another'] })).toEqual([]);
  });

  it('show everything that was raised, and their status', async () => {
    const { lines } = await floor.read((read) =>
      findings(read, { table, status: 'withdrawn' }, {}),
    );
    expect(lines).toEqual([
      {
        id: 'f-2',
        code: 'RS-02',
        severity: 1,
        table,
        shoe: 'a shoe',
        rules: 'punto-banco@1',
        events: ['device/shoe#1'],
        expected: 'this',
        observed: 'that',
        void: false,
        remedied: false,
        message: 'It was wrong.',
        status: 'withdrawn',
        withdrawnBecause: 'x#1',
        shoeRef: 'f#0',
        coupRef: null,
        dealer: null,
        at: minute(2),
        raisedAt: null,
        videoHeldUntil: null,
        gamingDay: '2026-11-20',
        review: {
          state: 'open',
          claim: null,
          proposal: null,
          ruling: null,
          counts: true,
          escalated: null,
          stale: false,
          regressed: false,
          touched: false,
          lapsed: false,
          evidence: null,
        },
      },
    ]);
  });
});

describe('a reference used by the senders of two tables', () => {
  const [shared, mine, theirs] = ['device/any#open', 'two/mine', 'two/theirs'];
  const rules = installedRules([]);
  const by = { dealer: '', gamingDay: '2026-11-20' };
  const rowsOf = (table: string, seat: number) => ({
    shoes: [aShoe({ ref: shared, table, coups: seat })],
    coups: [
      aCoup({
        ref: 'device/any#coup',
        shoeRef: shared,
        table,
        detail: {
          callers: [],
          cards: [],
          bettingClosed: null,
          declared: [],
          bets: [],
          commission: [{ seat: 1, due: 0, taken: 0, marked: 9 }],
        },
      }),
    ],
    findings: [
      found(`two ${table}`, 'TC-05', table, { shoeRef: shared, coupRef: 'device/any#coup' }),
    ],
    totals: [
      someTotals({
        shoeRef: shared,
        table,
        ledger: [{ seat, due: 0, taken: 0, marked: 9, collected: 0, waived: 0 }],
        commission: [{ ...by, seat, due: 0, taken: 0, marked: 9, collected: 0, waived: 0 }],
        dealt: [{ ...by, coups: 1, cards: 4 }],
      }),
    ],
  });

  it('keeps the rows of the two tables separate', async () => {
    // Writes the first table, the second, and the first again: each write replaces only that
    // table's own rows.
    for (const [table, seat] of [
      [mine, 1],
      [theirs, 2],
      [mine, 1],
    ] as const)
      await floor.write(rowsOf(table, seat));
    for (const [table, seat] of [
      [mine, 1],
      [theirs, 2],
    ] as const) {
      const at = { scope: [table] };
      expect(await floor.read((read) => shoe(read, shared, at))).toMatchObject({
        table,
        coups: seat,
        findings: 1,
        ledger: [{ seat }],
        coupLines: [{ table, findings: 1 }],
        raised: [{ table }],
      });
      expect(await floor.read((read) => coup(read, 'device/any#coup', rules, at))).toMatchObject({
        table,
        raised: [{ table }],
      });
      expect(
        (await floor.read((read) => commissionOwed(read, 'seat', at, {}))).lines,
      ).toMatchObject([{ table, seat, outstanding: 9 }]);
    }
    const both = [mine, theirs];
    const misdealt = await floor.read((read) => misdealtCoups(read, { scope: both }, {}));
    expect(misdealt.lines.map(({ table, findings: of }) => [table, of.length]).sort()).toEqual([
      [mine, 1],
      [theirs, 1],
    ]);
    expect(misdealt.summary.coups).toBe(2);
    expect((await floor.read((read) => dealerAccuracy(read, { scope: both }))).total).toMatchObject(
      { coups: 2, coupsInError: 2 },
    );
    // The two are equal in all other sorting keys. No line is lost if a page ends between them.
    const lists: ((
      read: Snapshot,
      paging: { cursor?: string; limit: number },
    ) => Promise<Page<{ readonly table: string }>>)[] = [
      (read, paging) => shoes(read, { scope: both }, paging),
      (read, paging) => coups(read, { scope: both }, paging),
      (read, paging) => misdealtCoups(read, { scope: both }, paging),
      (read, paging) => shoeReport(read, { scope: both }, paging),
      (read, paging) => commissionCoups(read, { scope: both }, paging),
    ];
    for (const list of lists)
      expect(
        (await allPages(1, (paging) => floor.read((read) => list(read, paging))))
          .map(({ table }) => table)
          .sort(),
      ).toEqual([mine, theirs].sort());
  });
});
