import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { XlsxWriter } from '#sheets';
import { ANY_CHARACTER } from '../../kit/any-character.js';
import { eventually } from '../../kit/eventually.js';
import { workbookOf } from '../../kit/workbook.js';
import { dayLines, LISTS, ReadingFloor, REPORTS, TABLES, withQuery } from './reading-floor.js';

type Cell = string | number | null;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Returns a workbook that was written a row at a time. */
function written(headings: readonly string[], rows: readonly (readonly Cell[])[]): Buffer {
  const writer = new XlsxWriter();
  const parts = [writer.begin(headings), ...rows.map((row) => writer.add([row])), writer.end()];
  return Buffer.concat(parts);
}
const cells = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }).filter((text) => !/\p{Surrogate}/u.test(text)),
  fc.string({ unit: fc.constantFrom(...'<>&"\'_x0041=\r\n\t\0') }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);

describe('a workbook', () => {
  it('is read back as it was, whatever its cells hold', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cells, { maxLength: 30 }), { maxLength: 5 }), (rows) => {
        expect(workbookOf(written(['a'], rows)).rows).toEqual([['a'], ...rows]);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['=1+1', '+1', '-1+cmd', '@SUM(A1)', '|calc', '\t=1', "=cmd|' /C calc'!A0", '<f>1</f>'])(
    'holds a text and no formula: %j',
    (risk) => {
      const { xml, rows } = workbookOf(written(['k'], [[risk]]));
      expect(rows[1]).toEqual([risk]);
      expect(xml).toMatch(/<c r="A2" t="inlineStr">/);
      expect(xml).not.toContain('<f');
    },
  );

  it('leaves a cell out if the value is unknown, and keeps numbers', () => {
    const { rows } = workbookOf(written(['a', 'b', 'c'], [[null, -500, null, 0.25]]));
    expect(rows[1]).toEqual([null, -500, null, 0.25]);
  });

  it('cuts a text that no spreadsheet would open', () => {
    const [, [cut]] = workbookOf(written(['a'], [[`${'x'.repeat(32_765)}\u{1F0A1}y`]])).rows as [
      Cell[],
      [string],
    ];
    expect(cut).toBe(`${'x'.repeat(32_765)}…`);
  });

  it('holds no more than a slice while it is written', () => {
    const writer = new XlsxWriter();
    writer.begin(['a']);
    const rows = Array.from({ length: 50 }, (_, i) => ['x'.repeat(100), i]);
    const sizes = Array.from({ length: 200 }, () => writer.add(rows).length);
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
  });

  const python = spawnSync('python3', ['--version']).status === 0 ? it : it.skip;
  python('is well-formed for Python, which finds the sheet by its relationships', () => {
    const program =
      'import io, sys, zipfile\n' +
      'import xml.etree.ElementTree as tree\n' +
      'book = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\n' +
      'assert not book.testzip()\n' +
      'for name in book.namelist(): tree.fromstring(book.read(name))\n' +
      "rels = tree.fromstring(book.read('xl/_rels/workbook.xml.rels'))\n" +
      "sheet = tree.fromstring(book.read('xl/' + rels[0].get('Target')))\n" +
      "print(''.join(text for text in sheet.itertext()))";
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: written(['a'], [['\u0001<&>', '庄 \u{1F0A1}', 7]]),
    });
    expect([stderr.toString(), stdout.toString()]).toEqual(['', 'a_x0001_<&>庄 \u{1F0A1}7\n']);
  });
});

describe('a report or list as XLSX', () => {
  let floor: ReadingFloor;
  beforeAll(async () => {
    floor = await ReadingFloor.open(dayLines([TABLES[1]], 'one table').slice(0, 4_000));
  });
  afterAll(() => floor?.close());

  /** Reads CSV whose texts are all quoted, without the guard of formulas. */
  const csvRows = (text: string): (string | number | null)[][] =>
    text
      .split('\r\n')
      .slice(0, -1)
      .map((line) =>
        [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)]
          .slice(0, line.endsWith(',') ? undefined : -1)
          .map(([, quoted, plain]) =>
            quoted === undefined
              ? plain === ''
                ? null
                : Number(plain)
              : quoted.replaceAll('""', '"').replace(/^'(?==)/, ''),
          ),
      );
  const trimmed = (row: readonly Cell[]): Cell[] => {
    const last = row.findLastIndex((cell) => cell !== null);
    return row.slice(0, last + 1);
  };

  it.each([...REPORTS, ...LISTS])(
    'has the cells of the CSV, numbers as numbers: %s',
    async (path) => {
      const csv = await floor.get(withQuery(path, 'format=csv'));
      const xlsx = await floor.get(withQuery(path, 'format=xlsx'));
      expect([xlsx.statusCode, xlsx.headers['content-type']]).toEqual([200, XLSX]);
      const name = /filename="([a-z-]+)\.csv"/.exec(
        String(csv.headers['content-disposition']),
      )?.[1];
      expect(xlsx.headers['content-disposition']).toBe(`attachment; filename="${name}.xlsx"`);
      expect(xlsx.headers['log-position']).toBe(csv.headers['log-position']);
      const { rows, xml } = workbookOf(xlsx.rawPayload);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.map(trimmed)).toEqual(csvRows(csv.body).map(trimmed));
      expect(xml).not.toContain('<f');
    },
  );

  it('keeps the name of a table that looks like a formula', async () => {
    const { rawPayload } = await floor.get('/v1/reports/shoes?format=xlsx');
    expect(workbookOf(rawPayload).rows.flat()).toContain('=B08');
  });

  it('is sent for its media type in Accept, and without findings to who may not read them', async () => {
    const finance = await floor.server.api.person('finance');
    const headers = { accept: `text/csv;q=0.5, ${XLSX}` };
    const answer = await floor.get('/v1/reports/payouts', { token: finance, headers });
    expect(answer.headers['content-type']).toBe(XLSX);
    const [headings] = workbookOf(answer.rawPayload).rows;
    expect(headings).toContain('staked');
    expect(headings).not.toContain('findings');
  });

  it('is recorded as read, in its format', async () => {
    const token = await floor.server.api.person('compliance', { name: 'sheets' });
    await floor.get('/v1/reports/dealers?format=xlsx', { token });
    await floor.server.endMinute();
    const [read] = await eventually('the record of the house', async () => {
      const lines = await floor.lines<{ data: object }>('/v1/house-events?by=person/sheets');
      return lines.length > 0 ? lines : undefined;
    });
    expect(read?.data).toEqual({
      record: '/v1/reports/dealers',
      filter: {},
      format: 'xlsx',
      times: 1,
    });
  });
});
