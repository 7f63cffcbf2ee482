import { sameBytes } from '../bytes.js';
import { Frontier } from '../tree/merkle.js';
import { readBag, verifyFiles } from './bag.js';
import { verifyFileSet, verifyRange, verifyShoes } from '../package/complete.js';
import { Examination, type Platform } from './examination.js';
import { TAG_FILES } from '../package/bag-files.js';
import { packageForm, sinceForm, siteProofForm } from '../package/files.js';
import type { PackageStatement, Since } from '../package/files.js';
import { verifyHistory } from './history.js';
import { PackageReader } from '../package/reading.js';
import { judgeAgain, type JudgedAgain, type Replay } from '../package/replay.js';
import { Findings, type PackageFault, type Verdict } from '../package/report.js';
import { verifySeals, type Seals } from './seals.js';
import { verifyReceipt, verifySignatures, type Signed, type Trust } from './signatures.js';
import { SITE_FILES } from '../package/site-files.js';
import type { PackageSource } from '../package/source.js';
import { TableHeads } from './table-heads.js';
import { TableCheck, type CheckedTable } from './table-records.js';

/** What the verifier says of a package. */
export interface PackageReport {
  readonly verdict: Verdict;
  /** The first is the first bad position. */
  readonly faults: readonly PackageFault[];
  readonly warnings: readonly string[];
  /** Undefined if data/package.json cannot be read. */
  readonly statement: PackageStatement | undefined;
  readonly counts: PackageCounts;
  /** How many seals the range has. */
  readonly sealsDue: number;
  /** The log key that signed, as a vkey, and whether the reader trusts it. */
  readonly key: { readonly vkey: string; readonly isTrusted: boolean } | undefined;
  readonly cosigned: readonly { readonly name: string; readonly time: number }[];
  /** The sizes of the reader's checkpoints since which the log and its tables only grew. */
  readonly grownSince: readonly number[];
  /** The times of the seals with which the range begins and ends; none before the first record. */
  readonly sealed: {
    readonly after: string | undefined;
    readonly to: string | undefined;
  };
  /** Undefined if the records were not judged again. */
  readonly judgement: JudgedAgain | undefined;
}

/** How much was checked. */
export interface PackageCounts {
  readonly tables: number;
  readonly records: number;
  readonly events: number;
  readonly seals: number;
  /** All faults. The report lists the first of them. */
  readonly faults: number;
}

/**
 * Verifies a package: that its files are whole, that the log of a key which the reader trusts holds
 * its records, all of them and nothing else, and that the same rules make the same findings of
 * them. Steps 1 to 8 all run, as far as they can. Never throws for bad input.
 */
export async function verifyPackage(
  source: PackageSource,
  trust: Trust,
  replay: Replay | undefined,
  platform: Platform,
): Promise<PackageReport> {
  const found = new Findings();
  const exam = new Examination(new PackageReader(source, platform.startSha256), platform, found);
  return exam.reader.closing(() => new Verification(exam, trust, replay).run());
}

class Verification {
  private readonly counts = { tables: 0, records: 0, events: 0, seals: 0 };
  private sealsDue = 0;
  private signed: Signed | undefined;
  private seals: Seals | undefined;
  private judgement: JudgedAgain | undefined;
  private readonly grownSince: number[] = [];

  constructor(
    private readonly exam: Examination,
    private readonly trust: Trust,
    private readonly replay: Replay | undefined,
  ) {}

  async run(): Promise<PackageReport> {
    const { exam } = this;
    const bag = await readBag(exam);
    if (!exam.reader.has(SITE_FILES.statement))
      exam.found.add(1, 'unreadable', 'not a package: it has no data/package.json');
    const statement = bag.isBounded ? await this.readStatement() : undefined;
    if (statement) await this.verifyContent(statement);
    await verifyFiles(exam, bag);
    if (statement && bag.id !== statement.id)
      exam.altered(2, `it is not of package ${statement.id}`, { file: TAG_FILES.info });
    if (statement && this.signed) await verifyReceipt(exam, statement, this.signed);
    return this.report(statement);
  }

  private report(statement: PackageStatement | undefined): PackageReport {
    const { found } = this.exam;
    const { signed, seals } = this;
    return {
      verdict: found.verdict,
      faults: found.faults,
      warnings: [...new Set([...(statement?.warnings ?? []), ...found.warnings])],
      statement,
      counts: { ...this.counts, faults: found.faultCount },
      sealsDue: this.sealsDue,
      key:
        signed?.key === undefined ? undefined : { vkey: signed.key, isTrusted: signed.isTrusted },
      cosigned: signed?.cosigned ?? [],
      grownSince: this.grownSince,
      sealed: {
        after: statement?.range.after === null ? undefined : seals?.range[0]?.time,
        to: seals?.range.at(-1)?.time,
      },
      judgement: this.judgement,
    };
  }

  /** Reads data/package.json. A package without one, or of another format, is unreadable. */
  private async readStatement(): Promise<PackageStatement | undefined> {
    const { exam } = this;
    const file = SITE_FILES.statement;
    try {
      const statement = await exam.reader.json(file, packageForm);
      if (exam.reader.source.folder !== statement.id && exam.reader.source.folder !== ANY_FOLDER)
        exam.altered(1, `the folder is ${exam.reader.source.folder}, not ${statement.id}`);
      return statement;
    } catch (error) {
      if (!(error instanceof Error) || !IN_FILE.includes(error.name)) throw error;
      const message = `not a package of a known format: ${error.message}`;
      exam.found.add(1, 'unreadable', message, { file });
      return undefined;
    }
  }

  private async verifyContent(statement: PackageStatement): Promise<void> {
    const { exam, trust } = this;
    verifyFileSet(exam, statement);
    const { proof: file, since: sinceFile } = SITE_FILES;
    const proof = await exam.attempt(3, file, () => exam.reader.json(file, siteProofForm));
    const since = await exam.attempt(4, sinceFile, () => exam.reader.json(sinceFile, sinceForm));
    const keys = proof?.keys;
    const signed = await exam.attempt(3, file, () =>
      verifySignatures(exam, statement, keys, trust),
    );
    this.signed = signed;
    if (!signed || !proof) return;
    const { after, to } = statement.range;
    const others = proof.keys.filter(({ index }) => index >= (after ?? 0) && index <= to);
    this.sealsDue = Math.max(0, to - (after ?? 0) + 1 - others.length);
    const sizes = new Set(trust.checkpoints.map(({ size }) => size));
    const sources = { checkpoint: signed.checkpoint, proof, since, sizes };
    const seals = await exam.attempt(5, file, () => verifySeals(exam, statement, sources));
    this.seals = seals;
    if (!seals) return;
    verifySinceTables(exam, statement, since ?? []);
    this.counts.seals = seals.range.length;
    const tables = await this.verifyTables(statement, seals, since ?? []);
    await exam.attempt(4, file, () => this.verifyTrusted(statement, seals, since ?? []));
    verifyRange(exam, statement, seals, tables);
    if (this.judgement) verifyShoes(exam, statement, this.judgement, tables);
  }

  private async verifyTables(
    statement: PackageStatement,
    seals: Seals,
    since: Since,
  ): Promise<CheckedTable[]> {
    const { exam, replay } = this;
    const { statement: file } = SITE_FILES;
    const all = statement.all ? new AllHeads(exam, seals) : undefined;
    const takeHead = all && ((...head: Parameters<typeof all.take>) => all.take(...head));
    const checked: CheckedTable[] = [];
    const judging = await judgeAgain(exam, statement, replay);
    const numbers = statement.tables.map(({ number }) => number);
    if (numbers.some((number, i) => number <= (numbers[i - 1] ?? -1)))
      exam.altered(6, 'the tables are not in the order of their numbers', { file });
    for (const entry of statement.tables) {
      const taker = judging?.begin(entry);
      const check = new TableCheck(exam, entry, { statement, seals, takeHead, taker });
      const table = await exam.attempt(6, file, () => check.run());
      this.counts.tables += 1;
      this.counts.records += check.records;
      this.counts.events += check.events;
      if (!table) judging?.cut();
      await taker?.end();
      if (!table) continue;
      checked.push(table);
      await exam.attempt(4, SITE_FILES.since, () => checkSince(check.heads, table, seals, since));
    }
    if (checked.length === statement.tables.length) all?.end();
    this.judgement = await judging?.end();
    return checked;
  }

  private verifyTrusted(statement: PackageStatement, seals: Seals, since: Since): void {
    const { exam, trust, signed } = this;
    if (!signed) return;
    const sources = {
      checkpoint: signed.checkpoint,
      roots: seals.roots,
      range: { from: statement.range.after ?? 0, to: statement.range.to },
      sizesShown: sizesShown(statement, seals, since),
    };
    for (const held of trust.checkpoints)
      if (verifyHistory(exam, held, sources)) this.grownSince.push(held.size);
  }
}

/** Errors of a file that make it no package. */
const IN_FILE = ['FileFault', 'FileMissing', 'FormatFault', 'FormFault'];
/** What a folder reader calls the folder, which may have any name on a disk. */
export const ANY_FOLDER = 'package';

/** Checks that the heads at each checkpoint of the recipient are of tables of the package, once. */
function verifySinceTables(exam: Examination, { tables }: PackageStatement, since: Since): void {
  const at = { file: SITE_FILES.since };
  const known = new Set(tables.map(({ number }) => number));
  for (const { size, tables: heads } of since) {
    const numbers = new Set(heads.map(({ number }) => number));
    if (numbers.size < heads.length || ![...numbers].every((number) => known.has(number)))
      exam.altered(4, `size ${size} has a table twice, or one that is not in the package`, at);
  }
}

/** Checks the heads of a table at checkpoints that the recipient holds. */
function checkSince(heads: TableHeads, table: CheckedTable, seals: Seals, since: Since): void {
  for (const { size, tables } of since) {
    const seal = seals.since.get(size);
    const head = tables.find(({ number }) => number === table.entry.number);
    if (seal && head) heads.checkSince(head, seal, table.latest);
  }
}

/** Returns the sizes of checkpoints for which since.json has every table that had a head then. */
function sizesShown(statement: PackageStatement, seals: Seals, since: Since): Set<number> {
  const shown = since.filter(({ size, seal, tables }) => {
    const state = seals.since.get(size);
    const numbers = new Set(tables.map(({ number }) => number));
    return (
      state !== undefined &&
      seal.index === size - 1 &&
      statement.tables.every(({ number }) => number >= state.tables || numbers.has(number))
    );
  });
  return new Set(shown.map(({ size }) => size));
}

/** The heads of all tables at each seal of the range, where all tables are in the package. */
class AllHeads {
  private readonly sums;

  constructor(
    private readonly exam: Examination,
    private readonly seals: Seals,
  ) {
    const none = () => ({ heads: new Frontier(exam.platform.sha256), records: 0 });
    this.sums = seals.range.map(none);
  }

  /** Takes the head of the next table at the `at`-th seal. */
  take(at: number, leaf: Uint8Array, size: number): void {
    const sum = this.sums[at];
    sum?.heads.append(leaf);
    if (sum) sum.records += size;
  }

  /** Checks that the heads are those of the seals, and that their sizes are all that was sealed. */
  end(): void {
    for (const [i, { number: seal, heads, next }] of this.seals.range.entries()) {
      const sum = this.sums[i];
      const at = { file: SITE_FILES.leaves, seal };
      const all = next.reduce((records, offset) => records + offset, 0);
      const differs = `seal ${seal} has ${all} records, and its tables ${sum?.records}`;
      if (!sum || !sameBytes(sum.heads.root(), heads))
        this.exam.altered(6, `the tables are not those of seal ${seal}`, at);
      else if (sum.records !== all) this.exam.altered(7, differs, at);
    }
  }
}
