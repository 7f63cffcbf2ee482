import { stringify } from 'csv-stringify/sync';

/** A column: its heading, and its value in a row; null leaves the cell empty. */
export interface Column<Row> {
  readonly heading: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

/** A file of lines: the name that a browser gives it, its heading, and how lines are rendered. */
export interface CsvFile<Line> {
  readonly name: string;
  readonly head: string;
  readonly of: (lines: readonly Line[]) => string;
}

/**
 * Returns columns whose headings are the names of the fields in JSON, so that one description fits
 * both.
 */
export const named = <Row>(...names: (keyof Row & string)[]): Column<Row>[] =>
  names.map((heading) => ({
    heading,
    value: (row) => row[heading] as string | number | boolean | null,
  }));

/**
 * Returns a file with these columns: RFC 4180 CSV in UTF-8 with a heading line and CRLF. Every text
 * is quoted. If a spreadsheet could read one as a formula, an apostrophe precedes it: it begins with
 * = + - @ or |, also after blanks and separators, or with a tab or a line break (OWASP, "CSV
 * Injection"). Numbers stay as they are, negative ones too.
 */
export const csvFile = <Row>(name: string, columns: readonly Column<Row>[]): CsvFile<Row> => ({
  name,
  head: records([columns.map(({ heading }) => heading)]),
  of: (rows) => records(rows.map((row) => columns.map(({ value }) => cell(value(row))))),
});

/** Returns a file in which each line makes several rows. */
export function csvFileOf<Line, Row>(
  name: string,
  columns: readonly Column<Row>[],
  rowsOf: (line: Line) => readonly Row[],
): CsvFile<Line> {
  const file = csvFile(name, columns);
  return { ...file, of: (lines) => file.of(lines.flatMap(rowsOf)) };
}

const records = (cells: readonly (readonly (string | number | null)[])[]): string =>
  stringify([...cells] as unknown[][], { record_delimiter: 'windows', quoted_string: true });

/**
 * The signs of a formula, full-width and small ones too, after what a spreadsheet may skip: blanks,
 * invisible characters and the separators of other kinds of CSV.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Z}\p{Cf};]*[=+\-@|＝＋－＠﹢﹣﹦﹫]/u;

function cell(value: string | number | boolean | null | undefined): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  const text = String(value);
  return FORMULA.test(text) ? `'${text}` : text;
}
