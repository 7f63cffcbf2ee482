import pdfmake, { type Cell, type Content } from 'pdfmake';
import type { CellValue } from '#sheets';
import { FONT_NAMES, fontFile, runsOf } from './fonts.js';
import type { ReportList } from './lists.js';

/** What a report in pages says beside its lists. */
export interface Pages {
  readonly title: string;
  /** Says what the package is about. */
  readonly scope: string;
  /** The note of the checkpoint, printed on the first page as a QR code. */
  readonly checkpoint: string;
  /** Says what the report is. */
  readonly about: string;
  readonly lists: readonly ReportList[];
}

/** The columns that fit on a page, by list. */
const SHOWN: Readonly<Partial<Record<ReportList['name'], readonly string[]>>> = {
  findings: ['code', 'severity', 'shoe', 'coup', 'seat', 'expected', 'observed', 'message'],
  shoes: ['shoe', 'rules', 'openedAt', 'closedAt', 'state', 'coups', 'cards', 'findings'],
};

/** Text of a cell that a page has room for. */
const CELL_MAX = 2_000;

/** A date that no clock gives, so that the same report has the same bytes. */
const DATE = new Date('1980-01-01T00:00:00Z');

let areFontsSet = false;

/** Lets pdfmake read its fonts and nothing else. */
function setFonts(): void {
  if (areFontsSet) return;
  const files = FONT_NAMES.map((name) => [name, { normal: fontFile(name) }] as const);
  pdfmake.setFonts(Object.fromEntries(files));
  const allowed = new Set(files.map(([, { normal }]) => normal));
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path: string) => allowed.has(path));
  areFontsSet = true;
}

/** Returns a report as PDF/A-3b, not compressed: the zip packs it the same on every machine. */
export async function pdfOf({
  title,
  scope,
  checkpoint,
  about,
  lists,
}: Pages): Promise<Uint8Array> {
  setFonts();
  const content: Content[] = [
    { text: runsOf(title), style: 'title' },
    { text: runsOf(scope), style: 'heading' },
    { text: runsOf(about), margin: [0, 4, 0, 8] },
    { columns: [{ qr: checkpoint, fit: 110, eccLevel: 'L' }, { text: linesOf(checkpoint) }] },
    ...lists.flatMap((list) => contentOf(list)),
  ];
  const document = pdfmake.createPdf({
    ...{ content, pageOrientation: 'landscape', pageSize: 'A4', pageMargins: [28, 28, 28, 36] },
    ...{ compress: false, version: '1.7', subset: 'PDF/A-3b' },
    info: { title, creationDate: DATE, modDate: DATE, producer: 'shoeprint', creator: 'shoeprint' },
    defaultStyle: { font: 'Latin', fontSize: 8 },
    styles: { title: { fontSize: 14 }, heading: { fontSize: 11, margin: [0, 12, 0, 4] } },
    footer: (page, pages) => ({ text: `${page} / ${pages}`, alignment: 'center', margin: [0, 8] }),
  });
  return Uint8Array.from(await document.getBuffer());
}

/** Returns a text of several lines, each line in runs. */
const linesOf = (text: string) =>
  text.split('\n').flatMap((line) => [...runsOf(line), { text: '\n' }]);

function contentOf({ name, headings, rows }: ReportList): Content[] {
  const shown = SHOWN[name] ?? headings;
  const columns = shown.map((heading) => headings.indexOf(heading));
  const heading: Content = {
    text: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    style: 'heading',
  };
  if (rows.length === 0) return [heading, { text: 'none' }];
  const body: Cell[][] = [
    shown.map((each) => ({ text: each })),
    ...rows.map((cells) => columns.map((at) => cellOf(cells[at] ?? null))),
  ];
  const widths = shown.map((each) => (WIDE.includes(each) ? '*' : 'auto'));
  return [heading, { table: { headerRows: 1, widths, body }, layout: 'lightHorizontalLines' }];
}

/** The columns that take what room is left. */
const WIDE: readonly string[] = ['expected', 'observed', 'message'];

function cellOf(cell: CellValue): Cell {
  if (cell === null) return { text: '' };
  if (typeof cell === 'number') return { text: String(cell), alignment: 'right' };
  return { text: runsOf(cell.length > CELL_MAX ? `${cell.slice(0, CELL_MAX)}…` : cell) };
}
