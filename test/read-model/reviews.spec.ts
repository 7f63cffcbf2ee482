import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installedRules } from '#rule-folder';
import type { FindingCode, Policy } from '#audit';
import {
  BadCursor,
  claimsUnder,
  dealerAccuracy,
  findingFacets,
  findingHistory,
  findings,
  findingWhole,
  misdealtCoups,
  nextInQueue,
  ROWS_SCHEMA,
  rowsNow,
  type ActLine,
  type DealersFilter,
  type FindingOrder,
  type FindingReader,
  type FindingsFilter,
  type HistoryOrder,
  type FindingWhole,
  type Snapshot,
} from '#read-model';
import {
  aCoup,
  aDevice,
  aFinding,
  allPages,
  anAct,
  aReview,
  aShoe,
  openFloor,
  planOf,
  type Floor,
} from './floor.js';

let floor: Floor;
beforeAll(async () => {
  floor = await openFloor();
});
afterAll(() => floor.close());

const table = 'R';
const minute = (n: number): string =>
  new Date(Date.parse('2026-11-20T12:00:00Z') + n * 60_000).toISOString();
const raised = (
  id: string,
  code: FindingCode,
  raisedAt: string | null,
  row: Partial<ReturnType<typeof aFinding>> = {},
): ReturnType<typeof aFinding> =>
  aFinding({ raisedAt, ...row, finding: { id, code, table: row.table ?? table, shoe: 'R-1' } });

const listed = (filter: FindingsFilter, order: FindingOrder = 'queue', limit = 2) =>
  allPages(limit, (paging) =>
    floor.read((read) => findings(read, { table, ...filter }, { ...paging, order })),
  );
const ids = async (...asked: Parameters<typeof listed>): Promise<string[]> =>
  (await listed(...asked)).map(({ id }) => id);

describe('the queue', () => {
  beforeAll(async () => {
    await floor.write({
      findings: [
        raised('aa01', 'TC-05', minute(9), { dealer: 'Dora-1' }),
        raised('aa02', 'TC-05', minute(3), { dealer: 'emil' }),
        raised('aa03', 'PY-03', null),
        raised('aa04', 'PY-03', null),
        raised('aa05', 'DL-01', minute(1)),
        raised('aa06', 'DV-01', minute(2), { withdrawnBecause: 'x#1' }),
        raised('aa07', 'DL-10', minute(5)),
        raised('aa08', 'TC-05', minute(4)),
        raised('bb09', 'TC-05', minute(1)),
      ],
      reviews: [
        aReview({ id: 'aa01', regressed: true }),
        aReview({ id: 'aa02', claimedBy: 'ines', claimedUntil: minute(30) }),
        aReview({
          id: 'aa05',
          review: 'proposed',
          proposal: 'person/noor#1',
          proposedBy: 'noor',
          disposition: 'suspected-collusion',
          policy: 'review@1',
          escalated: 'compliance',
        }),
        aReview({
          id: 'aa08',
          review: 'ruled',
          ruling: 'person/ines#2',
          proposedBy: 'ines',
          disposition: 'duplicate',
          policy: 'review@1',
          ruledAt: minute(40),
          counts: false,
        }),
        aReview({ id: 'aa07', lapsed: true }),
      ],
      bases: [{ id: 'aa05', people: ['dora', 'olga'], lines: [], partition: 0, changed: 0 }],
    });
  });

  it('has what waits, the gravest first, then what was raised first, over any page size', async () => {
    const expected = ['bb09', 'aa02', 'aa01', 'aa03', 'aa04', 'aa05'];
    for (const limit of [1, 2, 3, 4, 100]) expect(await ids({}, 'queue', limit)).toEqual(expected);
  });

  it('has what was raised without a time of receipt last in its severity', async () => {
    const lines = await listed({ severity: [1] });
    expect(lines.map(({ id, raisedAt }) => [id, raisedAt])).toEqual([
      ['bb09', minute(1)],
      ['aa02', minute(3)],
      ['aa01', minute(9)],
      ['aa03', null],
      ['aa04', null],
    ]);
  });

  it('refuses the cursor of another order', async () => {
    const page = await floor.read((read) => findings(read, { table }, { limit: 1 }));
    await expect(
      floor.read((read) =>
        findings(read, { table }, { limit: 1, order: 'queue', cursor: page.next as string }),
      ),
    ).rejects.toThrow(BadCursor);
    const made = Buffer.from(JSON.stringify(['findings/queue', 1, 'now()', 'a'])).toString(
      'base64url',
    );
    await expect(
      floor.read((read) => findings(read, { table }, { order: 'queue', cursor: made })),
    ).rejects.toThrow(BadCursor);
  });

  it('can have what is ruled or has lapsed', async () => {
    expect(await ids({ review: ['ruled'] })).toEqual(['aa08']);
    expect(await ids({ review: ['ruled', 'proposed'] })).toEqual(['aa08', 'aa05']);
    expect(await ids({ lapsed: true })).toEqual(['aa07']);
  });
});

describe('the filter of findings', () => {
  it('asks for states, claims, escalation, lapsed and regressed ones in every order', async () => {
    for (const order of ['queue', 'worst', 'newest'] as const) {
      expect(await ids({ review: ['proposed'] }, order)).toEqual(['aa05']);
      expect(await ids({ mine: true, viewer: 'ines', review: ['open'] }, order)).toEqual(['aa02']);
      expect(await ids({ mine: true, viewer: 'noor' }, order)).toEqual(['aa05']);
      expect(await ids({ mine: true }, order)).toEqual([]);
      expect(await ids({ escalated: 'true' }, order)).toEqual(['aa05']);
      expect(await ids({ escalated: 'compliance' }, order)).toEqual(['aa05']);
      expect(await ids({ escalated: 'pit-boss' }, order)).toEqual([]);
      expect(await ids({ lapsed: true }, order)).toEqual(['aa07']);
      expect(await ids({ regressed: true }, order)).toEqual(['aa01']);
    }
    expect(await ids({ regressed: false, severity: [1] })).toEqual([
      ...['bb09', 'aa02', 'aa03', 'aa04'],
    ]);
    expect(await ids({ mine: true, viewer: 'ines' }, 'newest')).toEqual(['aa08', 'aa02']);
    expect(await ids({ mine: false, viewer: 'ines' }, 'newest')).not.toContain('aa02');
  });

  it('asks for what waits too long, by the severity of each', async () => {
    const raisedBefore = { 1: minute(4), 2: minute(0), 3: minute(0), 4: minute(0) };
    const overdue = { is: true, raisedBefore };
    expect(await ids({ overdue }, 'newest')).toEqual(['bb09', 'aa02']);
    expect(await ids({ overdue: { is: false, raisedBefore } }, 'newest')).toEqual([
      ...['aa08', 'aa07', 'aa05', 'aa04', 'aa03', 'aa01'],
    ]);
    const all = { 1: minute(99), 2: minute(99), 3: minute(99), 4: minute(99) };
    expect(await ids({ overdue: { is: true, raisedBefore: all } })).toEqual([
      ...['bb09', 'aa02', 'aa01', 'aa05'],
    ]);
  });

  it('asks for a disposition, except of an accusation that involves who asks', async () => {
    expect(await ids({ disposition: ['duplicate'] }, 'newest')).toEqual(['aa08']);
    const disposition = ['suspected-collusion'] as const;
    expect(await ids({ disposition })).toEqual(['aa05']);
    expect(await ids({ disposition, viewer: 'ines' })).toEqual(['aa05']);
    expect(await ids({ disposition, viewer: 'olga' })).toEqual([]);
  });

  it('searches id, code, shoe, dealer and coup, every word', async () => {
    const found = (q: string) => ids({ q }, 'newest', 100);
    expect(await found('BB')).toEqual(['bb09']);
    expect(await found('tc-')).toEqual(['bb09', 'aa08', 'aa02', 'aa01']);
    expect(await found('dora')).toEqual(['aa01']);
    expect(await found('r-1 tc dora')).toEqual(['aa01']);
    expect(await found('r-1 emil dora')).toEqual([]);
    expect(await found('%')).toEqual([]);
    expect(await found("'; --")).toEqual([]);
    expect(await found(' ')).toHaveLength(8);
  });
});

describe('video that is about to be deleted', () => {
  const at = 'V';
  const kept = 7 * 86_400;
  const day = (n: number): string =>
    new Date(Date.parse('2026-11-20T12:00:00Z') + n * 86_400_000).toISOString();
  const ends = { kept, from: day(7), to: day(8) };

  beforeAll(() =>
    floor.write({
      findings: [
        ...[-0.01, 0, 0.5, 1, 1.01].map((opened, n) =>
          raised(`ab0${n}`, 'TC-05', day(opened), { table: at, at: day(opened) }),
        ),
        raised('ab10', 'TC-05', day(0.5), { table: at, at: day(0.5) }),
        raised('ab11', 'TC-05', day(-3), { table: at, at: day(-3) }),
      ],
      reviewEvents: [
        anAct({ finding: 'ab02', table: at, offset: 1, type: 'finding-video-hold-requested' }),
        anAct({ ...{ finding: 'ab02', table: 'another', offset: 2 }, heldUntil: day(90) }),
        anAct({ ...{ finding: 'ab10', table: at, offset: 3 }, heldUntil: day(90) }),
        anAct({ ...{ finding: 'ab10', table: at, offset: 4 }, heldUntil: day(2) }),
        anAct({ ...{ finding: 'ab11', table: at, offset: 5 }, heldUntil: day(7.5) }),
      ],
    }),
  );

  it('selects findings by the time of their coup, unless the video was held for longer', async () => {
    expect(await ids({ table: at, videoEnds: ends })).toEqual(['ab11', 'ab02', 'ab03']);
    expect(
      await floor.read((read) => findingFacets(read, { table: at, videoEnds: ends })),
    ).toMatchObject({ total: 3, state: [{ value: 'open', findings: 3 }] });
  });

  it('is looked for among what may lose it now and what is held, not in all of history', async () => {
    const old = Array.from({ length: 3_000 }, (_, n) => {
      const id = n.toString(16).padStart(32, 'f');
      return raised(id, 'TC-05', day(-30), { table: 'old', at: day(-30) });
    });
    await floor.write({ findings: old });
    const filter = { table: 'old', videoEnds: ends };
    for (const work of [
      (read: Snapshot) => findings(read, filter, { order: 'queue', limit: 50 }),
      (read: Snapshot) => findingFacets(read, filter),
    ]) {
      const plan = await planOf(floor, work);
      const probes = [...plan.matchAll(/ on review_event h .*loops=(\d+)/g)].map(([, n]) =>
        Number(n),
      );
      expect([plan, Math.max(...probes) <= 1]).toEqual([plan, true]);
    }
  });

  it('is shown with each finding as held until the latest time', async () => {
    const lines = await listed({ table: at });
    expect(lines.map(({ id, videoHeldUntil }) => [id, videoHeldUntil])).toEqual([
      ['ab11', day(7.5)],
      ...['ab00', 'ab01', 'ab02'].map((id) => [id, null]),
      ['ab10', day(90)],
      ...['ab03', 'ab04'].map((id) => [id, null]),
    ]);
  });
});

describe('an accusation', () => {
  it('is not shown in the report on misdealt coups either', async () => {
    const at = 'M';
    await floor.write({
      findings: [raised('dd01', 'TC-05', minute(1), { table: at, coupRef: 'm#1', shoeRef: 'm#0' })],
      reviews: [
        aReview({
          ...{ id: 'dd01', review: 'ruled', ruling: 'person/noor#1', proposedBy: 'noor' },
          ...{ disposition: 'suspected-collusion', policy: 'review@1', ruledAt: minute(9) },
        }),
      ],
      bases: [{ id: 'dd01', people: ['olga'], lines: [], partition: 0, changed: 0 }],
    });
    const shown = async (viewer: string) =>
      (await floor.read((read) => misdealtCoups(read, { table: at, viewer }, {}))).lines[0]
        ?.findings[0]?.review.ruling?.disposition;
    expect([await shown('olga'), await shown('ines')]).toEqual([null, 'suspected-collusion']);
  });

  it('is not shown to a person who was involved', async () => {
    const shown = async (viewer?: string) =>
      (await listed({ review: ['proposed'], ...(viewer && { viewer }) }))[0]?.review.proposal;
    const proposal = { ref: 'person/noor#1', by: 'noor', policy: 'review@1' };
    expect(await shown('olga')).toEqual({ ...proposal, disposition: null });
    expect(await shown('ines')).toEqual({ ...proposal, disposition: 'suspected-collusion' });
    expect(await shown()).toEqual({ ...proposal, disposition: 'suspected-collusion' });
  });
});

describe('the report on dealers', () => {
  it('leaves out what a ruling takes out of the counts, if it is asked to', async () => {
    const at = { scope: [table] };
    const errors = async (filter: DealersFilter): Promise<readonly number[]> => {
      const { total } = await floor.read((read) => dealerAccuracy(read, { ...at, ...filter }));
      return [total.findings, total.errors];
    };
    expect(await errors({})).toEqual([8, 8]);
    expect(await errors({ counted: false })).toEqual([8, 8]);
    expect(await errors({ counted: true })).toEqual([7, 7]);
  });
});

describe('the counts of findings', () => {
  const facets = (filter: FindingsFilter = {}) =>
    floor.read((read) => findingFacets(read, { scope: [table], ...filter }));

  it('are by state, severity, code, table, dealer and whether they lapsed or regressed', async () => {
    expect(await facets()).toEqual({
      total: 8,
      state: [
        { value: 'open', findings: 6 },
        { value: 'proposed', findings: 1 },
        { value: 'ruled', findings: 1 },
      ],
      severity: [
        { value: 1, findings: 6 },
        { value: 2, findings: 1 },
        { value: 3, findings: 1 },
      ],
      code: [
        { value: 'TC-05', findings: 4 },
        { value: 'PY-03', findings: 2 },
        { value: 'DL-01', findings: 1 },
        { value: 'DL-10', findings: 1 },
      ],
      table: [{ value: table, findings: 8 }],
      dealer: [
        { value: null, findings: 6 },
        { value: 'Dora-1', findings: 1 },
        { value: 'emil', findings: 1 },
      ],
      lapsed: [
        { value: false, findings: 7 },
        { value: true, findings: 1 },
      ],
      regressed: [
        { value: false, findings: 7 },
        { value: true, findings: 1 },
      ],
    });
  });

  it('leave out the filter of their own field, and say what the list would have', async () => {
    const filter = { review: ['open'], severity: [1], dealer: 'emil' } as const;
    const counts = await facets(filter);
    expect(counts.total).toBe(1);
    expect(counts.dealer).toContainEqual({ value: 'Dora-1', findings: 1 });
    expect(counts.state).toEqual([{ value: 'open', findings: 1 }]);
    const all = { state: 'review', severity: 'severity', code: 'code', dealer: 'dealer' } as const;
    for (const [facet, field] of Object.entries(all))
      for (const { value, findings: n } of counts[facet as keyof typeof all]) {
        const only = field === 'dealer' ? (value ?? '') : [value];
        const found = await ids({ ...filter, [field]: only }, 'newest', 100);
        expect([facet, value, found.length]).toEqual([facet, value, n]);
      }
  });

  it('count nothing out of scope', async () => {
    expect(await facets({ scope: ['another'] })).toMatchObject({ total: 0, state: [], table: [] });
  });
});

describe('the claims under a key', () => {
  const ME = 'person/keeper';
  const claims = (first: number, last: number): ReturnType<typeof anAct>[] =>
    Array.from({ length: last - first }, (_, n) => {
      const finding = (first + n).toString(16).padStart(32, 'c');
      return anAct({
        ref: `${ME}#claim/${finding}/one/#claim/${first + n}`,
        ...{ table, finding, type: 'finding-claimed', by: 'keeper' },
        at: minute(first + n),
      });
    });

  it('are those that took effect, the first one first, found by the key among all of the person', async () => {
    await floor.write({ reviewEvents: claims(0, 1_500) });
    await floor.write({ reviewEvents: claims(1_500, 3_000) });
    const under = async (source: string, key: string) =>
      (await rowsNow<ActLine>(floor.source, claimsUnder(source, key))).map(({ ref: each }) => each);
    const own = claims(77, 78)[0]?.ref;
    expect(await under(ME, 'one/#claim/77')).toEqual([own]);
    expect(await under(ME, 'one')).toEqual([]);
    expect(await under('person/other', 'one/#claim/77')).toEqual([]);
    const [again] = claims(9_000, 9_001) as [ReturnType<typeof anAct>];
    const ref = again.ref.replace(/9000$/, '77');
    await floor.write({ reviewEvents: [{ ...again, ref, at: minute(3) }] });
    expect(await under(ME, 'one/#claim/77')).toEqual([ref, own]);
    const plan = await planOf(floor, (read) =>
      read.rows(...claimsUnder(ME, 'one/#claim/77')(ROWS_SCHEMA)),
    );
    expect(plan).toContain('review_event_claim');
  });
});

describe('the findings that a person may take next', () => {
  const COUNT = 3_000;
  const REFUSED = 100;

  it('are read from the top of the queue, not out of all findings and all acts', async () => {
    const at = 'next';
    const idOf = (n: number): string => n.toString(16).padStart(8, '0').padStart(32, 'd');
    const all = Array.from({ length: COUNT }, (_, n) =>
      raised(idOf(n), 'TC-05', minute(n), { table: at }),
    );
    const act = (n: number, more: Partial<ReturnType<typeof anAct>>) =>
      anAct({ ...{ finding: idOf(n), table: at, offset: 10_000 + n }, ...more });
    const refused = { by: 'taker', outcome: 'conflict-of-interest' } as const;
    const acts = all.map((_, n) => act(n, n < REFUSED ? refused : { type: 'finding-commented' }));
    await floor.write({ findings: all, reviewEvents: acts.slice(0, COUNT / 2) });
    await floor.write({ reviewEvents: acts.slice(COUNT / 2) });
    const next = (read: Snapshot): Promise<{ id: string }[]> =>
      read.rows(...nextInQueue({ table: at }, 'taker', 'select null where false'));
    const found = await floor.read(next);
    expect(found.map(({ id }) => id)).toEqual(
      Array.from({ length: 32 }, (_, n) => idOf(REFUSED + n)),
    );
    // as PostgreSQL does by itself some time after so many rows were written
    await floor.source.query('analyze rows.finding, rows.review_event');
    const plan = await planOf(floor, next);
    expect(plan).toContain('finding_queue');
    const most = Math.max(
      ...[...plan.matchAll(/ on (?:finding f|review_event e).*rows=(\d+) loops=(\d+)/g)].map(
        ([, rows, loops]) => Number(rows) * Number(loops),
      ),
    );
    expect([plan, most < COUNT / 4]).toEqual([plan, true]);
  });
});

describe('one finding', () => {
  const at = 'W';
  const book = installedRules([]);
  const reader: FindingReader = {
    book,
    policies: book.policies,
    inForce: book.policies.get('review@1') as Policy,
    reviewer: { person: 'ines', rolesFor: () => ['pit-boss'] },
    now: Date.parse('2026-11-21T13:00:00Z'),
    viewer: 'ines',
    seesLooks: false,
  };
  const whole = (id: string, by: Partial<FindingReader> = {}) =>
    floor.read((read) => findingWhole(read, id, { ...reader, ...by })) as Promise<FindingWhole>;
  const card = (n: number, text: string, to: string) => ({
    ref: `device/w#c${n}`,
    card: text as never,
    to: to as never,
    moved: false,
    exposed: false,
    carried: false,
  });
  const bet = (seat: number, name: string, paid: number) => ({
    seat,
    bet: name,
    stands: 1000,
    late: 0,
    settled: {
      stake: paid > 0 ? ('returned' as const) : ('taken' as const),
      ...{ paid, commissionTaken: 0, commissionMarked: 0 },
    },
  });

  beforeAll(async () => {
    const coupOf = (n: number, row: object = {}) =>
      aCoup({ ref: `device/w#${n}`, shoeRef: 'device/w#0', table: at, coup: n, ...row });
    const whereIs = { table: at, shoeRef: 'device/w#0', coupRef: 'device/w#2', dealer: 'dora' };
    const finding = (id: string, code: FindingCode, row: object = {}) =>
      aFinding({
        raisedAt: minute(2),
        ...whereIs,
        ...row,
        finding: { id, code, table: at, shoe: 'W-1', coup: 2, events: ['device/w#c5'] },
      });
    await floor.write({
      shoes: [aShoe({ ref: 'device/w#0', table: at })],
      coups: [
        coupOf(1),
        coupOf(2, {
          outcome: 'player',
          openedAt: minute(1),
          endedAt: minute(2),
          detail: {
            callers: [],
            cards: [
              card(1, '7H', 'player'),
              card(2, 'JD', 'banker'),
              card(3, '3D', 'player'),
              card(4, '6C', 'banker'),
              card(5, '3H', 'player'),
              card(6, '4C', 'banker'),
            ],
            declared: [{ outcome: 'player', by: 'dealer' }],
            bets: [bet(1, 'player', 1000), bet(3, 'banker', 0), bet(4, 'tie', 500)],
            commission: [],
          },
        }),
        coupOf(3, { state: 'open', endedAt: null }),
      ],
      findings: [
        finding('ee01', 'TC-08'),
        finding('ee02', 'TC-08', { at: minute(4), coupRef: 'device/w#1' }),
        finding('ee03', 'TC-08', { gamingDay: '2026-10-21' }),
        finding('ee04', 'TC-08', { gamingDay: '2026-10-22', dealer: 'emil' }),
        finding('ee05', 'DV-04', { coupRef: null, shoeRef: null, dealer: null }),
        finding('ee06', 'RS-02', { coupRef: 'device/w#3' }),
      ],
      devices: [aDevice({ table: at, source: 'device/w', clockOffsetLast: 210 })],
      reviews: [
        aReview({
          id: 'ee02',
          review: 'ruled',
          ruling: 'person/ines#2',
          proposedBy: 'ines',
          disposition: 'dealer-error-uncorrected',
          policy: 'review@1',
          ruledAt: minute(9),
          evidence: 'e'.repeat(64),
        }),
        aReview({ id: 'ee01', claimedBy: 'ines', claimedUntil: minute(8000) }),
      ],
      bases: [{ id: 'ee01', people: ['dora', 'olga'], lines: [[4, 1]], partition: 0, changed: 0 }],
      reviewEvents: [
        ...[1, 2, 3].map((offset) =>
          anAct({
            ...{
              finding: 'ee01',
              table: at,
              type: 'finding-viewed',
              by: `v-${offset % 2}`,
              offset,
            },
            data: { finding: 'ee01', as: 'pit-boss' },
          }),
        ),
        anAct({ finding: 'ee01', table: at, offset: 4, data: said({ text: 'I look.' }) }),
        anAct({
          ...{ finding: 'ee01', table: at, offset: 5, type: 'finding-video-attached' },
          data: said({ video: 'vms:1', from: minute(1), to: minute(2) }),
        }),
        anAct({
          ...{ finding: 'ee01', table: at, offset: 6, by: 'olga' },
          data: said({ text: 'I was there.' }),
        }),
        anAct({
          ...{ finding: 'ee01', table: at, offset: 7, type: 'finding-ruling-proposed' },
          outcome: 'coup-open',
          data: said({
            ...{ disposition: 'suspected-collusion', policy: 'review@1' },
            ...{ evidence: 'e'.repeat(64), note: 'Look at her hands.' },
          }),
        }),
        anAct({ finding: 'ee01', table: 'another', offset: 9, data: said({ text: 'Elsewhere.' }) }),
      ],
    });
  });
  const said = (data: object) => ({ finding: 'ee01', as: 'pit-boss', ...data }) as never;

  it('has its coup with what the rules require, and which findings name each card', async () => {
    const { finding, coup, coups, neighbors, device, people } = await whole('ee01');
    expect(finding).toMatchObject({ id: 'ee01', code: 'TC-08' });
    expect(finding).not.toHaveProperty('review');
    expect(
      coup?.steps.map(({ total, cell, findings: of }) => [total, cell?.name ?? null, of]),
    ).toEqual([
      [7, null, []],
      [0, null, []],
      [0, null, []],
      [6, null, []],
      [3, 'player on 0', ['ee01', 'ee03', 'ee04']],
      [0, 'banker 6 against a third card of 3', []],
    ]);
    expect(coup?.bets.map(({ bet: name, lawful }) => [name, lawful])).toEqual([
      ['player', { stake: 'returned', paid: 1000, commission: 0 }],
      ['banker', { stake: 'taken', paid: 0, commission: 0 }],
      ['tie', { stake: 'taken', paid: 0, commission: 0 }],
    ]);
    expect(coups.map(({ ref }) => ref)).toEqual(['device/w#1', 'device/w#2', 'device/w#3']);
    expect(neighbors).toEqual({ before: 'device/w#1', after: 'device/w#3' });
    expect(device).toMatchObject({ source: 'device/w', clockOffsetLast: 210 });
    expect(people).toEqual(['dora', 'olga']);
  });

  it('has the video that is needed, how long it is kept, and what was attached', async () => {
    expect((await whole('ee01')).video).toEqual({
      link: 'vms:1',
      from: '2026-11-20T12:00:30.000Z',
      to: '2026-11-20T12:03:00.000Z',
      keptUntil: '2026-11-27T12:01:00.000Z',
      daysLeft: 5,
      holds: [],
    });
  });

  it('counts the same findings of the 30 gaming days before', async () => {
    expect((await whole('ee01')).seenBefore).toEqual({
      dealer: { findings: 1, counted: 1 },
      table: { findings: 2, counted: 1 },
    });
    expect((await whole('ee05')).seenBefore.dealer).toBeNull();
  });

  it('has no coup, shoe or neighbors if it is about a device', async () => {
    expect(await whole('ee05')).toMatchObject({
      ...{ coup: null, coups: [], neighbors: { before: null, after: null } },
      device: { source: 'device/w' },
    });
  });

  it('is not there for readers of other tables', async () => {
    expect(await whole('ee01', { scope: ['another'] })).toBeUndefined();
    expect(await whole('ffff')).toBeUndefined();
    expect(await whole('ee01', { scope: [at] })).toBeDefined();
  });

  it('has its last acts, and no text of others where who reads is accused', async () => {
    const texts = ({ history }: FindingWhole) =>
      history.map(({ type, data, concealed }) => [
        type.replace('finding-', ''),
        data.text ?? data.note ?? data.video,
        data.disposition,
        concealed,
      ]);
    expect(texts(await whole('ee01'))).toEqual([
      ['ruling-proposed', 'Look at her hands.', 'suspected-collusion', false],
      ['commented', 'I was there.', undefined, false],
      ['video-attached', 'vms:1', undefined, false],
      ['commented', 'I look.', undefined, false],
    ]);
    const hers = await whole('ee01', { viewer: 'olga' });
    expect(texts(hers)).toEqual([
      ['ruling-proposed', undefined, undefined, true],
      ['commented', 'I was there.', undefined, false],
      ['video-attached', undefined, undefined, true],
      ['commented', undefined, undefined, true],
    ]);
    expect(hers.video.link).toBeNull();
    expect(JSON.stringify(hers)).not.toMatch(/collusion|hands|I look|vms/);
  });

  it('has a history in pages, either way, with looks as numbers or by name', async () => {
    const history = (order: HistoryOrder) =>
      allPages(1, async (paging) => {
        const page = await floor.read((read) =>
          findingHistory(read, 'ee01', {}, { ...paging, order }),
        );
        return page ?? { lines: [], next: null };
      });
    const oldest = (await history('oldest')).map(({ data }) => data.text);
    expect(oldest).toEqual(['I look.', undefined, 'I was there.', undefined]);
    expect((await history('newest')).map(({ data }) => data.text)).toEqual(oldest.toReversed());
    const one = await floor.read((read) => findingHistory(read, 'ee01', { seesLooks: true }, {}));
    expect(one).toMatchObject({
      raised: { received: minute(2) },
      withdrawnBecause: null,
      looks: { people: 2, looks: 3, by: [{ person: 'v-0' }, { person: 'v-1', looks: 2 }] },
    });
    expect((await floor.read((read) => findingHistory(read, 'ee01', {}, {})))?.looks).toEqual({
      people: 2,
      looks: 3,
      by: null,
    });
    expect(
      await floor.read((read) => findingHistory(read, 'ee01', { scope: ['another'] }, {})),
    ).toBeUndefined();
  });
});
