import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';
import { keyOf, RowsNotWritten, RowStore, type ReviewOfFinding, type RowBatch } from '#read-model';
import { eachOnFreshRows, type Rows } from './looking.js';
import {
  aFinding,
  coupRow,
  deviceRow,
  evening,
  findingRow,
  judgedAfterAll,
  move,
  NOTHING,
  shoeRow,
  shoeTotals,
  snapshotRow,
  tableRow,
  unjudgeableRow,
} from './rows.js';

let rows: Rows;
let store: RowStore;
let generation: number;

eachOnFreshRows(async (fresh, url) => {
  rows = fresh;
  store = RowStore.open(url);
  await store.prepare('log-1', 2, 1);
  generation = (await store.claim('anna', 60_000, 2))[0]?.generation as number;
});
afterEach(async () => {
  await store.close();
});

/** Writes rows of partition 0 and moves it by one record. */
async function put(part: Partial<RowBatch>): Promise<void> {
  const next = (await store.positions())[0]?.next as number;
  expect(
    await store.write({ ...NOTHING, moves: [move(0, generation, next, next + 1)], ...part }),
  ).toEqual({ fenced: [] });
}

describe('a write of rows', () => {
  it('stores every kind of row in its table, together with the position', async () => {
    expect(await store.write(evening(generation, 0, 12))).toEqual({ fenced: [] });
    expect(await rows.counts()).toEqual({
      table_state: 1,
      shoe: 1,
      coup: 1,
      finding: 1,
      unjudgeable: 1,
      ledger: 2,
      commission: 2,
      dealt: 1,
      bet_total: 2,
      device: 1,
      delivery: 1,
      parked: 0,
      released: 0,
    });
    const [position] = await store.positions();
    expect(position).toMatchObject({
      partition: 0,
      next: 12,
      events: 12,
      owner: 'anna',
      owned: true,
      generation,
    });
    expect(Buffer.from(position?.lastDigest as Uint8Array)).toEqual(Buffer.alloc(32, 12));
    expect(position?.committedAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('stores a row unchanged', async () => {
    await put(evening(generation, 0, 1));
    const { detail } = coupRow('x');
    const [coup] = await rows.ask('select * from rows.coup');
    expect(coup).toMatchObject({
      ref: 'device/B07#2',
      shoe_ref: 'device/B07#1',
      coup: 1,
      gaming_day: '2026-11-20',
      detail: { ...detail, cards: [{ ...detail.cards[0], ref: 'device/B07#2/card' }] },
    });
    expect(coup?.opened_at).toEqual('2026-11-20T12:00:01.000Z');
    const [finding] = await rows.ask<{ body: string }>('select body::text from rows.finding');
    expect(finding?.body).toBe(JSON.stringify(findingRow('f1').body));
    expect(await rows.ask('select * from rows.device')).toMatchObject([
      {
        clock_offset_last: 40,
        clock_offset_least: -3,
        clock_offset_most: 90,
        last_sequence: 9,
        online: true,
      },
    ]);
  });

  it('replaces a row by a later one', async () => {
    await put({
      coups: [coupRow('c', { state: 'open', outcome: null, endedAt: null })],
      findings: [findingRow('f')],
    });
    await put({
      coups: [coupRow('c', { state: 'void' })],
      findings: [findingRow('f', { withdrawnBecause: 'person/mira#4' })],
    });
    expect(await rows.ask('select state, outcome from rows.coup')).toEqual([
      { state: 'void', outcome: 'banker' },
    ]);
    expect(await rows.ask('select withdrawn_because from rows.finding')).toEqual([
      { withdrawn_because: 'person/mira#4' },
    ]);
  });

  it('stores the last of several rows with one key', async () => {
    await put({
      tables: [tableRow('B07', { read: 1 }), tableRow('B07', { read: 2 })],
      coups: [coupRow('c', { coup: 1 }), coupRow('d'), coupRow('c', { coup: 3 })],
      unjudgeable: [
        unjudgeableRow('k'),
        judgedAfterAll(unjudgeableRow('k')),
        judgedAfterAll(unjudgeableRow('l')),
        unjudgeableRow('l'),
      ],
      totals: [
        shoeTotals('s'),
        shoeTotals('s', { ledger: [], commission: [], dealt: [], bets: [] }),
      ],
      devices: [deviceRow('d', { events: 1 }), deviceRow('d', { events: 2 })],
    });
    expect(await rows.ask('select read from rows.table_state')).toEqual([{ read: 2 }]);
    expect(await rows.ask('select ref, coup from rows.coup order by ref')).toEqual([
      { ref: 'c', coup: 3 },
      { ref: 'd', coup: 1 },
    ]);
    expect(await rows.ask('select key from rows.unjudgeable')).toEqual([{ key: 'l' }]);
    expect(await rows.ask('select events from rows.device')).toEqual([{ events: 2 }]);
    expect(await rows.counts()).toMatchObject({ ledger: 0, commission: 0, dealt: 0, bet_total: 0 });
  });

  it('keeps the opening position of a shoe from its first row', async () => {
    await put({ shoes: [shoeRow('s', { openedOffset: 4, openedLine: 2 })] });
    await put({
      shoes: [shoeRow('s', { openedOffset: 90, openedLine: 9, coups: 80, closed: true })],
    });
    expect(
      await rows.ask('select opened_offset, opened_line, coups, closed from rows.shoe'),
    ).toEqual([{ opened_offset: 4, opened_line: 2, coups: 80, closed: true }]);
  });

  it('keeps when a finding was first raised while it is amended, withdrawn and raised again', async () => {
    const [first, later] = ['2026-11-20T12:00:02.000Z', '2026-11-20T13:00:00.000Z'];
    await put({
      findings: [findingRow('f', { raisedAt: first }), findingRow('n', { raisedAt: null })],
    });
    await put({
      findings: [findingRow('f', { raisedAt: null, withdrawnBecause: 'person/mira#4' })],
    });
    await put({
      findings: [findingRow('f', { raisedAt: later }), findingRow('n', { raisedAt: later })],
    });
    expect(
      await rows.ask('select id, raised_at, withdrawn_because from rows.finding order by id'),
    ).toEqual([
      { id: 'f', raised_at: first, withdrawn_because: null },
      { id: 'n', raised_at: null, withdrawn_because: null },
    ]);
  });

  it('keeps the later offset if a finding and its review changed in one batch', async () => {
    const review: ReviewOfFinding = {
      ...{ id: 'reviewed', review: 'proposed', claimedBy: null, claimedUntil: null },
      ...{ proposal: 'person/p#1', proposedBy: 'p', disposition: 'no-error', policy: 'review@1' },
      ...{ ruling: null, signedBy: null, ruledAt: null, counts: true, escalated: null },
      ...{ stale: false, regressed: false, touched: false, lapsed: false, evidence: null },
      ...{ partition: 0, changed: 5 },
    };
    const basis = { id: 'reviewed', people: ['dora'], lines: [[3, 0] as const] };
    const finding = findingRow('reviewed', { changed: 10 });
    await put({
      findings: [finding],
      reviews: [review],
      bases: [{ ...basis, partition: 0, changed: 4 }],
    });
    const columns = 'review, proposal, people, lines, changed::int';
    expect(await rows.ask(`select ${columns} from rows.finding`)).toEqual([
      {
        review: 'proposed',
        proposal: 'person/p#1',
        people: ['dora'],
        lines: [[3, 0]],
        changed: 10,
      },
    ]);
  });

  it('changes the coup and the shoe of a finding, but no open coup and none that changed later', async () => {
    await put({
      shoes: [shoeRow('device/B07#1')],
      coups: [
        coupRow('device/B07#2'),
        coupRow('device/B07#3', { state: 'open', changed: 0 }),
        coupRow('device/B07#4', { changed: 30 }),
      ],
    });
    await put({
      findings: [
        findingRow('f1', { changed: 20 }),
        findingRow('f2', { changed: 10 }),
        findingRow('f3', { changed: 20, coupRef: 'device/B07#3' }),
        findingRow('f4', { changed: 20, coupRef: 'device/B07#4' }),
      ],
    });
    const changed = (of: string) => rows.ask(`select changed::int from rows.${of} order by ref`);
    expect(await changed('shoe')).toEqual([{ changed: 20 }]);
    expect(await changed('coup')).toEqual([{ changed: 20 }, { changed: 0 }, { changed: 30 }]);
  });

  it('replaces all totals of a shoe and leaves other shoes alone', async () => {
    await put({ totals: [shoeTotals('s'), shoeTotals('other')] });
    const untouched = await rows.ask(
      `select ctid, seat from rows.ledger where shoe_ref = 's' and seat = 1`,
    );
    await put({
      totals: [
        shoeTotals('s', {
          ledger: [{ seat: 1, due: 5, taken: 0, marked: 5, collected: 0, waived: 0 }],
          bets: [],
          dealt: [{ dealer: '', gamingDay: '2026-11-21', coups: 2, cards: 9 }],
        }),
      ],
    });
    expect(await rows.ask(`select seat from rows.ledger where shoe_ref = 's'`)).toEqual([
      { seat: 1 },
    ]);
    expect(
      await rows.ask(`select dealer, gaming_day, coups from rows.dealt where shoe_ref = 's'`),
    ).toEqual([{ dealer: '', gaming_day: '2026-11-21', coups: 2 }]);
    expect(
      await rows.ask(`select count(*)::int as lines from rows.bet_total where shoe_ref = 's'`),
    ).toEqual([{ lines: 0 }]);
    expect(
      await rows.ask(`select count(*)::int as lines from rows.bet_total where shoe_ref = 'other'`),
    ).toEqual([{ lines: 2 }]);
    // A line that did not change is not rewritten. Most lines of a shoe do not change from coup to
    // coup.
    expect(await rows.ask(`select ctid, seat from rows.ledger where shoe_ref = 's'`)).toEqual(
      untouched,
    );
  });

  it('upserts the given lines of a shoe that is not replaced as a whole', async () => {
    await put({ totals: [shoeTotals('s')] });
    const line = { seat: 1, due: 7, taken: 0, marked: 7, collected: 0, waived: 0 };
    await put({
      totals: [
        shoeTotals('s', { whole: false, ledger: [line], commission: [], dealt: [], bets: [] }),
        shoeTotals('s', {
          whole: false,
          ledger: [{ ...line, seat: 3 }],
          commission: [],
          dealt: [],
          bets: [],
        }),
      ],
    });
    expect(
      await rows.ask(`select seat, due from rows.ledger where shoe_ref = 's' order by seat`),
    ).toEqual([
      { seat: 1, due: 7 },
      { seat: 2, due: 10 },
      { seat: 3, due: 7 },
    ]);
    expect(await rows.counts()).toMatchObject({ commission: 2, dealt: 1, bet_total: 2 });
  });

  it('adds later lines of a shoe to those that replaced it in the same batch', async () => {
    await put({ totals: [shoeTotals('s')] });
    const seat = (number: number) => ({
      seat: number,
      due: 7,
      taken: 0,
      marked: 7,
      collected: 0,
      waived: 0,
    });
    const only = (number: number, whole: boolean) =>
      shoeTotals('s', { whole, ledger: [seat(number)], commission: [], dealt: [], bets: [] });
    await put({ totals: [only(4, false), only(5, true), only(6, false)] });
    expect(
      await rows.ask(`select seat from rows.ledger where shoe_ref = 's' order by seat`),
    ).toEqual([{ seat: 5 }, { seat: 6 }]);
    expect(await rows.counts()).toMatchObject({ commission: 0, dealt: 0, bet_total: 0 });
  });

  it('deletes an unjudgeable entry that can be judged after all', async () => {
    await put({ unjudgeable: [unjudgeableRow('k'), unjudgeableRow('l')] });
    await put({ unjudgeable: [judgedAfterAll(unjudgeableRow('k'))] });
    expect(await rows.ask('select key from rows.unjudgeable')).toEqual([{ key: 'l' }]);
  });

  it('keeps a snapshot while its table changes without a new one', async () => {
    await put({
      tables: [tableRow('B07', { changed: 1 })],
      snapshots: [snapshotRow('B07', 1, Buffer.from([1, 0, 255]))],
    });
    await put({ tables: [tableRow('B07', { changed: 2 })] });
    expect(await rows.ask('select snapshot, snapshot_next, changed from rows.table_state')).toEqual(
      [{ snapshot: Buffer.from([1, 0, 255]), snapshot_next: 1, changed: 2 }],
    );
  });

  it('changes rows that most events change in their place, so that no index grows with each event', async () => {
    const { devices, deliveries, coups } = evening(generation, 0, 1);
    const times = 30;
    for (let n = 1; n <= times; n += 1)
      await put({
        devices: devices.map((row) => ({ ...row, events: n, changed: n })),
        deliveries: deliveries.map((row) => ({ ...row, events: n, changed: n })),
        // as the auditor writes a coup that is open
        coups: coups.map((row) => ({ ...row, coup: 1, state: 'open', changed: 0, dealer: `${n}` })),
      });
    const changes = (): Promise<{ relname: string; times: number; inPlace: number }[]> =>
      rows.ask(
        `select relname, n_tup_upd::int as times, n_tup_hot_upd::int as "inPlace"
         from pg_stat_user_tables where schemaname = 'rows'
           and relname in ('coup', 'delivery', 'device') order by relname`,
      );
    // PostgreSQL counts some seconds later
    const seen = await eventually(
      `${times - 1} changes of each row`,
      async () => {
        const found = await changes();
        return found.length === 3 && found.every((each) => each.times >= times - 1) && found;
      },
      30_000,
    );
    // a page gets room when no transaction needs what was there, so now and then a row moves
    for (const { relname, inPlace } of seen)
      expect([relname, inPlace > times / 2]).toEqual([relname, true]);
  });

  it('writes nothing if one row cannot be written', async () => {
    const before = await rows.counts();
    await expect(
      store.write({
        ...evening(generation, 0, 5),
        snapshots: [snapshotRow('no such table', 5)],
      }),
    ).rejects.toThrow(/no row/);
    const refused = store.write({
      ...evening(generation, 0, 5),
      findings: [findingRow('f', { body: aFinding('f', { severity: 99_999 as 4 }) })],
    });
    await expect(refused).rejects.toMatchObject({ name: 'RowsNotWritten', retryable: false });
    expect(await rows.counts()).toEqual(before);
    expect(await store.positions()).toMatchObject([{ next: 0 }, { next: 0 }]);
  });

  it('is rejected loudly if it would move a finding to another shoe or coup', async () => {
    const found = findingRow('f', { shoeRef: 'device/a#1', coupRef: 'device/a#2' });
    await put({ findings: [found] });
    await put({ findings: [{ ...found, remedied: true }] });
    for (const place of [{ shoeRef: 'device/a#9' }, { coupRef: 'device/a#9' }, { coupRef: null }]) {
      const moved = put({ findings: [{ ...found, ...place }] });
      await expect(moved).rejects.toMatchObject({ retryable: false, cause: { code: '23000' } });
    }
  });

  it('rejects a row of any kind of a partition that it does not move', async () => {
    const { moves, totals: _, ...lists } = evening(generation, 0, 12);
    const kinds = Object.entries(lists).filter(([, list]) => list.length > 0);
    expect(kinds.map(([kind]) => kind)).toContain('deliveries');
    for (const [kind, list] of kinds)
      await expect(
        store.write({
          ...{ ...NOTHING, moves },
          [kind]: list.map((row) => ({ ...row, partition: 1 })),
        }),
      ).rejects.toThrow(/has a row of partition 1/);
  });

  it('rejects a move back, and rows without any move', async () => {
    await expect(store.write({ ...NOTHING, moves: [move(0, generation, 1, 0)] })).rejects.toThrow(
      /must not move back/,
    );
    await expect(store.write({ ...NOTHING, tables: [tableRow('B07')] })).rejects.toThrow(
      /at least one partition/,
    );
  });

  it('is fenced when repeated at the same position, and the first rows stay', async () => {
    const told = evening(generation, 0, 12);
    await store.write(told);
    const before = await rows.all();
    expect(await store.write(told)).toEqual({ fenced: [0] });
    expect(await store.write({ ...told, moves: [move(0, generation, 12, 12)] })).toEqual({
      fenced: [],
    });
    expect(await rows.all()).toEqual(before);
    expect(await store.positions()).toMatchObject([
      { next: 12, events: 12, lastDigest: Buffer.alloc(32, 12) },
      { next: 0 },
    ]);
  });

  it('notifies listeners of its schema of the new positions after the commit', async () => {
    const heard = await rows.listen('shoeprint_rows');
    expect(await store.write({ ...NOTHING, moves: [move(0, generation + 1, 0, 3)] })).toEqual({
      fenced: [0],
    });
    await store.write({
      ...NOTHING,
      moves: [move(0, generation, 0, 3), move(1, generation, 0, 8)],
    });
    expect(await heard.told).toBe('0:3,1:8');
  });
});

describe('extreme values', () => {
  const HUGE = Number.MAX_SAFE_INTEGER;

  it('are stored if an event may carry them', async () => {
    const ref = 'device/🂡 "quoted", {braced} \\ and \t\u202E\u0001#1';
    await put({
      tables: [
        tableRow('{NULL}', {
          dealer: '',
          shoeRef: ref,
          lastEventTime: '0001-01-01T00:00:00Z',
          lastReceived: '9999-12-31T23:59:59.999Z',
          read: HUGE,
        }),
      ],
      shoes: [
        shoeRow(ref, {
          decks: HUGE,
          remaining: HUGE,
          openedAt: '0000-01-01T00:00:00+23:59',
          closedAt: '9999-12-31T23:59:59.9999-23:59',
          gamingDay: '0001-01-01',
        }),
      ],
      coups: [
        coupRow('NULL', {
          coup: HUGE,
          openedAt: '2016-12-31t23:59:60.5z',
          gamingDay: '9999-12-31',
          detail: {
            ...coupRow('x').detail,
            declared: [{ outcome: ref, by: 'a\ud800\0b', ms: -HUGE }],
          },
        }),
      ],
      findings: [
        findingRow('', {
          body: aFinding('', { message: `${ref}\ud800`, coup: HUGE, seat: HUGE }),
        }),
      ],
      devices: [
        deviceRow('\\', {
          lastSequence: HUGE,
          clockOffsetLast: -252_423_993_600_000.25,
          clockOffsetLeast: -HUGE,
          clockOffsetMost: 0.4,
          lastReceived: null,
          online: null,
        }),
      ],
    });
    expect(await rows.ask('select name, dealer, shoe_ref, read from rows.table_state')).toEqual([
      { name: '{NULL}', dealer: '', shoe_ref: ref, read: HUGE },
    ]);
    expect(
      await rows.ask(
        `select decks, remaining, to_json(opened_at at time zone 'UTC') as opened, to_json(closed_at at time zone 'UTC') as closed, gaming_day from rows.shoe`,
      ),
    ).toEqual([
      {
        decks: HUGE,
        remaining: HUGE,
        opened: '0001-01-01T00:00:00',
        closed: '9999-12-31T23:59:59.999',
        gaming_day: '0001-01-01',
      },
    ]);
    expect(await rows.ask('select coup, opened_at, detail from rows.coup')).toMatchObject([
      {
        coup: HUGE,
        opened_at: '2016-12-31T23:59:59.500Z',
        detail: { declared: [{ outcome: ref, by: 'a\uFFFD\uFFFDb', ms: -HUGE }] },
      },
    ]);
    expect(await rows.ask(`select body->>'message' as message from rows.finding`)).toEqual([
      { message: `${ref}\uFFFD` },
    ]);
    expect(
      await rows.ask(
        'select clock_offset_last, clock_offset_least, clock_offset_most from rows.device',
      ),
    ).toEqual([
      { clock_offset_last: -252_423_993_600_000, clock_offset_least: -HUGE, clock_offset_most: 0 },
    ]);
  });

  it('become 2^53 - 1 if amounts add up to more', async () => {
    const line = {
      seat: 1,
      dealer: 'd',
      gamingDay: '2026-11-20',
      due: HUGE * 3,
      taken: 1e30,
      marked: -1e30,
      collected: 0,
      waived: 0,
    };
    await put({ totals: [shoeTotals('s', { ledger: [line], commission: [line] })] });
    expect(await rows.ask('select due, taken, marked from rows.ledger')).toEqual([
      { due: HUGE, taken: HUGE, marked: -HUGE },
    ]);
  });

  it('are looked up by a short key if they are too long for an index', async () => {
    const long = Array.from({ length: 3_000 }, (_, i) =>
      ((i * 7919) % 1_000_000).toString(36),
    ).join('é');
    const [table, ref] = [`T${long}`, `device/${long}#1`];
    await put({
      tables: [tableRow(table, { shoeRef: ref, dealer: long })],
      shoes: [shoeRow(ref, { table, shoe: long })],
      coups: [coupRow(ref, { table, shoe: long, shoeRef: ref, dealer: long })],
      findings: [
        findingRow('f', {
          body: aFinding('f', { table, shoe: long, bet: long }),
          shoeRef: ref,
          coupRef: ref,
          dealer: long,
        }),
      ],
      unjudgeable: [unjudgeableRow(`${ref} why`, { table, shoeRef: ref })],
      devices: [deviceRow(ref, { table })],
      totals: [
        shoeTotals(ref, {
          table,
          shoe: long,
          bets: [
            {
              bet: long,
              dealer: long,
              gamingDay: '2026-11-20',
              bets: 1,
              staked: 1,
              paid: 1,
              taken: 0,
            },
          ],
        }),
      ],
      snapshots: [snapshotRow(table, 1, 's')],
      parked: [{ table, partition: 0, offset: 1, line: 0, reason: long }],
    });
    expect(
      await rows.ask('select name from rows.table_state where "table" = $1', [keyOf(table)]),
    ).toEqual([{ name: table }]);
    expect(
      await rows.ask(
        "select body->>'table' as name from rows.finding where shoe_ref = $1 and dealer = $2",
        [keyOf(ref), keyOf(long)],
      ),
    ).toEqual([{ name: table }]);
    expect(await store.parked()).toMatchObject([{ table, reason: long }]);
    expect(keyOf(keyOf(table))).toBe(keyOf(table));
    expect(keyOf(`${table}x`)).not.toBe(keyOf(table));
    await put({
      unjudgeable: [judgedAfterAll(unjudgeableRow(`${ref} why`, { table, shoeRef: ref }))],
    });
    expect(await rows.counts()).toMatchObject({ unjudgeable: 0 });
  });

  it('throw if they are of the wrong kind', async () => {
    const at = move(0, generation, 0, 1);
    await expect(
      store.write({ ...NOTHING, moves: [at], tables: [tableRow('B07', { read: 0.5 })] }),
    ).rejects.toThrow(/is not an integer/);
    await expect(
      store.write({
        ...NOTHING,
        moves: [at],
        tables: [tableRow('B07', { lastEventTime: 'yesterday' })],
      }),
    ).rejects.toThrow(/is not a time/);
    await expect(
      store.write({ ...NOTHING, moves: [at], shoes: [shoeRow('s', { gamingDay: '20-11-2026' })] }),
    ).rejects.toThrow(/is not a gaming day/);
    expect(await rows.counts()).toMatchObject({ table_state: 0, shoe: 0 });
  });
});

describe('a connection that breaks', () => {
  it('during a write rolls it back, and the next write succeeds', async () => {
    // A lock on the last table of the write stops it halfway.
    const release = await rows.holding('lock table rows.bet_total in access exclusive mode');
    const broken = store.write(evening(generation, 0, 5)).catch((error: unknown) => error);
    await rows.terminate('delete from "rows".bet_total');
    expect(await broken).toBeInstanceOf(RowsNotWritten);
    expect(await broken).toMatchObject({ retryable: true });
    await release();
    expect(await store.positions()).toMatchObject([{ next: 0 }, { next: 0 }]);
    expect(await rows.counts()).toMatchObject({ coup: 0, table_state: 0 });
    expect(await store.write(evening(generation, 0, 5))).toEqual({ fenced: [] });
  });

  it('during the commit throws RowsOutcomeUnknown', async () => {
    // A deferred trigger stops the commit itself.
    await rows.ask('create table rows.gate ()');
    await rows.ask(
      `create function rows.wait() returns trigger language plpgsql as 'begin lock table rows.gate in access share mode; return null; end'`,
    );
    await rows.ask(
      'create constraint trigger wait after insert on rows.coup deferrable initially deferred for each row execute function rows.wait()',
    );
    const release = await rows.holding('lock table rows.gate in access exclusive mode');
    const broken = store.write(evening(generation, 0, 5)).catch((error: unknown) => error);
    await rows.terminate('commit');
    expect(await broken).toMatchObject({ name: 'RowsOutcomeUnknown' });
    await release();
    expect(await store.positions()).toMatchObject([{ next: 0 }, { next: 0 }]);
  });

  it('a connection that breaks before a write throws RowsNotWritten', async () => {
    const nowhere = RowStore.open('postgres://nobody@127.0.0.1:1/nothing');
    await expect(nowhere.write(evening(1, 0, 1))).rejects.toMatchObject({
      name: 'RowsNotWritten',
      retryable: true,
    });
    await nowhere.close();
  });

  it('is limited to five idle seconds in a transaction', async () => {
    const seen = await rows.settingsOf(store);
    expect(seen).toEqual({ idle: '5s', statement: '30s' });
  });
});
