import { stringify } from 'csv-stringify/sync';
import type { CsvFile } from './read-answer.interceptor.js';

/** A column: its heading, and its value in a row; null leaves the cell empty. */
export interface Column<Row> {
  readonly heading: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
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
 * Returns rows as RFC 4180 CSV in UTF-8 with a heading line and CRLF. If a spreadsheet would read a
 * text as a formula (it begins with = + - @, a tab or a line break), an apostrophe precedes it.
 * Numbers stay as they are, negative ones too.
 */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return stringify(
    [
      columns.map(({ heading }) => heading),
      ...rows.map((row) => columns.map(({ value }) => cell(value(row)))),
    ],
    { record_delimiter: 'windows' },
  );
}

/** Declares the CSV file of a list whose lines have these columns. */
export const csvFile = <Line>(
  name: string,
  columns: readonly Column<Line>[],
): CsvFile<{ readonly lines: readonly Line[] }> => ({
  name,
  of: ({ lines }) => csvOf(columns, lines),
});

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  return FORMULA.test(value) ? `'${value}` : value;
}
