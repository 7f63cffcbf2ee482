import { stringify } from 'csv-stringify/sync';
import type { CellValue, SheetWriter } from './sheet.js';

/**
 * Writes RFC 4180 CSV in UTF-8 with CRLF, after a byte order mark if `bom` asks for one. Every text
 * is quoted. If a spreadsheet could read one as a formula, an apostrophe precedes it: it begins
 * with = + - @ or |, also after blanks and separators, or with a tab or a line break (OWASP, "CSV
 * Injection"). Numbers stay as they are, negative ones too.
 */
export const csvWriter = (bom: boolean): SheetWriter => ({
  begin: (headings) => Buffer.from((bom ? '\uFEFF' : '') + records([headings])),
  add: (rows) => Buffer.from(records(rows.map((cells) => cells.map(guarded)))),
  end: () => Buffer.alloc(0),
});

const records = (rows: readonly (readonly CellValue[])[]): string =>
  stringify([...rows] as unknown[][], { record_delimiter: 'windows', quoted_string: true });

/**
 * The signs of a formula, full-width and small ones too, after what a spreadsheet may skip: blanks,
 * invisible characters and the separators of other kinds of CSV.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Z}\p{Cf};]*[=+\-@|＝＋－＠﹢﹣﹦﹫]/u;

const guarded = (cell: CellValue): CellValue =>
  typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;
