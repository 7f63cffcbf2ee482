import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresLog } from '#event-log';
import { asking, ExportHouse, playedAt, shoesOf } from './export-house.js';

const events = playedAt('T1');
const shoes = shoesOf(events);

describe('a package whose records were edited behind the back of the house', () => {
  let house: ExportHouse;
  beforeEach(async () => {
    house = await ExportHouse.open((url) => PostgresLog.open({ url, partitions: 2 }));
    await house.record('T1', events);
    await house.settled();
  });
  afterEach(() => house.close());

  const ofShoe = (asItIs: boolean) =>
    asking({ kind: 'shoe', table: 'T1', shoe: shoes[1] ?? '' }, { asItIs });

  /** Changes the value of a record of a shoe as a superuser, with the triggers off. */
  async function edit(from: string, to: string, shoe = shoes[1]): Promise<void> {
    const { site } = house;
    await site.query('alter table log.record disable trigger all');
    const edited = await site.query(
      `update log.record set value = convert_to(replace(convert_from(value, 'UTF8'), $1, $2), 'UTF8')
       where convert_from(value, 'UTF8') like '%' || $1 || '%'
         and convert_from(value, 'UTF8') like '%' || $3 || '%' returning "offset"`,
      [from, to, `"shoe":"${shoe ?? ''}"`],
    );
    expect(edited.length).toBeGreaterThan(0);
    await site.query('alter table log.record enable always trigger append_only');
  }

  it('is refused, and made if it is asked for as it is, with the faults as warnings', async () => {
    const card = events.find(
      ({ type, shoe }) => type === 'shoeprint.card-drawn.v1' && shoe === shoes[1],
    );
    const text = JSON.stringify((card?.data as { card: string }).card);
    await edit(text, text === '"2C"' ? '"3C"' : '"2C"');
    await expect(house.make(ofShoe(false))).rejects.toThrow(/differs|something else|not the one/);
    const made = await house.make(ofShoe(true));
    expect(made.warnings.join('\n')).toMatch(
      /this package is not intact: data\/tables\/\d+\/events.ndjson, record \d+.*not the one that was sealed/,
    );
    const report = await house.verified(made.file);
    expect(report.verdict).toBe('ALTERED');
    expect(report.faults[0]).toMatchObject({ step: 6, table: 'T1' });
    expect(report.statement?.warnings.join('\n')).toContain('this package is not intact');
  });

  it('is made as it is also if a line cannot be read any more', async () => {
    await edit('"type":"shoeprint.card-drawn.v1"', '"type":"shoeprint.card-drown.v1"');
    await expect(house.make(ofShoe(false))).rejects.toMatchObject({ code: 'not-judged' });
    const made = await house.make(ofShoe(true));
    expect((await house.verified(made.file)).verdict).toBe('ALTERED');
    expect(made.warnings.join('\n')).toContain('this package is not intact');
  });

  it('is intact though a line cannot be read that comes after all that it needs', async () => {
    expect(shoes.length).toBeGreaterThan(3);
    const card = '"type":"shoeprint.card-drawn.v1"';
    await edit(card, '"type":"shoeprint.card-drown.v1"', shoes.at(-1));
    const scope = { kind: 'shoe', table: 'T1', shoe: shoes[0] ?? '' } as const;
    const made = await house.make(asking(scope));
    expect((await house.verified(made.file)).verdict).toBe('INTACT');
  });

  /** Deletes the last record that names a shoe as a superuser. Returns where it was. */
  async function deleteLastOf(shoe = ''): Promise<string> {
    const { site } = house;
    await site.query('alter table log.record disable trigger all');
    const [gone] = await site.query<{ partition: number; offset: string }>(
      `delete from log.record where ctid = (
         select ctid from log.record where convert_from(value, 'UTF8') like $1
         order by "offset" desc limit 1) returning partition, "offset"`,
      [`%"shoe":"${shoe}"%`],
    );
    await site.query('alter table log.record enable always trigger append_only');
    return `at offset ${gone?.offset} of partition ${gone?.partition}`;
  }

  it('is refused if a record is gone, which the refusal names', async () => {
    const place = await deleteLastOf(shoes[1]);
    await expect(house.make(ofShoe(true))).rejects.toMatchObject({
      code: 'record-missing',
      message: expect.stringMatching(
        new RegExp(`^record \\d+ of table T1 is not in the log, ${place}$`),
      ),
    });
  });

  it('is made if a record is gone that comes after all that it needs', async () => {
    expect(shoes.length).toBeGreaterThan(3);
    await deleteLastOf(shoes[3]);
    const scope = { kind: 'shoe', table: 'T1', shoe: shoes[0] ?? '' } as const;
    const made = await house.make(asking(scope));
    expect((await house.verified(made.file)).verdict).toBe('INTACT');
  });

  it('is the same as without asking if nothing was edited', async () => {
    const [plain, asItIs] = [await house.make(ofShoe(false)), await house.make(ofShoe(true))];
    expect(asItIs.sha256).toBe(plain.sha256);
  });
});
