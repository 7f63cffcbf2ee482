import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUSE_TABLE } from '#audit';
import { readCheckpoint, utf8Of, type SignedCheckpoint } from '#evidence';
import { asking, ExportHouse, fileIn, playedAt, shoesOf } from './export-house.js';

const one = playedAt('T1', { shoes: 9 });
const other = playedAt('T2', { seed: 4, shoes: 3 });
const shoes = shoesOf(one);
/** An event of the record of the house. */
const KEY_REVOKED = {
  ...{ specversion: '1.0', type: 'shoeprint.key-revoked.v1', source: 'person/admin', id: 'k1' },
  ...{ time: '2026-11-20T12:00:00.000Z', table: HOUSE_TABLE, data: { key: 'gateway' } },
};
/** Returns the index of the event in the middle of a shoe. */
const inside = (n: number): number => one.findIndex(({ shoe }) => shoe === shoes[n]) + 12;

describe('a package of a day', () => {
  let house: ExportHouse;
  const days: string[] = [];
  let held: SignedCheckpoint;

  beforeAll(async () => {
    house = await ExportHouse.open();
    await house.record('T1', one.slice(0, inside(3)));
    await house.record('T2', other);
    await house.record(HOUSE_TABLE, [KEY_REVOKED]);
    days.push(await house.closeDay());
    held = await house.settled();
    await house.record('T1', one.slice(inside(3), inside(6)));
    await house.record('T3', playedAt('T3', { seed: 9, shoes: 2 }));
    days.push(await house.closeDay());
    await house.record('T1', one.slice(inside(6)));
    days.push(await house.closeDay());
    await house.record('T4', playedAt('T4', { seed: 2, shoes: 1 }));
    await house.settled();
  }, 60_000);
  afterAll(() => house.close());

  const ofDay = (n: number, table?: string) =>
    asking({ kind: 'day', ...(table !== undefined && { table }), day: days[n] ?? '' });

  it('a day of one table begins with the shoe before the one open at the cut-over', async () => {
    const report = await house.report(ofDay(1, 'T1'));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
    const [table] = report.statement?.tables ?? [];
    expect(table?.shoes).toEqual([shoes[3], shoes[4], shoes[5], shoes[6]]);
    expect(table?.first).toBeGreaterThan(0);
    const after = await house.site.reader.head(
      table?.number ?? 0,
      report.statement?.range.after ?? 0,
    );
    expect(table?.first).toBeLessThan(after?.size ?? 0);
  });

  it('is the first day that is sealed, from the first record on', async () => {
    const report = await house.report(ofDay(0, 'T1'));
    expect(report.verdict).toBe('INTACT');
    expect(report.statement?.range.after).toBeNull();
    expect(report.statement?.tables[0]?.first).toBe(0);
  });

  it('a day of all tables has each of them and the record of the house, without paths', async () => {
    const made = await house.make(ofDay(1));
    const report = await house.verified(made.file);
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
    expect(report.statement?.all).toBe(true);
    expect(report.statement?.tables.map(({ table }) => table).sort()).toEqual(
      ['@house', 'T1', 'T2', 'T3'].sort(),
    );
    expect(await fileIn(made, 'data/tables/0/heads.ndjson')).not.toContain('path');
    const idle = report.statement?.tables.find(({ table }) => table === 'T2');
    expect(idle).toMatchObject({ records: 0, shoes: [] });
  });

  it('a package of each day in turn continues the one before', async () => {
    let trusted: SignedCheckpoint | undefined;
    for (const n of days.keys()) {
      const { file } = await house.make(ofDay(n));
      const report = await house.verified(file, { checkpoints: trusted ? [trusted] : [] });
      expect(report.faults).toEqual([]);
      trusted = readCheckpoint(utf8Of((await house.make(ofDay(n))).note));
    }
  });

  it('shows to a recipient of the day before that history only grew', async () => {
    const asked = { ...ofDay(2, 'T1'), since: [held.size] };
    const report = await house.report(asked, { checkpoints: [held] });
    expect(report.faults).toEqual([]);
    expect(report.grownSince).toEqual([held.size]);
  });

  it('shows it for every table if all of them are in it', async () => {
    const report = await house.report({ ...ofDay(2), since: [held.size] }, { checkpoints: [held] });
    expect(report.faults).toEqual([]);
    expect(report.grownSince).toEqual([held.size]);
  });

  it('a package of a table spans several days', async () => {
    const [, from = '', to = ''] = days;
    const report = await house.report(asking({ kind: 'table', table: 'T1', from, to }));
    expect(report.faults).toEqual([]);
    expect(report.statement?.tables[0]?.shoes).toEqual(shoes.slice(3));
  });

  it('is intact for the second verifier too, whatever its scope', async () => {
    const [, from = '', to = ''] = days;
    const scopes = [
      ofDay(0),
      { ...ofDay(1), since: [held.size] },
      ofDay(1, 'T1'),
      asking({ kind: 'table', table: 'T1', from, to }),
      asking({ kind: 'table', table: 'T1' }),
      asking({ kind: 'shoe', table: 'T1', shoe: shoes[4] ?? '' }, { since: [held.size] }),
    ];
    for (const asked of scopes) {
      const { file } = await house.make(asked);
      expect(house.secondWord(file) ?? 'INTACT').toBe('INTACT');
    }
  });

  it('has no shoe that a device only sends again from an old buffer', async () => {
    await house.record('T1', one.slice(0, inside(1)));
    days.push(await house.closeDay());
    for (const asked of [ofDay(3), ofDay(3, 'T1')]) {
      const { verdict, faults, statement } = await house.report(asked);
      expect({ verdict, faults }).toEqual({ verdict: 'INTACT', faults: [] });
      const table = statement?.tables.find((each) => each.table === 'T1');
      expect(table?.shoes).toEqual([shoes.at(-1)]);
    }
  });

  it('is refused while the day is not sealed', async () => {
    const tomorrow = '2099-01-01';
    await expect(house.make(asking({ kind: 'day', day: tomorrow }))).rejects.toMatchObject({
      code: 'day-not-sealed',
      message: `scope: the day ${tomorrow} is not sealed`,
    });
  });
});
