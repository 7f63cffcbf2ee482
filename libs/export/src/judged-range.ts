import type { JudgedTaker, RangeShoe } from '#audit';
import {
  JUDGED_FILES,
  type JudgedFile,
  type JudgedLines,
  type PackageStatement,
  type Replay,
} from '#evidence';
import { ExportRefusal } from './refusal.js';
import type { TableRange } from './table-range.js';

/** The lines that judging a range makes, by file. */
export type JudgedRangeLines = Readonly<Record<JudgedFile, readonly string[]>>;

/** What judging the range of one table came to. */
export interface JudgedRangeOfTable {
  readonly lines: JudgedRangeLines;
  readonly warnings: readonly string[];
  /** The shoes that left reach, so that the rows can say nothing else of them. */
  readonly finished: readonly RangeShoe[];
  /** The ids of the findings that are listed. */
  readonly findings: ReadonlySet<string>;
}

/** What a range is judged by. */
export interface JudgingParts {
  readonly replay: (taker: JudgedTaker) => Replay;
  /** The statement of the package, without its tables. */
  readonly statement: Omit<PackageStatement, 'tables' | 'rules'>;
  readonly documents: ReadonlyMap<string, Uint8Array>;
  /** Whether lines that the judges do not take are left to the verifier. */
  readonly isTolerant: boolean;
}

/** Judges the range of one table as the verifier does. */
export async function judgeTable(
  range: TableRange,
  { replay, statement, documents, isTolerant }: JudgingParts,
): Promise<JudgedRangeOfTable> {
  const finished: RangeShoe[] = [];
  const findings = new Set<string>();
  const taker: JudgedTaker = {
    shoe: (judged) => {
      if (judged.leftReach) finished.push(judged);
      for (const { id } of judged.findings) findings.add(id);
    },
    outside: ({ id }) => void findings.add(id),
    unlisted: () => undefined,
  };
  const { entry, log } = range;
  const { first, end, context } = range.range;
  const judging = replay(taker).open({ ...statement, tables: [entry], rules: [] }, documents);
  const table = judging.begin(entry);
  for (const n of context) table.context(n, (await log.one(n)).value);
  let n = first;
  for await (const records of log.stored(first, end))
    for (const { value } of records) {
      const [fault] = table.record(n, value);
      if (fault && !isTolerant)
        throw new ExportRefusal(
          'not-judged',
          `line ${fault.line + 1} of record ${n} of table ${entry.table}: ${fault.why}`,
        );
      n += 1;
    }
  table.end();
  const { warnings } = judging.end();
  return { lines: linesOf(judging.take()), warnings, finished, findings };
}

const linesOf = (made: JudgedLines): JudgedRangeLines => ({
  'findings.ndjson': made['findings.ndjson'] ?? [],
  'unjudgeable.ndjson': made['unjudgeable.ndjson'] ?? [],
  'commission.csv': made['commission.csv'] ?? [],
  'shoes.csv': made['shoes.csv'] ?? [],
  'days.csv': made['days.csv'] ?? [],
});

/** Returns the lines of several tables in their order, with the heading of each CSV file once. */
export function joinedLines(tables: readonly JudgedRangeLines[]): JudgedRangeLines {
  const joined = (file: JudgedFile): string[] =>
    tables.flatMap((lines, i) => lines[file].slice(i > 0 && file.endsWith('.csv') ? 1 : 0));
  return linesOf(Object.fromEntries(JUDGED_FILES.map((file) => [file, joined(file)])));
}
