import { strToU8, Zip, ZipDeflate } from 'fflate';
import { excerpt } from '#process';
import type { CellValue, SheetWriter } from './sheet.js';

/** The most UTF-16 units that a spreadsheet takes in a cell (ECMA-376, 18.18.93: 32,767). */
const CELL_MAX = 32_766;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts of a workbook beside its sheet. They are the same for every workbook. */
const PARTS = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Shoeprint" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/**
 * Writes an Office Open XML workbook (ECMA-376) of one sheet, a slice at a time, so it holds no
 * more than that. Numbers are numbers. Texts are strings whatever they begin with: a cell never has
 * a formula. A text over 32,766 characters is cut, because no spreadsheet opens a longer one. The
 * same rows make the same bytes.
 */
export class XlsxWriter implements SheetWriter {
  private written: Uint8Array[] = [];
  private rows = 0;
  private readonly zip = new Zip((error, bytes) => {
    if (error) throw error;
    this.written.push(bytes);
  });
  /** Level 1 takes half the time of the default, and the process also records events. */
  private readonly sheet = dated(new ZipDeflate('xl/worksheets/sheet1.xml', { level: 1 }));

  begin(headings: readonly string[]): Uint8Array {
    for (const [name, text] of Object.entries(PARTS)) {
      const part = dated(new ZipDeflate(name));
      this.zip.add(part);
      part.push(strToU8(XML + text), true);
    }
    this.zip.add(this.sheet);
    this.sheet.push(strToU8(`${XML}<worksheet xmlns="${MAIN}"><sheetData>`));
    return this.add([headings]);
  }

  add(rows: readonly (readonly CellValue[])[]): Uint8Array {
    this.sheet.push(strToU8(rows.map((cells) => this.row(cells)).join('')));
    return this.taken();
  }

  end(): Uint8Array {
    this.sheet.push(strToU8('</sheetData></worksheet>'), true);
    this.zip.end();
    return this.taken();
  }

  private row(cells: readonly CellValue[]): string {
    this.rows += 1;
    const inner = cells.map((cell, at) => cellOf(cell, `${columnName(at)}${this.rows}`));
    return `<row r="${this.rows}">${inner.join('')}</row>`;
  }

  /** Returns what was written since the last time. */
  private taken(): Uint8Array {
    const bytes = Buffer.concat(this.written);
    this.written = [];
    return bytes;
  }
}

/** The earliest time that a zip can hold, in the zone of the machine, as zip times are. */
const EARLIEST = new Date(1980, 0, 1);

/** Gives an entry a time that does not depend on a clock. */
const dated = (entry: ZipDeflate): ZipDeflate => Object.assign(entry, { mtime: EARLIEST });

function cellOf(cell: CellValue, place: string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  const text = escaped(excerpt(cell, CELL_MAX));
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** Returns the letters of a column, from 0: A to Z, then AA. */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** What XML cannot hold or would change, and a text that reads like the escape of it. */

const UNFIT = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns a text as XML. What XML cannot hold is `_x001F_` (ECMA-376, 22.4.2.4). */
const escaped = (text: string): string =>
  text
    .replace(
      UNFIT,
      (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (sign) => MARKUP[sign] as string);
