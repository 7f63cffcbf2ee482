import { utf8Of } from '#evidence';
import { csvWriter, XlsxWriter } from '#sheets';
import type { ExportFormat, Scope } from '../asked.js';
import type { JudgedRangeLines } from '../judged-range.js';
import { listsOf, type ReportList } from './lists.js';

/** What reports are made from. */
export interface Reported {
  /** The id of the package. */
  readonly id: string;
  /** The note of the checkpoint. */
  readonly checkpoint: string;
  readonly scope: Scope;
  readonly lines: JudgedRangeLines;
}

/** Says what the reports are, a line of the file each. */
const ABOUT = [
  'These reports are for reading. They are derived from data/findings.ndjson, data/shoes.csv,',
  'data/commission.csv and data/days.csv, which a verifier computes again from the records. A',
  'verifier checks that a report is the file that the house packed, and computes no report again.',
  'Amounts are in minor units of their currency, such as cents.',
];

/** Returns the reports of a package by their names in data/reports, the same for the same lines. */
export async function reportsOf(
  formats: readonly ExportFormat[],
  { id, checkpoint, scope, lines }: Reported,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const reports = new Map<string, Uint8Array>();
  if (formats.length === 0) return reports;
  reports.set('README.txt', utf8Of(`${ABOUT.join('\n')}\n`));
  const lists = listsOf(lines, scope.finding);
  for (const format of formats)
    if (format === 'pdf') {
      // Its libraries take longer to load than most commands run, so only pages load them.
      const { pdfOf } = await import('./pdf.js');
      reports.set(
        'report.pdf',
        await pdfOf({
          ...{ title: `Evidence package ${id}`, scope: scopeText(scope), checkpoint, lists },
          about: ABOUT.join(' '),
        }),
      );
    } else for (const list of lists) reports.set(`${list.name}.${format}`, fileOf(list, format));
  return reports;
}

/** Returns in words what a package is about. */
function scopeText({ kind, table, shoe, finding, day, from, to }: Scope): string {
  const days = from === undefined ? `gaming day ${day}` : `gaming days ${from} to ${to}`;
  if (kind === 'finding') return `Finding ${finding} with its shoe`;
  if (kind === 'shoe') return `Shoe ${shoe} of table ${table}`;
  if (kind === 'table') return `Table ${table}, all that is sealed`;
  return table === undefined ? `All tables, ${days}` : `Table ${table}, ${days}`;
}

function fileOf({ headings, rows }: ReportList, format: 'csv' | 'xlsx'): Uint8Array {
  const writer = format === 'csv' ? csvWriter(true) : new XlsxWriter();
  const parts = [writer.begin(headings), writer.add(rows), writer.end()];
  return Uint8Array.from(Buffer.concat(parts));
}
