import { hexOf } from '../bytes.js';
import type { Examination } from '../checks/examination.js';
import type { PackageStatement, RecordLine } from './files.js';
import { FileFault, type Lines } from './reading.js';
import type { Position } from './report.js';
import { tableFile } from './site-files.js';
import type { TableEntry } from '../checks/table-heads.js';

/** The files that judging makes, each a list of lines. */
export const JUDGED_FILES = [
  'findings.ndjson',
  'unjudgeable.ndjson',
  'commission.csv',
  'shoes.csv',
  'days.csv',
] as const;
/** A file that judging makes. */
export type JudgedFile = (typeof JUDGED_FILES)[number];
/** Lines that judging has made since it was last asked, by file. They can no longer change. */
export type JudgedLines = Partial<Readonly<Record<JudgedFile, readonly string[]>>>;

/** A shoe that was opened in the range. */
export interface ReplayedShoe {
  readonly table: string;
  readonly shoe: string;
  readonly isClosed: boolean;
  /** Whether no correction can reach it any more. */
  readonly hasLeftReach: boolean;
}

/** The opening of a shoe in the range. */
export interface ShoeOpening {
  readonly shoe: string;
  /** The record that admits it. */
  readonly record: number;
}

/** What judging came to. */
export interface Judgement {
  readonly findings: number;
  /** Sessions of devices, and those of them with a hole, each of which is a finding. */
  readonly sessions: number;
  readonly sessionsWithHole: number;
  /** Those that are listed. */
  readonly shoes: readonly ReplayedShoe[];
  /** All openings of each table at which shoes are played, in their order. */
  readonly openings: ReadonlyMap<string, readonly ShoeOpening[]>;
  /** Tables whose judging ended at a line that the judges cannot take. */
  readonly parked: readonly StoppedTable[];
  readonly warnings: readonly string[];
}

/** What judging again came to. */
export interface JudgedAgain extends Judgement {
  /** The findings that the package lists too. */
  readonly same: number;
}

/** A table whose judging ended early. */
export interface StoppedTable {
  readonly table: string;
  /** The record that was not judged, and the last one of the range. */
  readonly record: number;
  readonly last: number;
}

/** Judges records under the rule documents of a package. It is handed in, so that this library knows no game. */
export interface Replay {
  /** The version of its verdicts. */
  readonly fold: number;
  /** Hashes of the published documents by id, such as `punto-banco@1` and `policies/review@1`. */
  readonly published: Readonly<Record<string, string>>;
  /** Begins to judge under these documents, by id. Throws `ReplayFault` for one that it cannot read. */
  open(statement: PackageStatement, documents: ReadonlyMap<string, Uint8Array>): Judging;
}

/** Thrown for what cannot be judged. */
export class ReplayFault extends Error {
  override readonly name = 'ReplayFault';
}

/** The judging of one package. */
export interface Judging {
  begin(entry: TableEntry): TableJudging;
  /** Returns the lines that are ready. */
  take(): JudgedLines;
  /** Ends the package. `take` then returns the last lines. */
  end(): Judgement;
}

/** What is wrong with a line of a record, by its index. */
export interface LineFault {
  readonly line: number;
  readonly why: string;
}

/** The seal that covers a record. */
export interface CoveringSeal {
  /** Its time, by the sealer's clock: `2026-11-20T12:01:04Z`. */
  readonly time: string;
  /** Whether no earlier seal covers the record, as far as the package shows. */
  readonly isFirst: boolean;
  /** The gaming day that the record was sealed with, if the package has the seal that closes it. */
  readonly day: string | undefined;
}

/** The judging of one table of a package. */
export interface TableJudging {
  /** Takes a record before the range. These come first. */
  context(n: number, value: Uint8Array): void;
  /** Takes a record of the range. Returns what is wrong with its lines, by their index. */
  record(n: number, value: Uint8Array, seal?: CoveringSeal): readonly LineFault[];
  /** Takes a record after the range. */
  later(n: number, value: Uint8Array): void;
  end(): void;
}

/** Returns the path of a rule document in a package. */
export const ruleFile = (id: string): string => `data/rules/${id}.json`;

/**
 * Begins to judge a package again, and to compare. Returns undefined if it cannot be judged: the
 * fault is noted.
 */
export async function judgeAgain(
  exam: Examination,
  statement: PackageStatement,
  replay: Replay | undefined,
): Promise<JudgingAgain | undefined> {
  const documents = await readDocuments(exam, statement, replay);
  if (!replay)
    exam.found.add(
      8,
      'incomplete',
      'the findings were not recomputed: this verifier has no judges',
    );
  if (!replay || !documents) return undefined;
  const { fold, version } = statement.software;
  if (fold !== replay.fold) {
    exam.found.add(
      8,
      'incomplete',
      `the findings were not recomputed: version ${fold} of the judges made them, and this verifier has version ${replay.fold}; take the verifier of shoeprint ${version}`,
    );
    return undefined;
  }
  try {
    return new JudgingAgain(exam, replay.open(statement, documents));
  } catch (error) {
    if (!(error instanceof ReplayFault)) throw error;
    exam.altered(8, error.message);
    return undefined;
  }
}

/** Largest rule document in bytes. */
const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;

async function readDocuments(
  exam: Examination,
  { rules }: PackageStatement,
  replay: Replay | undefined,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const documents = new Map<string, Uint8Array>();
  for (const { id, sha256 } of rules) {
    const file = ruleFile(id);
    await exam.attempt(8, file, async () => {
      const bytes = await exam.reader.bytes(file, DOCUMENT_BYTES_MAX);
      if (hexOf(await exam.reader.digest(file)) !== sha256)
        throw new FileFault('the document differs from its hash in package.json');
      documents.set(id, bytes);
    });
    const published = replay?.published[id];
    if (replay && published === undefined)
      exam.found.addWarning(`${id} is not in the list of published documents of this verifier`);
    else if (published !== undefined && published !== sha256)
      exam.altered(8, `${id} is not the published document of that name`, { file });
  }
  return documents.size === rules.length ? documents : undefined;
}

/** Judges the records of a package and compares what that makes with the files. */
export class JudgingAgain {
  private readonly files;
  private readonly differing = new Set<JudgedFile>();
  private findings = 0;
  private same = 0;
  /** Whether records are missing that judging needs: then nothing can be compared. */
  private isCut = false;

  constructor(
    private readonly exam: Examination,
    private readonly judging: Judging,
  ) {
    this.files = new Map<JudgedFile, Lines>(
      JUDGED_FILES.map((file) => [file, exam.reader.lines(`data/${file}`)]),
    );
  }

  /** Begins a table. */
  begin(entry: TableEntry): TableAgain {
    return new TableAgain(this.exam, this, entry, this.judging.begin(entry));
  }

  /** Ends comparing, where the records of a table could not be read to their end. */
  cut(): void {
    this.isCut = true;
  }

  /** Compares the lines that are ready with those of the files. */
  async compare(): Promise<void> {
    const made = this.judging.take();
    if (this.isCut) return;
    for (const [file, lines] of this.files)
      // a quoted cell of CSV can go on in the next line of the file
      for (const line of made[file] ?? [])
        for (const part of line.split('\n')) await this.compareLine(file, lines, part);
  }

  private async compareLine(file: JudgedFile, lines: Lines, due: string): Promise<void> {
    if (file === 'findings.ndjson') this.findings += 1;
    if (this.differing.has(file)) return;
    const path = `data/${file}`;
    const found = await this.exam.attempt(8, path, async () => ({ line: await lines.next() }));
    if (found?.line === due) {
      if (file === 'findings.ndjson') this.same += 1;
      return;
    }
    this.differing.add(file);
    if (!found) return;
    const step = file.endsWith('.csv') ? 7 : 8;
    const message =
      found.line === undefined
        ? `ends before ${shortened(due)}`
        : `the records make another line: ${shortened(due)}`;
    this.exam.altered(step, message, {
      file: path,
      line: lines.number + (found.line === undefined ? 1 : 0),
    });
  }

  /** Ends the package: no file may go on. */
  async end(): Promise<JudgedAgain | undefined> {
    const judgement = this.judging.end();
    if (this.isCut) return undefined;
    await this.compare();
    for (const [file, lines] of this.files) {
      if (this.differing.has(file)) continue;
      const path = `data/${file}`;
      await this.exam.attempt(8, path, async () => {
        if ((await lines.next()) !== undefined)
          throw new FileFault('the records do not make this line', lines.number);
      });
    }
    for (const warning of judgement.warnings) this.exam.found.addWarning(warning);
    return { ...judgement, findings: this.findings, same: this.same };
  }
}

const shortened = (line: string): string => (line.length > 200 ? `${line.slice(0, 200)}…` : line);

/** Judges the records of one table while they are checked. */
export class TableAgain {
  private hasFailed = false;

  constructor(
    private readonly exam: Examination,
    private readonly package_: JudgingAgain,
    private readonly entry: TableEntry,
    private readonly judging: TableJudging,
  ) {}

  /** Takes a record before the range. */
  context(n: number, value: Uint8Array): void {
    this.guarded({ record: n, file: tableFile(this.entry.number, 'context.ndjson') }, () =>
      this.judging.context(n, value),
    );
  }

  /**
   * Takes a record of the range, which a seal covers. `firstLine` is the number of its first line
   * in events.ndjson.
   */
  record(row: RecordLine, value: Uint8Array, seal: CoveringSeal, firstLine: number): void {
    if (this.hasFailed) return;
    try {
      for (const { line, why } of this.judging.record(row.n, value, seal))
        this.altered(why, { ...this.placeOf(row), line: firstLine + line });
    } catch (error) {
      this.failed(error, this.placeOf(row));
    }
  }

  /** Takes a record after the range. */
  later(n: number, value: Uint8Array): void {
    this.guarded({ record: n, file: tableFile(this.entry.number, 'later.ndjson') }, () =>
      this.judging.later(n, value),
    );
  }

  /** Compares what is ready, so that it need not be kept. */
  compare(): Promise<void> {
    return this.package_.compare();
  }

  /** Ends the table. */
  async end(): Promise<void> {
    this.guarded({}, () => this.judging.end());
    await this.package_.compare();
  }

  /** Judges no more of a table after a record that the judges do not take. */
  private guarded(at: Position, work: () => void): void {
    if (this.hasFailed) return;
    try {
      work();
    } catch (error) {
      this.failed(error, at);
    }
  }

  private failed(error: unknown, at: Position): void {
    if (!(error instanceof ReplayFault)) throw error;
    this.hasFailed = true;
    this.altered(error.message, at);
  }

  private altered(message: string, at: Position): void {
    this.exam.altered(8, message, { ...at, table: this.entry.table });
  }

  private placeOf({ n, partition, offset }: RecordLine): Position {
    const file = tableFile(this.entry.number, 'events.ndjson');
    return { record: n, partition, offset, file };
  }
}
