import { withoutGuard, type Finding } from '#audit';
import type { CellValue } from '#sheets';
import type { JudgedRangeLines } from '../judged-range.js';

/** A list of a report: its name, its columns and its rows. */
export interface ReportList {
  readonly name: 'findings' | 'shoes' | 'commission' | 'days';
  readonly headings: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}

const FINDING_COLUMNS: Readonly<Record<string, (finding: Finding) => CellValue | undefined>> = {
  code: ({ code }) => code,
  severity: ({ severity }) => severity,
  table: ({ table }) => table,
  shoe: ({ shoe }) => shoe,
  coup: ({ coup }) => coup,
  seat: ({ seat }) => seat,
  bet: ({ bet }) => bet,
  rules: ({ rules }) => rules,
  expected: ({ expected }) => expected,
  observed: ({ observed }) => observed,
  message: ({ message }) => message,
  amount: ({ impact }) => impact?.amount,
  currency: ({ impact }) => impact?.currency,
  favours: ({ impact }) => impact?.favours,
  void: ({ void: isVoid }) => (isVoid ? 'yes' : 'no'),
  remedied: ({ remedied }) => (remedied ? 'yes' : 'no'),
  explainedBy: ({ explainedBy }) => explainedBy,
  id: ({ id }) => id,
};

/** Returns the lists of what was judged. The finding that a package is about comes first. */
export function listsOf(lines: JudgedRangeLines, finding: string | undefined): ReportList[] {
  const found = lines['findings.ndjson'].map((line) => JSON.parse(line) as Finding);
  const first = found.filter(({ id }) => id === finding);
  const others = found.filter(({ id }) => id !== finding);
  return [
    {
      name: 'findings',
      headings: Object.keys(FINDING_COLUMNS),
      rows: [...first, ...others].map((each) =>
        Object.values(FINDING_COLUMNS).map((cell) => cell(each) ?? null),
      ),
    },
    csvList('shoes', lines['shoes.csv']),
    csvList('commission', lines['commission.csv']),
    csvList('days', lines['days.csv']),
  ];
}

function csvList(
  name: ReportList['name'],
  [heading = '', ...lines]: readonly string[],
): ReportList {
  return { name, headings: heading.split(','), rows: lines.map(cellsOf) };
}

const CELL = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g;
const NUMBER = /^(?:0|-?[1-9]\d{0,15})$/;

/** Returns the cells of a line as `RangeListing` writes it. */
function cellsOf(line: string): CellValue[] {
  return Array.from(line.matchAll(CELL), ([, quoted, plain = '']) => {
    if (quoted !== undefined) return withoutGuard(quoted.replaceAll('""', '"'));
    if (plain === '') return null;
    return NUMBER.test(plain) ? Number(plain) : withoutGuard(plain);
  });
}
