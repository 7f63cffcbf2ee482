import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runsOf } from '../../libs/export/src/reports/fonts.js';
import { workbookOf } from '../kit/workbook.js';
import {
  asking,
  bytesIn,
  ExportHouse,
  fileIn,
  playedAt,
  shoesOf,
  type Exported,
} from './export-house.js';

const events = playedAt('=T1');
const shoes = shoesOf(events);

describe('the reports of a package', () => {
  let house: ExportHouse;
  let made: Exported;
  const formats = ['csv', 'xlsx', 'pdf'] as const;
  const ofShoe = asking({ kind: 'shoe', table: '=T1', shoe: shoes[1] ?? '' }, { formats });
  beforeAll(async () => {
    house = await ExportHouse.open();
    await house.record('=T1', events);
    await house.settled();
    made = await house.make(ofShoe);
  });
  afterAll(() => house.close());

  it('are not there if nobody asks for them', async () => {
    const plain = await house.make({ ...ofShoe, formats: [] });
    await expect(fileIn(plain, 'data/reports/README.txt')).rejects.toThrow('has no');
  });

  it('leave the package intact, and say that they are derived', async () => {
    expect((await house.verified(made.file)).verdict).toBe('INTACT');
    expect(await fileIn(made, 'data/reports/README.txt')).toContain('derived from');
  });

  it('list the findings as CSV, with no text that a spreadsheet takes for a formula', async () => {
    const text = await fileIn(made, 'data/reports/findings.csv');
    const findings = (await fileIn(made, 'data/findings.ndjson')).trimEnd().split('\n');
    const [heading, ...lines] = text.trimEnd().split('\r\n');
    expect(heading).toContain('"code","severity","table","shoe"');
    expect(lines).toHaveLength(findings.length);
    expect(lines[0]).toContain(`"'=T1"`);
  });

  it('hold the amounts of shoes, commission and days as numbers in workbooks', async () => {
    const { rows } = workbookOf(Buffer.from(await bytesIn(made, 'data/reports/commission.xlsx')));
    const [, first] = rows;
    expect(rows[0]?.slice(0, 5)).toEqual(['table', 'shoe', 'seat', 'currency', 'due']);
    expect(first?.slice(0, 2)).toEqual(['=T1', shoes[1]]);
    expect(typeof first?.[4]).toBe('number');
    for (const name of ['shoes', 'days', 'findings'])
      expect(
        workbookOf(Buffer.from(await bytesIn(made, `data/reports/${name}.xlsx`))).rows.length,
      ).toBeGreaterThan(1);
  });

  it('show the lists in pages, with embedded fonts, and deflated by no library', async () => {
    const pdf = Buffer.from(await bytesIn(made, 'data/reports/report.pdf')).toString('latin1');
    expect(pdf).toMatch(/^%PDF-1\.7/);
    expect(pdf).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(pdf).toContain(`>Evidence package ${made.id}<`);
    expect(pdf).toContain('/FontFile2');
    expect(pdf).not.toContain('/FlateDecode');
  });

  it.each([
    ['Bị cáo', [{ text: 'Bị cáo', font: 'Latin' }]],
    [
      '臺 1',
      [
        { text: '臺', font: 'Traditional' },
        { text: ' 1', font: 'Latin' },
      ],
    ],
    ['应', [{ text: '应', font: 'Simplified' }]],
    ['a\u{1F600}b', [{ text: 'a U+1F600 b', font: 'Latin' }]],
    ['a\nb', [{ text: 'a U+000A b', font: 'Latin' }]],
  ])('show %j in a font that has its characters', (text, runs) => {
    expect(runsOf(text)).toEqual(runs);
  });

  it('begin with the finding that the package is about', async () => {
    const ids = (await fileIn(made, 'data/findings.ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const last = ids.at(-1) ?? '';
    const asked = asking({ kind: 'finding', finding: last }, { formats });
    const text = await fileIn(await house.make(asked), 'data/reports/findings.csv');
    expect(ids.length).toBeGreaterThan(1);
    expect(text.split('\r\n')[1]).toContain(last);
  });

  it('are the same bytes each time, in every time zone', async () => {
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Kiritimati';
    try {
      expect((await house.make(ofShoe)).sha256).toBe(made.sha256);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
