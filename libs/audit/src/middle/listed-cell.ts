/** A cell of a list: a text, a number, or nothing. */
export type ListedCell = string | number | null;

/**
 * What a spreadsheet could read as a formula, also after what it may skip: blanks, invisible
 * characters, the separators of other kinds of CSV, and apostrophes that we add ourselves. The
 * reports for people (`csvWriter`) guard the same texts.
 */
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Z}\p{Cf};]*[=+\-@|＝＋－＠﹢﹣﹦﹫])/u;
/** No program takes one of these for a separator, a quote or a line break. */
const PLAIN = /^[\w.:/@'-]*$/;

/** Returns a cell as the CSV files of a package have it. A text that may be a formula gets an apostrophe. */
export function cellText(cell: ListedCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return PLAIN.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

/** Returns the text that `cellText` was given, of a cell without its quotes. */
export const withoutGuard = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
