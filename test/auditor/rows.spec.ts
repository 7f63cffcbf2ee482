import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyEvent, anyStream, hasEachCoupOnce, WIDE } from '../kit/any-event.js';
import { anyGame } from '../kit/any-game.js';
import type { Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BANKER_WINS, play, TIE } from '../kit/play.js';
import { rounds } from '../kit/rounds.js';
import { TableLog } from '../kit/table.js';
import { DOCUMENTS, simulated } from '../simulate/simulated.js';
import { append, expectedOf, Floor, inAnyOrder, linesOf, recordsOf, rowsOf } from './floor.js';

const open: Floor[] = [];
const floorOf = async (partitions?: number): Promise<Floor> => {
  const floor = await Floor.open(partitions);
  open.push(floor);
  return floor;
};
afterEach(async () => {
  for (const floor of open.splice(0)) await floor.close();
});

/** Renames the table of a log's events. */
const atTable = (table: string, events: readonly Sent[]): Sent[] =>
  events.map((event) => ({ ...event, table, source: `${event.source as string}-${table}` }));
/** Sums near 2^53 are inexact in any order of addition. */
const small = (events: readonly Sent[]): Sent[] =>
  events.map(
    (event) => JSON.parse(JSON.stringify(event).replaceAll('9007199254740991', '7')) as Sent,
  );

async function expectRows(
  floor: Floor,
  tables: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const [table, lines] of tables)
    expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
}

type Records = ReturnType<typeof recordsOf>;

/** Returns the records of several tables in one order, the tables taking turns. */
const byTurns = (tables: readonly Records[]): Records => {
  const all: Records = [];
  for (let at = 0; tables.some((records) => at < records.length); at += 1)
    for (const records of tables) all.push(...records.slice(at, at + 1));
  return all;
};

async function appendAll({ log }: Floor, records: Records): Promise<void> {
  for (const record of records) await append(log, record.key, [record]);
}

/** Faults that a document and bets leave room for, found by trying. */
function faultsOf(rules: string, bets: boolean): string[] {
  return [
    'TC-05',
    'TC-11',
    'RS-02',
    'RS-09',
    'PY-01',
    'PY-03',
    'PY-06',
    'PY-10',
    'CM-01',
    'CM-05',
    'CM-06',
    'DV-01',
    'DV-04',
    'DV-15',
    'PR-04',
    'PR-09',
    'DL-04',
    'SH-04',
    'BT-01',
    'BT-08',
  ].filter((code) => {
    try {
      return simulated({ rules, bets, seed: 'probe', shoes: 1, faults: [code] }).lines.length > 0;
    } catch {
      return false;
    }
  });
}

describe('the rows', () => {
  it.each([
    ...DOCUMENTS.map((rules) => ({ rules, bets: true })),
    { rules: 'nsw-crown@1', bets: false },
  ])(
    'equal the result of the fold for simulated shoes with faults under $rules (bets: $bets)',
    async ({ rules, bets }) => {
      const floor = await floorOf();
      const lines = linesOf(
        simulated({
          rules,
          bets,
          seed: 'rows',
          shoes: 2,
          table: 'T1',
          faults: faultsOf(rules, bets),
        }).lines,
      );
      await floor.start();
      await append(floor.log, 'T1', recordsOf('T1', lines, [1, 7, 120]));
      await floor.caughtUp();
      await expectRows(floor, new Map([['T1', lines]]));
    },
  );

  it('equal the result of the fold for lawful shoes, which the judges need not step through', async () => {
    const floor = await floorOf();
    const lawful = { rules: 'punto-banco@1', bets: true, shoes: 3 };
    const tables = new Map(
      ['T1', 'T2'].map((table) => [
        table,
        linesOf(simulated({ ...lawful, table, seed: table }).lines),
      ]),
    );
    const [one, other] = [...tables].map(([table, lines]) => recordsOf(table, lines, [1, 7, 120]));
    await floor.start();
    await appendAll(floor, byTurns([one, other] as [Records, Records]));
    await floor.caughtUp();
    await expectRows(floor, tables);
    const counted = async (): Promise<readonly number[]> => {
      const [metrics] = floor.metrics as [(typeof floor.metrics)[number]];
      const both = [metrics.byLane.get(), metrics.steppedAgain.get()];
      return (await Promise.all(both)).map(({ values }) => values[0]?.value ?? 0);
    };
    const events = [...tables.values()].flat().length;
    const [lane = 0, again] = await counted();
    expect(lane / events).toBeGreaterThan(0.98);
    expect(again).toBe(0);
    const extra = JSON.parse(tables.get('T1')?.at(-1) as string) as Sent;
    const correction = { by: 'sam', reason: 'misread', event: 'nobody#1', data: { card: '9S' } };
    const { table, time } = extra as { table: string; time: string };
    const type = 'shoeprint.observation-corrected.v1';
    const sent = { specversion: '1.0', type, source: 'person/sam', id: 'c1', time, table };
    const line = linesOf([{ ...sent, data: correction }]);
    await append(floor.log, 'T1', recordsOf('T1', line));
    await floor.caughtUp();
    expect((await counted())[1]).toBeGreaterThan(1_000);
    await expectRows(floor, new Map([['T1', [...(tables.get('T1') as string[]), ...line]]]));
  });

  it('equal the result of the fold for any cut of the log into records and any number of killed auditors', async () => {
    const game = fc.oneof(anyGame(120), anyStream(80).filter(hasEachCoupOnce).map(small));
    const kills = fc.array(
      fc.record({
        records: fc.integer({ min: 1, max: 60 }),
        turns: fc.nat(30),
        inOrder: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(game, game, game),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        kills,
        fc.boolean(),
        async (games, cuts, deaths, twice) => {
          const tables = new Map(
            games.map((events, i) => [`T${i + 1}`, linesOf(atTable(`T${i + 1}`, events))] as const),
          );
          const [whole, killed] = [await Floor.open(2), await Floor.open(2)];
          try {
            const all = byTurns([...tables].map(([table, lines]) => recordsOf(table, lines, cuts)));
            await appendAll(whole, all);
            await whole.start();
            await whole.caughtUp();
            await expectRows(whole, tables);
            killed.log.faults.deliverTwice = twice;
            for (const { records, turns, inOrder } of deaths) {
              const auditor = await killed.start();
              await appendAll(killed, all.splice(0, records));
              if (turns % 2 === 0) await killed.caughtUp();
              for (let turn = 0; turn < turns; turn += 1)
                await new Promise((resolve) => setImmediate(resolve));
              await (inOrder ? auditor.close() : auditor.abandon());
              await killed.expireLeases();
            }
            await appendAll(killed, all);
            await killed.start();
            await killed.caughtUp();
            const [one, other] = [await whole.dump(), await killed.dump()];
            expect({ ...other, position: undefined }).toEqual({ ...one, position: undefined });
          } finally {
            await whole.close();
            await killed.close();
          }
        },
      ),
      { numRuns: rounds(12) },
    );
  }, 180_000);

  it("include each event once if the snapshots of a partition's tables have different offsets", async () => {
    const floor = await floorOf(1);
    const tables = new Map(
      ['T1', 'T2', 'T3'].map(
        (table) =>
          [
            table,
            linesOf(
              simulated({
                rules: 'punto-banco@1',
                bets: true,
                seed: table,
                shoes: 1,
                table,
                faults: ['PY-03'],
              }).lines,
            ).slice(0, 200),
          ] as const,
      ),
    );
    const first = await floor.start();
    const send = async (table: string, from: number, to: number): Promise<void> => {
      await append(
        floor.log,
        table,
        recordsOf(table, (tables.get(table) as string[]).slice(from, to), [3]),
        0,
      );
      await floor.caughtUp();
    };
    await send('T1', 0, 50);
    await send('T2', 0, 60);
    await send('T1', 50, 100);
    await send('T3', 0, 90);
    await send('T2', 60, 120);
    const saved = await floor.query<{ snapshot_next: string }>(
      'select distinct snapshot_next from rows.table_state',
    );
    expect(saved).toHaveLength(3);
    await first.abandon();
    await floor.expireLeases();
    await floor.start();
    await send('T1', 100, 200);
    await send('T2', 120, 200);
    await send('T3', 90, 200);
    await expectRows(floor, tables);
  });

  it('name in a finding the last dealer of the coup, even one who took over after it was raised', async () => {
    const floor = await floorOf(1);
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('B 9S'); // the first card of a coup is the player hand's
    const before = log.events.length;
    log.dealer('ivan');
    log.draw('P 2S B 4H P 5D');
    log.add('terminal', 'coup-closed');
    const lines = linesOf(log.events);
    await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, before)), 0);
    await floor.caughtUp();
    const dealers = (): Promise<{ dealer: string; changed: string }[]> =>
      floor.query(`select dealer, changed from rows.finding where code = 'DL-02'`);
    expect(await dealers()).toEqual([{ dealer: 'dora', changed: String(before) }]);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(before)), 0);
    await floor.caughtUp();
    expect(await dealers()).toEqual([{ dealer: 'ivan', changed: String(before + 1) }]);
    await expectRows(floor, new Map([['T1', lines]]));
  });

  it('name the record that ended a coup as its last change, and none while the coup is open', async () => {
    const floor = await floorOf(1);
    const log = new TableLog();
    log.open();
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('P 9S B 4H P KD B 4D');
    const before = log.events.length;
    log.add('terminal', 'coup-closed');
    const lines = linesOf(log.events);
    const coups = (): Promise<{ state: string; changed: string }[]> =>
      floor.query('select state, changed from rows.coup');
    await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, before)), 0);
    await floor.caughtUp();
    expect(await coups()).toEqual([{ state: 'open', changed: '0' }]);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(before)), 0);
    await floor.caughtUp();
    expect(await coups()).toEqual([{ state: 'over', changed: String(before + 1) }]);
    await expectRows(floor, new Map([['T1', lines]]));
  });

  it('keep when the event was received that first raised a finding, while later events change the finding', async () => {
    const floor = await floorOf(1);
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    log.add('shoe', 'coup-opened', { coup: 1 });
    log.draw('B 9S'); // the first card of a coup is the player hand's
    const before = log.events.length;
    log.dealer('ivan');
    log.draw('P 2S B 4H P 5D');
    log.add('terminal', 'coup-closed');
    const lines = [
      ...linesOf(log.events.slice(0, before), '2026-11-20T12:00:00.250Z'),
      ...linesOf(log.events.slice(before), '2026-11-20T13:00:00.000Z'),
    ];
    const raised = (): Promise<{ at: string; dealer: string }[]> =>
      floor.query(
        `select to_json(raised_at at time zone 'UTC') as at, dealer from rows.finding where code = 'DL-02'`,
      );
    await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, before)), 0);
    await floor.caughtUp();
    expect(await raised()).toEqual([{ at: '2026-11-20T12:00:00.25', dealer: 'dora' }]);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(before)), 0);
    await floor.caughtUp();
    expect(await raised()).toEqual([{ at: '2026-11-20T12:00:00.25', dealer: 'ivan' }]);
  });

  it('lose the lines of a bet and a seat whose only coup is declared void after it was written', async () => {
    const floor = await floorOf(1);
    const log = new TableLog();
    log.open();
    log.dealer('dora');
    play(log, 1, {
      cards: BANKER_WINS,
      bets: [[1, 'banker', 10_000]],
      outcome: 'banker',
      settled: [[1, 'banker', 'returned', 10_000, 500]],
    });
    play(log, 2, {
      cards: TIE,
      bets: [[2, 'tie', 1_000]],
      outcome: 'tie',
      settled: [[2, 'tie', 'returned', 8_000]],
    });
    const before = log.events.length;
    log.add('person/sam', 'coup-voided', { coup: 2, by: 'sam', reason: 'misdeal' });
    const lines = linesOf(log.events);
    const bets = (): Promise<unknown[]> =>
      floor.query('select bet from rows.bet_total order by bet');
    await floor.start();
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, before)), 0);
    await floor.caughtUp();
    expect(await bets()).toEqual([{ bet: 'banker' }, { bet: 'tie' }]);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(before)), 0);
    await floor.caughtUp();
    expect(await bets()).toEqual([{ bet: 'banker' }]);
    await expectRows(floor, new Map([['T1', lines]]));
  });

  it('hold any well-formed event, with any names, numbers and times', async () => {
    const floor = await floorOf(1);
    await floor.start();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent(WIDE), { minLength: 1, maxLength: 60 }),
        async (events) => {
          const table = `W${(count += 1)}`;
          const lines = linesOf(
            events
              .map((event) => ({ ...event, table }))
              .filter((event) => Buffer.byteLength(JSON.stringify(event)) < 16_000),
          );
          await append(floor.log, table, recordsOf(table, lines));
          await floor.caughtUp();
          expect((await rowsOf(floor, table)).counts).toEqual(expectedOf(lines).counts);
        },
      ),
      { numRuns: rounds(25) },
    );
    expect(await floor.query('select * from rows.position where stopped_at is not null')).toEqual(
      [],
    );
  });

  it('hold sums beyond the exact range of a number', async () => {
    const floor = await floorOf(1);
    await floor.start();
    const log = new TableLog();
    log.open();
    log.dealer();
    const most = Number.MAX_SAFE_INTEGER;
    play(log, 1, {
      outcome: 'player',
      bets: Array.from({ length: 1100 }, () => [1, 'player', most] as const),
      settled: Array.from(
        { length: 1100 },
        () => [1, 'player', 'returned', most, most, most] as const,
      ),
    });
    const lines = linesOf(log.events);
    await append(floor.log, 'T1', recordsOf('T1', lines, [100]), 0);
    await floor.caughtUp();
    expect((await rowsOf(floor, 'T1')).counts).toEqual(expectedOf(lines).counts);
  });
});

describe('several auditors', () => {
  const tables = (): Map<string, string[]> =>
    new Map(
      ['T1', 'T2', 'T3', 'T4', 'T5'].map((table) => [
        table,
        linesOf(
          simulated({
            rules: 'punto-banco@1',
            bets: true,
            seed: table,
            shoes: 1,
            table,
            faults: ['TC-05', 'PY-03', 'DV-04'],
          }).lines,
        ),
      ]),
    );

  it('share the partitions and write the same rows as one auditor', async () => {
    const floor = await floorOf(4);
    const first = await floor.start({ leaseMs: 600 });
    expect(
      await eventually('all partitions at the first', () => first.following.length === 4),
    ).toBe(true);
    const second = await floor.start({ leaseMs: 600 });
    const all = tables();
    for (const [table, lines] of all)
      await append(floor.log, table, recordsOf(table, lines.slice(0, 1500), [1, 5]));
    await eventually(
      'two partitions each',
      () => first.following.length === 2 && second.following.length === 2,
    );
    for (const [table, lines] of all)
      await append(floor.log, table, recordsOf(table, lines.slice(1500), [3]));
    await floor.caughtUp();
    await expectRows(floor, all);
    await first.close();
    await eventually('all partitions at the second', () => second.following.length === 4);
  });

  it('take over the partitions of a killed one once its lease expires', async () => {
    const floor = await floorOf(2);
    const first = await floor.start({ leaseMs: 500 });
    await eventually('both partitions', () => first.following.length === 2);
    const all = tables();
    for (const [table, lines] of all)
      await append(floor.log, table, recordsOf(table, lines.slice(0, 900), [9]));
    await first.abandon();
    const second = await floor.start({ leaseMs: 500 });
    await eventually('both partitions at the other', () => second.following.length === 2);
    for (const [table, lines] of all)
      await append(floor.log, table, recordsOf(table, lines.slice(900), [9]));
    await floor.caughtUp();
    await expectRows(floor, all);
  });

  it('fence one that slept while another claimed its partition', async () => {
    const floor = await floorOf(1);
    const sleeper = await floor.start({ leaseMs: 30_000 });
    await eventually('the partition', () => sleeper.following.length === 1);
    const lines = tables().get('T1') as string[];
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(0, 500), [5]), 0);
    await floor.caughtUp();
    await floor.expireLeases();
    // The sleeper does not look again for ten seconds.
    const other = await floor.start({ leaseMs: 30_000 });
    await eventually('the partition at the other', () => other.following.length === 1);
    await append(floor.log, 'T1', recordsOf('T1', lines.slice(500), [5]), 0);
    await eventually('the sleeper without it', () => sleeper.following.length === 0);
    await floor.caughtUp();
    await expectRows(floor, new Map([['T1', lines]]));
  });
});
