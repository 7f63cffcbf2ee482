import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partitionOf, type EventLog } from '#event-log';
import { type ExportRows, type PackageStep } from '#export';
import type { Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { asking, ExportHouse, fileIn, playedAt, shoesOf } from './export-house.js';

const events = playedAt('T1');
const shoes = shoesOf(events);
const shoe = (n: number): string => shoes[n] ?? '';

/** Returns the events of a table where an id was sent again with another content before a shoe. */
const again = (table: string): Sent[] => {
  const log = playedAt(table, { seed: 8, shoes: 3 });
  const signedOn = log.find(({ type }) => type === 'shoeprint.dealer-signed-on.v1') as Sent;
  const said = {
    ...signedOn,
    source: 'person/ann',
    id: 'twice',
    session: undefined,
    sequence: undefined,
  };
  return [said, { ...said, time: '2026-11-20T23:59:59.999Z' }, ...log];
};

describe('a package', () => {
  let house: ExportHouse;
  beforeAll(async () => {
    house = await ExportHouse.open();
    await house.record('T1', events);
    await house.record('T2', again('T2'));
    await house.site.append('other', JSON.stringify({ ...events[0], table: 'other' }));
    await house.settled();
  });
  afterAll(() => house.close());

  const ofShoe = (n: number) => asking({ kind: 'shoe', table: 'T1', shoe: shoe(n) });
  const ofTable = (table: string) => asking({ kind: 'table', table });

  it('shows a shoe, which the verifier finds intact with the same findings', async () => {
    const report = await house.report(ofShoe(2));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
    expect(report.judgement?.findings).toBeGreaterThan(0);
    expect(report.judgement?.shoes).toMatchObject([
      { shoe: shoe(2), isClosed: true, hasLeftReach: true },
    ]);
    expect(report.statement?.tables[0]?.first).toBeGreaterThan(0);
  });

  it('shows a shoe by the reference of its opening, and names its id', async () => {
    const opening = events.find(
      ({ type, shoe: id }) => /shoe-opened/.test(String(type)) && id === shoe(2),
    );
    const ref = `${String(opening?.source)}#${String(opening?.id)}`;
    const report = await house.report(asking({ kind: 'shoe', table: 'T1', shoe: ref }));
    expect(report.verdict).toBe('INTACT');
    expect(report.statement?.scope.shoe).toBe(shoe(2));
  });

  it('shows a shoe that corrections can still reach, and says so', async () => {
    const report = await house.report(ofShoe(4));
    expect(report.verdict).toBe('INTACT');
    expect(report.warnings.join('\n')).toMatch(/correction.* still possible/);
  });

  it('shows a whole table, with every shoe', async () => {
    const report = await house.report(ofTable('T1'));
    expect(report.faults).toEqual([]);
    expect(report.judgement?.shoes.map((each) => each.shoe)).toEqual(shoes);
  });

  it('a package of a shoe late in a long log is made without reading the log from its beginning', async () => {
    const long = playedAt('T5', { seed: 6, shoes: 8, coups: 36, bets: false });
    const late = shoesOf(long)[5] ?? '';
    const partition = partitionOf('T5', house.site.log.partitions);
    const before = await house.site.log.head(partition);
    await house.record('T5', long, 1);
    await house.settled();
    const read: number[] = [];
    const log = new Proxy<EventLog>(house.site.log, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name === 'read')
          return (of: number, from: number) => (read.push(from), target.read(of, from));
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const made = await house.make(asking({ kind: 'shoe', table: 'T5', shoe: late }), {
      changed: { log },
    });
    expect((await house.verified(made.file)).verdict).toBe('INTACT');
    const third = long.findIndex(({ shoe: id }) => id === shoesOf(long)[2]);
    expect(read.filter((offset) => offset < before + third)).toEqual([]);
  });

  it('is the same bytes each time, under a name made from what it shows', async () => {
    const steps: PackageStep[] = [];
    const one = await house.make(ofShoe(2), { progress: (step) => steps.push(step) });
    expect([...new Set(steps)]).toEqual(['choosing', 'writing', 'verifying', 'packing', 'made']);
    const bytes = readFileSync(one.file);
    expect(one).toMatchObject({
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(one.id).toMatch(/^test-shoe-T1-[A-Z0-9.-]+-\d+$/);
    expect(one.receipt).toContain(one.id);
    expect(one.note).toContain(String(one.checkpoint));
    expect({ ...(await house.make(ofShoe(2))), file: one.file }).toEqual(one);
    expect(existsSync(join(dirname(one.file), 'work-1'))).toBe(false);
  });

  it('is not there if its own verifier does not find it intact', async () => {
    const software = { name: 'shoeprint', version: '0', commit: 'test', fold: 1 };
    const made = house.make(ofShoe(2), { changed: { software } });
    await expect(made).rejects.toMatchObject({ code: 'not-intact' });
  });

  it('is not there if making it is stopped', async () => {
    const stop = new AbortController();
    const progress = (step: PackageStep): void => {
      if (step === 'writing') stop.abort(new Error('stopped'));
    };
    await expect(house.make(ofShoe(2), { progress, signal: stop.signal })).rejects.toThrow(
      'stopped',
    );
  });

  describe('that is compared with the rows', () => {
    it('begins earlier until what was judged is what they say', async () => {
      const asked = await house.content(ofShoe(2));
      let tries = 0;
      const rows = new Proxy<ExportRows>(house.rows, {
        get: (target, name) =>
          name === 'difference'
            ? async () => ((tries += 1) > 1 ? undefined : 'a finding is in the rows alone')
            : (Reflect.get(target, name) as () => unknown).bind(target),
      });
      const { file } = await house.make(ofShoe(2), { changed: { rows } });
      const report = await house.verified(file);
      expect(report.verdict).toBe('INTACT');
      expect(report.statement?.tables[0]?.first).toBeLessThan(asked.tables[0]?.first ?? 0);
    });

    it.each([
      [
        'finding',
        `update rows.finding set body = replace(body::text, '"message":"', '"message":"not ')::json where shoe = $1`,
        /finding/,
      ],
      [
        'seat of the ledger',
        'update rows.ledger set due = due + 1 where shoe = $1',
        /due of ledger/,
      ],
      [
        'shoe',
        'update rows.shoe set cards = cards + 1 where shoe = $1',
        /cards is \d+ in the rows, not \d+/,
      ],
      [
        'sum of a day',
        'update rows.bet_total set paid = paid + 1 where shoe = $1',
        /paid of bet total/,
      ],
    ])(
      'is refused if the row of a %s was edited, and names the difference',
      async (_, sql, named) => {
        const back = await snapshotOf(house, sql);
        try {
          await house.site.query(sql, [shoe(1)]);
          const made = house.make(ofShoe(1));
          await expect(made).rejects.toMatchObject({
            code: 'differs-from-rows',
            message: expect.stringMatching(named),
          });
        } finally {
          await back();
        }
        expect((await house.report(ofShoe(1))).verdict).toBe('INTACT');
      },
    );
  });

  describe('of a finding', () => {
    const findingsOf = (table: string) =>
      house.site.query<{ id: string; shoe: string }>(
        'select id, shoe from rows.finding where "table" = $1 and withdrawn_because is null order by id',
        [table],
      );

    it('shows its shoe, and the finding', async () => {
      const found = (await findingsOf('T1')).find((each) => each.shoe === shoe(1));
      const made = await house.make(asking({ kind: 'finding', finding: found?.id ?? '' }));
      const report = await house.verified(made.file);
      expect(report.verdict).toBe('INTACT');
      expect(report.statement?.scope).toEqual({ kind: 'finding', table: 'T1', finding: found?.id });
      expect(report.statement?.tables[0]?.shoes).toEqual([shoe(1)]);
      expect(await fileIn(made, 'data/findings.ndjson')).toContain(`"id":"${found?.id ?? ''}"`);
    });

    it('about no shoe shows where it was raised', async () => {
      const found = (await findingsOf('T2')).find((each) => each.shoe === '');
      expect(found).toBeDefined();
      const made = await house.make(asking({ kind: 'finding', finding: found?.id ?? '' }));
      expect((await house.verified(made.file)).verdict).toBe('INTACT');
      expect(await fileIn(made, 'data/findings.ndjson')).toContain(`"id":"${found?.id ?? ''}"`);
    });

    it('has the reviews after its range, and warns that there may be more', async () => {
      const [found] = (await findingsOf('T1')).filter((each) => each.shoe === shoe(0));
      const claim = {
        ...{ specversion: '1.0', type: 'shoeprint.finding-claimed.v1', source: 'person/ann' },
        ...{ id: 'claim-1', time: '2026-11-21T12:00:00.000Z', table: 'T1' },
        data: { finding: found?.id, as: 'pit-boss', lease: 600 },
      };
      await house.site.append('T1', JSON.stringify(claim));
      await house.settled();
      const made = await house.make(asking({ kind: 'finding', finding: found?.id ?? '' }));
      const report = await house.verified(made.file);
      expect(report.verdict).toBe('INTACT');
      expect(await fileIn(made, 'data/tables/0/later.ndjson')).toContain('claim-1');
      expect(report.warnings.join('\n')).toContain('nothing shows that there is no further one');
    });
  });

  it.each([
    ['a table that no seal holds', 'unknown-table', () => ofTable('nowhere')],
    [
      'a shoe that the table does not have',
      'unknown-shoe',
      () => asking({ kind: 'shoe', table: 'T1', shoe: 'S99' }),
    ],
    [
      'a finding that is not there',
      'unknown-finding',
      () => asking({ kind: 'finding', finding: 'x' }),
    ],
    [
      'a day that is not sealed',
      'day-not-sealed',
      () => asking({ kind: 'day', table: 'T1', day: '2026-11-20' }),
    ],
    ['a shoe without its table', 'bad-scope', () => asking({ kind: 'shoe', shoe: 'S1' })],
    ['a day that is not one', 'bad-scope', () => asking({ kind: 'day', day: '2026-02-30' })],
    [
      'a table from a day without an end',
      'bad-scope',
      () => asking({ kind: 'table', table: 'T1', from: '2026-11-20' }),
    ],
    [
      'a shoe on a day',
      'bad-scope',
      () => asking({ kind: 'shoe', table: 'T1', shoe: 'S1', day: '2026-11-20' }),
    ],
    [
      'a checkpoint larger than the last one',
      'unknown-checkpoint',
      () => asking({ kind: 'table', table: 'T1' }, { since: [1_000_000] }),
    ],
    [
      '10,000 checkpoints',
      'too-many-checkpoints',
      () =>
        asking({ kind: 'table', table: 'T1' }, { since: Array.from({ length: 10_000 }, () => 1) }),
    ],
  ])('is refused for %s', async (_, code, asked) => {
    await expect(house.content(asked())).rejects.toMatchObject({ code });
  });

  it('proves a hundred checkpoints that were asked for, and the one given last', async () => {
    const asked = (count: number) =>
      asking({ kind: 'table', table: 'T1' }, { since: Array.from({ length: count }, () => 3) });
    await expect(house.content(asked(101))).resolves.toBeDefined();
    await expect(house.content(asked(102))).rejects.toMatchObject({
      code: 'too-many-checkpoints',
    });
  });

  it('is refused while nothing is sealed', async () => {
    const empty = await ExportHouse.open();
    try {
      const made = empty.content(ofTable('T1'));
      await expect(made).rejects.toMatchObject({ code: 'not-sealed' });
    } finally {
      await empty.close();
    }
  });

  it('leaves out what the fold does not judge, and names it', async () => {
    const spoiled = playedAt('T3', { seed: 5, shoes: 1 });
    await house.record('T3', spoiled.slice(0, 40), 1);
    const unknown = { ...spoiled[0], type: 'shoeprint.not-known.v1', id: 'later' };
    await house.site.append('T3', JSON.stringify(unknown));
    await eventually('the parked table', async () => {
      const [parked] = await house.site.query('select 1 from rows.parked');
      return parked;
    });
    await house.settled();
    const report = await house.report(ofTable('T3'));
    expect(report.verdict).toBe('INTACT');
    expect(report.statement?.unjudged).toEqual([
      { table: 'T3', record: 40, line: 1, released: false },
    ]);
    expect(report.warnings).toContain('table T3 is parked: judged to record 40 of 40');
  });
});

/** Keeps the rows that a statement changes. Returns what puts them back. */
async function snapshotOf({ site }: ExportHouse, sql: string): Promise<() => Promise<void>> {
  const table = /update (\S+)/.exec(sql)?.[1] ?? '';
  await site.query(`create temporary table kept as table ${table}`);
  return async () => {
    await site.query(`delete from ${table}`);
    await site.query(`insert into ${table} select * from kept`);
    await site.query('drop table kept');
  };
}
