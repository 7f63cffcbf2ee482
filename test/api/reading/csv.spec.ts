import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fileOf as columnsOf } from '../../../apps/api/src/reading/files/columns.js';
import { csvWriter } from '#sheets';
import { ANY_CHARACTER } from '../../kit/any-character.js';

type Value = string | number | boolean | null;

/** Returns a file of rows whose columns are named by their numbers. */
function fileOf(rows: readonly (readonly Value[])[]): string {
  const columns = (rows[0] ?? []).map((_, at) => ({
    heading: `${at}`,
    value: (row: readonly Value[]) => row[at],
  }));
  const { headings, of } = columnsOf<readonly Value[]>('rows', columns).seenBy(true);
  const writer = csvWriter(false);
  return Buffer.concat([writer.begin(headings), writer.add(of(rows))]).toString();
}
const one = (value: Value): string => fileOf([[value, 'k']]);

/**
 * Reads a file by the letter of RFC 4180: a cell is quoted whole, with quotes in it doubled, or has
 * no quote, comma or line break. Lines end with CRLF. Throws for anything else.
 */
function strictly(text: string): string[][] {
  const lines: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/suy;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at} of ${JSON.stringify(text)}`);
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

/** What a reader must see in a cell: a text that could run has an apostrophe before it. */
const seen = (value: Value, cell: string | undefined): boolean =>
  cell === String(value ?? '') || (typeof value === 'string' && cell === `'${value}`);

/** Blanks and separators that a spreadsheet may skip before a formula. */
const SKIPPED = [...' \t\r\n\v\f;\u00a0\u200b\ufeff\u3000\u2060'];
const SIGNS = [...'=+-@|＝＋－＠﹢﹣﹦﹫'];
const risky = fc
  .tuple(
    fc.array(fc.constantFrom(...SKIPPED), { maxLength: 3 }),
    fc.constantFrom(...SIGNS),
    fc.string(),
  )
  .map(([blanks, sign, rest]) => blanks.join('') + sign + rest);
const text = fc
  .oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', "'", '=', ';', 'a') }),
    risky,
  )
  .filter((value) => !/\p{Surrogate}|\0/u.test(value));
const values: fc.Arbitrary<Value> = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const rows = fc.integer({ min: 2, max: 4 }).chain((width) =>
  fc.array(fc.array(values, { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 5,
  }),
);

describe('a report as CSV', () => {
  it.each([
    ...['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '|calc', ';=1', '  =1+1'],
    ...['\u00a0=1', '\u200b=1', '\ufeff=1', '\u3000＝1', ' \n=1', '﹦1'],
  ])('keeps a spreadsheet from running %j', (risk) => {
    expect(strictly(one(risk))[1]?.[0]).toBe(`'${risk}`);
  });

  it('keeps a line break within its cell, however it is written', () => {
    for (const end of ['\n', '\r', '\r\n'])
      expect(strictly(one(`dora${end}=cmd`))).toEqual([
        ['0', '1'],
        [`dora${end}=cmd`, 'k'],
      ]);
  });

  it('leaves numbers unchanged, negative ones too', () => {
    expect(one(-500)).toBe('"0","1"\r\n-500,"k"\r\n');
  });

  it('leaves a cell empty if the value is unknown', () => {
    expect(one(null)).toBe('"0","1"\r\n,"k"\r\n');
  });

  it('quotes every text', () => {
    expect(one('a,"b"\nc')).toBe('"0","1"\r\n"a,""b""\nc","k"\r\n');
    expect(one(true)).toBe('"0","1"\r\n"true","k"\r\n');
  });

  it('is read back as it was, whatever its cells hold', () => {
    fc.assert(
      fc.property(rows, (written) => {
        const [, ...back] = strictly(fileOf(written));
        expect(back).toHaveLength(written.length);
        for (const [at, row] of written.entries())
          for (const [column, value] of row.entries()) {
            const cell = back[at]?.[column];
            expect([value, cell, seen(value, cell)]).toEqual([value, cell, true]);
          }
      }),
      { numRuns: 1000 },
    );
  });

  it('never starts a cell as a formula, whatever a spreadsheet skips before it', () => {
    fc.assert(
      fc.property(text, (value) => {
        const [, [cell = ''] = []] = strictly(one(value));
        expect(cell).not.toMatch(/^[\s;\u200b\u2060\ufeff]*[=+\-@|＝＋－＠﹢﹣﹦﹫]/u);
        expect(cell).not.toMatch(/^[\t\r\n]/);
      }),
      { numRuns: 2000 },
    );
  });

  const python = spawnSync('python3', ['--version']).status === 0 ? it : it.skip;
  python('is read back by Python as by a strict reader', () => {
    const program =
      'import csv, io, json, sys\n' +
      "text = sys.stdin.buffer.read().decode('utf-8')\n" +
      "print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))";
    fc.assert(
      fc.property(rows, (written) => {
        const file = fileOf(written);
        const { stdout, status } = spawnSync('python3', ['-c', program], { input: file });
        expect(status).toBe(0);
        expect(JSON.parse(stdout.toString())).toEqual(strictly(file));
      }),
      { numRuns: 25 },
    );
  });
});
