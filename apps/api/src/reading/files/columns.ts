import type { CellValue } from '#sheets';

type Cell = string | number | boolean | null | undefined;
/** The fields of a row whose values fit into a cell. */
type CellField<Row> = {
  [field in keyof Row & string]: Row[field] extends Cell ? field : never;
}[keyof Row & string];

/** A column: its heading, and its value in a row; null leaves the cell empty. */
export interface Column<Row> {
  readonly heading: string;
  readonly value: (row: Row) => Cell;
  /** Whether only readers of findings see it. */
  readonly ofFindings?: true;
}

/** The headings of a file, and the rows that lines make. */
export interface Sheet<Line> {
  readonly headings: readonly string[];
  readonly of: (lines: readonly Line[]) => readonly (readonly CellValue[])[];
}

/** A file of lines: its name without the ending, and what a reader sees of it. */
export interface LinesFile<Line> {
  readonly name: string;
  readonly seenBy: (seesFindings: boolean) => Sheet<Line>;
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

/** Returns these columns, and after them one for each of the fields that none of them shows. */
export const withOthers = <Row>(
  fields: readonly CellField<Row>[],
  columns: readonly Column<Row>[],
): Column<Row>[] => {
  const shown = new Set(columns.map(({ heading }) => heading));
  return [...columns, ...named<Row>(...fields.filter((field) => !shown.has(field)))];
};

/** Returns columns that only readers of findings see. */
export const ofFindings = <Row>(columns: readonly Column<Row>[]): Column<Row>[] =>
  columns.map((column) => ({ ...column, ofFindings: true }));

/** Returns a file with these columns. */
export const fileOf = <Row>(name: string, columns: readonly Column<Row>[]): LinesFile<Row> => ({
  name,
  seenBy: (seesFindings) => {
    const seen = seesFindings ? columns : columns.filter((column) => !column.ofFindings);
    return {
      headings: seen.map(({ heading }) => heading),
      of: (rows) => rows.map((row) => seen.map(({ value }) => cellOf(value(row)))),
    };
  },
});

/** Returns a file in which a line makes several rows, or none. */
export const fileOfRows = <Line, Row>(
  name: string,
  columns: readonly Column<Row>[],
  rowsOf: (line: Line, seesFindings: boolean) => readonly Row[],
): LinesFile<Line> => ({
  name,
  seenBy: (seesFindings) => {
    const { headings, of } = fileOf(name, columns).seenBy(seesFindings);
    return { headings, of: (lines) => of(lines.flatMap((line) => rowsOf(line, seesFindings))) };
  },
});

const cellOf = (value: Cell): CellValue => {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' ? value : String(value);
};
