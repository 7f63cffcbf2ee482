import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEVICE, FINDING, SHOE, ShoeRow } from '#read-model';
import { aShoe, openFloor, type Floor } from './floor.js';

let floor: Floor;
beforeAll(async () => void (floor = await openFloor()));
afterAll(() => floor.close());

describe('the declaration of a table', () => {
  it('selects each column under the name of its field, after an optional prefix', () => {
    expect(SHOE.select('s', ['table', 'closeReason'])).toBe(
      's."table" as "table", s."close_reason" as "closeReason"',
    );
    expect(SHOE.select('s', ['closedAt'], 'shoe.')).toBe('s."closed_at" as "shoe.closedAt"');
  });

  it('names the key, and takes columns of a class that it extends', () => {
    expect(DEVICE.key.map(({ name }) => name)).toEqual(['"table"', '"source"']);
    expect(DEVICE.column('changed').name).toBe('"changed"');
  });

  it('rejects a field that has no column', () => {
    expect(() => SHOE.column('tabel' as 'table')).toThrow('the table shoe has no column for tabel');
  });

  it('describes columns as JSON Schema does', () => {
    const fields = ['severity', 'at', 'gamingDay', 'dealer', 'seat', 'void'] as const;
    expect(fields.map((field) => FINDING.column(field).schema)).toEqual([
      { type: 'integer', enum: [1, 2, 3, 4], nullable: false },
      { type: 'string', format: 'date-time', nullable: false },
      { type: 'string', format: 'date', nullable: false },
      { type: 'string', nullable: true },
      {
        type: 'integer',
        minimum: -Number.MAX_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        nullable: true,
      },
      { type: 'boolean', nullable: false },
    ]);
    expect(SHOE.column('closeReason').schema.enum).toContain('cut-card');
  });

  it('applies both to rows that TypeORM reads and to rows that SQL selects', async () => {
    const shoe = aShoe({
      ref: `device/${'long '.repeat(100)}#1`,
      table: 'B07',
      closed: true,
      closeReason: 'cut-card',
      closedAt: '2026-11-20T20:00:00.123Z',
    });
    await floor.write({ shoes: [shoe] });
    const fields = SHOE.columns.map(({ field }) => field);
    const [selected] = await floor.read((read) =>
      read.rows<ShoeRow>(`select ${SHOE.select('s', fields)} from shoe s`),
    );
    expect(selected).toMatchObject({ closedAt: '2026-11-20T20:00:00.123Z', decks: 8 });
    const found = await floor.source.getRepository(ShoeRow).findOneBy({ ref: shoe.ref });
    expect({ ...found }).toEqual(selected);
  });
});
