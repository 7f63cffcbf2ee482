import { strFromU8, unzipSync } from 'fflate';

/** A workbook as its reader sees it: the names of its parts, and its sheet as XML and as cells. */
export interface Workbook {
  readonly parts: readonly string[];
  readonly xml: string;
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/**
 * Reads a workbook of one sheet by the letter of ECMA-376. Throws for a cell that is neither a
 * number nor a string, which a formula would be.
 */
export function workbookOf(file: Uint8Array): Workbook {
  const parts = unzipSync(file);
  const xml = strFromU8(parts['xl/worksheets/sheet1.xml'] as Uint8Array);
  const inner = /<sheetData>(.*)<\/sheetData><\/worksheet>$/s.exec(xml)?.[1] ?? '';
  return { parts: Object.keys(parts), xml, rows: piecesOf(inner, ROW).map(rowOf) };
}

const ROW = /<row r="(\d+)">(.*?)<\/row>/suy;
const CELL =
  /<c r="([A-Z]+)(\d+)"(?:><v>([^<]*)<\/v>| t="inlineStr"><is><t xml:space="preserve">([^<]*)<\/t><\/is>)<\/c>/suy;

function piecesOf(text: string, form: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (form.lastIndex = 0; form.lastIndex < text.length;) {
    const at = form.lastIndex;
    const piece = form.exec(text);
    if (!piece) throw new Error(`cannot read ${JSON.stringify(text.slice(at, at + 100))}`);
    found.push(piece);
  }
  return found;
}

function rowOf([, number, inner = '']: RegExpExecArray): (string | number | null)[] {
  const cells: (string | number | null)[] = [];
  for (const [, letters = '', row, value, text] of piecesOf(inner, CELL)) {
    if (row !== number) throw new Error(`a cell of row ${row} is in row ${number}`);
    const column = [...letters].reduce((at, letter) => at * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    if (column < cells.length) throw new Error(`column ${letters} comes too late`);
    while (cells.length < column) cells.push(null);
    cells.push(value === undefined ? textOf(text ?? '') : Number(value));
  }
  return cells;
}

/** Returns a text as a spreadsheet shows it. */
const textOf = (xml: string): string =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
