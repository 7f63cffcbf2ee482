import { stringify } from 'csv-stringify/sync';
import type { CsvFile } from './read-answer.interceptor.js';

/** A column: its heading, and its value in a row; null leaves the cell empty. */
export interface Column<Row> {
  readonly heading: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
  /** Whether only readers of findings see it. */
  readonly ofFindings?: true;
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

/** Returns columns that only readers of findings see. */
export const ofFindings = <Row>(columns: readonly Column<Row>[]): Column<Row>[] =>
  columns.map((column) => ({ ...column, ofFindings: true }));

/**
 * Returns rows as RFC 4180 CSV in UTF-8 with a heading line and CRLF. Every text is quoted. If a
 * spreadsheet could read one as a formula, an apostrophe precedes it: it begins with = + - @ or |,
 * also after blanks and separators, or with a tab or a line break (OWASP, "CSV Injection"). Numbers
 * stay as they are, negative ones too.
 */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return stringify(
    [
      columns.map(({ heading }) => heading),
      ...rows.map((row) => columns.map(({ value }) => cell(value(row)))),
    ],
    { record_delimiter: 'windows', quoted_string: true },
  );
}

/** Returns the columns that a reader sees. */
export const seenColumns = <Row>(
  columns: readonly Column<Row>[],
  seesFindings: boolean,
): readonly Column<Row>[] =>
  seesFindings ? columns : columns.filter((column) => !column.ofFindings);

/** Declares the CSV file of a list whose lines have these columns. */
export const csvFile = <Line>(
  name: string,
  columns: readonly Column<Line>[],
): CsvFile<{ readonly lines: readonly Line[] }> => ({
  name,
  of: ({ lines }, findings) => csvOf(seenColumns(columns, findings), lines),
});

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
