import { stringify } from 'csv-stringify/sync';

/** A column: its heading, and its value in a row; null leaves the cell empty. */
export interface Column<Row> {
  readonly heading: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
  /** Whether only readers of findings see it. */
  readonly ofFindings?: true;
}

/** The text of a file: its heading, and how lines are rendered. */
export interface CsvText<Line> {
  readonly head: string;
  readonly of: (lines: readonly Line[]) => string;
}

/** A file of lines: the name that a browser gives it, and its text as a reader sees it. */
export interface CsvFile<Line> {
  readonly name: string;
  readonly seenBy: (reader: CsvReader) => CsvText<Line>;
}

/** Who reads a file: what they see, and whether they asked for a byte order mark. */
export interface CsvReader {
  readonly seesFindings: boolean;
  readonly bom?: boolean;
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
 * Returns a file with these columns: RFC 4180 CSV in UTF-8 with a heading line and CRLF. Every text
 * is quoted. If a spreadsheet could read one as a formula, an apostrophe precedes it: it begins
 * with = + - @ or |, also after blanks and separators, or with a tab or a line break (OWASP, "CSV
 * Injection"). Numbers stay as they are, negative ones too.
 */
export const csvFile = <Row>(name: string, columns: readonly Column<Row>[]): CsvFile<Row> => ({
  name,
  seenBy: ({ seesFindings, bom }) => {
    const seen = seesFindings ? columns : columns.filter((column) => !column.ofFindings);
    return {
      head: (bom ? '\uFEFF' : '') + records([seen.map(({ heading }) => heading)]),
      of: (rows) => records(rows.map((row) => seen.map(({ value }) => cell(value(row))))),
    };
  },
});

/** Returns a file in which a line makes several rows, or none. */
export const csvFileOf = <Line, Row>(
  name: string,
  columns: readonly Column<Row>[],
  rowsOf: (line: Line, seesFindings: boolean) => readonly Row[],
): CsvFile<Line> => ({
  name,
  seenBy: (reader) => {
    const { head, of } = csvFile(name, columns).seenBy(reader);
    return { head, of: (lines) => of(lines.flatMap((line) => rowsOf(line, reader.seesFindings))) };
  },
});

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
