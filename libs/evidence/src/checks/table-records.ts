import { joinBytes, sameBytes, utf8Of } from '../bytes.js';
import { headForm, provenRecordForm, tableProofForm } from '../package/files.js';
import type { PackageStatement, RecordLine, TableProof } from '../package/files.js';
import { hashesOf } from '../package/hashes.js';
import type { Lines } from '../package/reading.js';
import { checkOf, RecordBytes, RecordRows } from '../package/record-stream.js';
import type { CoveringSeal, TableAgain } from '../package/replay.js';
import type { Position } from '../package/report.js';
import { SITE_FILES, tableFile } from '../package/site-files.js';
import type { ProvenFile, TableFile } from '../package/site-files.js';
import { nameOfTable } from '../site/table-name.js';
import { leafHash, leafHashAfterSpare, subtreesOf, type Frontier } from '../tree/merkle.js';
import { verifyInclusion } from '../tree/proofs.js';
import type { Examination } from './examination.js';
import { frontierOf, type SealedState, type Seals } from './seals.js';
import { standOf, TableHeads, type Stand, type TableEntry } from './table-heads.js';
import { TableLines } from './table-lines.js';

/** What a table is checked against. */
export interface TableSources {
  readonly statement: PackageStatement;
  readonly seals: Seals;
  /** Takes the head of the table at each seal where all tables are in the package. */
  readonly takeHead: ((at: number, leaf: Uint8Array, size: number) => void) | undefined;
  readonly taker: TableAgain | undefined;
}

/** What was seen of a table. */
export interface CheckedTable {
  readonly entry: TableEntry;
  /** Its sizes at the seals of the range that it has a head at. */
  readonly sizes: readonly { readonly seal: number; readonly size: number }[];
  readonly latest: { readonly size: number; readonly root: Uint8Array };
  readonly records: number;
  readonly events: number;
}

/**
 * Checks the records of one table: that they are those that were sealed, from the first to the last
 * of the range, and that every line names the table.
 */
export class TableCheck {
  readonly heads: TableHeads;
  /** How much was checked. */
  records = 0;
  events = 0;
  private readonly lines: TableLines;
  private readonly sizes: { readonly seal: number; readonly size: number }[] = [];
  private readonly suspects: Suspect[] = [];
  /** Whether the computed root still can match a seal. */
  private isTied = true;
  private last: RecordLine | undefined;
  private seal: CoveringSeal | undefined;
  /** The offsets between which the next records were sealed, by partition. */
  private bounds: Bounds = { low: undefined, high: [] };

  constructor(
    private readonly exam: Examination,
    private readonly entry: TableEntry,
    private readonly sources: TableSources,
  ) {
    this.lines = new TableLines(entry.table, sources.statement.unjudged);
    this.heads = new TableHeads(exam, sources.statement.origin, entry);
  }

  /** Runs all checks of the table. Returns undefined if a fault ends them early. */
  async run(): Promise<CheckedTable | undefined> {
    const { exam, entry } = this;
    this.checkName();
    const at = this.at('proof.json');
    return exam.attempt(6, at, async () => {
      const proof = await exam.reader.json(at.file, tableProofForm);
      const frontier = frontierOf(exam, 6, entry.first, { hashes: proof.frontier, ...at });
      const claimed = await this.lastHead();
      if (claimed) await this.checkProven('context.ndjson', claimed);
      const { after, to } = await this.readRange(frontier, proof);
      const latest = this.checkLatest(proof, to);
      this.checkBefore(proof, after, to);
      await this.checkProven('later.ndjson', latest);
      return { entry, sizes: this.sizes, latest, records: this.records, events: this.events };
    });
  }

  /** Returns a place in a file of the table. */
  private at(name: TableFile, finer?: Finer): Position & { readonly file: string } {
    return { file: tableFile(this.entry.number, name), table: this.entry.table, ...finer };
  }

  private altered(message: string, name: TableFile, finer?: Finer): void {
    this.exam.altered(6, message, this.at(name, finer));
  }

  private checkName(): void {
    const { table, name, number, first } = this.entry;
    const { seals, statement } = this.sources;
    const at = { file: SITE_FILES.statement, table };
    if (nameOfTable(table) !== name || seals.names[number] !== name)
      this.exam.altered(6, `${name} is not the name of table number ${number}`, at);
    if (number >= (seals.range.at(-1)?.tables ?? 0) && !(statement.all && first === 0))
      this.exam.abandon(6, `no seal of the range has table number ${number}`, at);
  }

  /**
   * Returns the head at the last seal, as it is claimed. The records before the range are checked
   * against it, because judging needs them first; the range then shows whether it is true.
   */
  private async lastHead(): Promise<Stand | undefined> {
    const at = this.at('heads.ndjson');
    let last: Stand | undefined;
    await this.exam.attempt(6, at, () =>
      this.exam.reader.eachLine(at.file, headForm, (head) => (last = standOf(head))),
    );
    return last;
  }

  /** Reads heads and records side by side. Returns where the tree stood at `after` and `to`. */
  private async readRange(
    frontier: Frontier,
    { rest }: TableProof,
  ): Promise<{ after: Stand | undefined; to: Stand }> {
    const { exam, entry, sources } = this;
    const { range } = sources.seals;
    const { after: begin } = sources.statement.range;
    const heads = exam.reader.lines(this.at('heads.ndjson').file);
    const records = this.openRecords(frontier);
    const skipped = range.findIndex(({ tables }) => tables > entry.number);
    let to: Stand | undefined;
    let after: Stand | undefined;
    for (let i = skipped < 0 ? range.length : skipped; i < range.length; i += 1) {
      const seal = range[i] as SealedState;
      const isLast = i === range.length - 1;
      const head = await this.nextHead(heads, seal, i);
      this.bounds = { low: range[i - 1]?.next, high: seal.next };
      this.seal = { ...seal, isFirst: seal.number !== begin };
      await this.readTo(head.size, records);
      if (isLast) await this.readTo(Infinity, records);
      await this.compare(frontier, head, { seal: seal.number, rest: isLast ? rest : undefined });
      if (seal.number === begin) after = head;
      to = head;
    }
    await this.readEnds(heads, records);
    if (to) return { after, to };
    // Where all tables are in the package, one that was sealed later has an empty range.
    if (this.records > 0)
      exam.abandon(6, 'no seal of the range has its records', this.at('events.ndjson'));
    return { after, to: { size: 0, root: frontier.root() } };
  }

  private openRecords(frontier: Frontier): OpenRecords {
    const { reader, platform } = this.exam;
    const open = (name: TableFile) => [reader.open(this.at(name).file), platform.allocate] as const;
    const rows = new RecordRows(...open('records.csv'));
    return { frontier, rows, bytes: new RecordBytes(...open('events.ndjson')) };
  }

  /** Reads what follows the last head and the last record, and compares how much there was. */
  private async readEnds(heads: Lines, records: OpenRecords): Promise<void> {
    const { exam, entry } = this;
    const isMore = (await heads.next()) !== undefined;
    const at = { line: heads.number };
    if (isMore) this.altered('has a head after that of the last seal', 'heads.ndjson', at);
    await this.readTo(Infinity, records);
    await exam.attempt(6, this.at('events.ndjson'), () => records.bytes.end());
    const said = { file: SITE_FILES.statement, table: entry.table };
    for (const what of ['records', 'events'] as const)
      if (this[what] !== entry[what])
        exam.altered(
          6,
          `the table has ${this[what]} ${what}, and package.json ${entry[what]}`,
          said,
        );
  }

  /** Reads the head at a seal and checks that it is in the heads of it. */
  private async nextHead(heads: Lines, seal: SealedState, index: number): Promise<Stand> {
    const { exam, sources, sizes } = this;
    const at = (): Position => this.at('heads.ndjson', { line: heads.number, seal: seal.number });
    return exam.reading(6, at, async () => {
      const head = await heads.json(headForm);
      if (!head) return exam.abandon(6, `the head at seal ${seal.number} is missing`, at());
      if (head.seal !== seal.number)
        exam.abandon(6, `stands where the head at seal ${seal.number} is due`, at());
      if (head.size < (sizes.at(-1)?.size ?? 1))
        exam.altered(6, `the table has ${head.size} records, fewer than before`, at());
      sizes.push({ seal: head.seal, size: head.size });
      const stand = standOf(head);
      if (sources.takeHead) {
        if (head.path) exam.altered(6, 'has a path, and every table is in the package', at());
        sources.takeHead(index, this.heads.leafOf(stand), head.size);
      } else if (!head.path) exam.altered(6, 'has no path', at());
      else if (!this.heads.isInSeal(stand, seal, head.path))
        exam.altered(6, `the head is not one of seal ${seal.number}`, at());
      return stand;
    });
  }

  /** Appends records until the tree has `size`, or records.csv ends. */
  private async readTo(size: number, { frontier, rows, bytes }: OpenRecords): Promise<void> {
    const { seal, exam, lines } = this;
    const { taker } = this.sources;
    const others: number[] = [];
    const at = (): Position => this.at('records.csv', { record: frontier.size });
    await exam.reading(6, at, async () => {
      while (frontier.size < size) {
        const row = rows.nextRead() ?? (await this.nextRow(rows));
        if (!row) return;
        this.checkRow(row, frontier.size, rows.number);
        const spared = bytes.take(row.bytes) ?? (await this.fill(row, bytes));
        if (taker && seal) taker.record(row, spared.subarray(1), seal, this.events + 1);
        const count = lines.check(row.n, spared, others);
        if (count !== row.lines || others.length > 0) this.checkLines(row, count, others.splice(0));
        const leaf = leafHashAfterSpare(exam.platform.sha256, spared);
        if (checkOf(leaf) !== row.check) this.suspect(row, rows.number, count);
        frontier.append(leaf);
        this.records += 1;
        this.events += count;
      }
    });
  }

  private checkLines(row: RecordLine, count: number, others: readonly number[]): void {
    const at = (index: number): Finer => placeOf(row, this.events + index + 1);
    for (const index of others)
      this.altered(`the line does not name table ${this.entry.table}`, 'events.ndjson', at(index));
    const differs = `the record has ${count} lines, not ${row.lines}`;
    if (count !== row.lines) this.altered(differs, 'events.ndjson', placeOf(row));
  }

  /** Returns the next row after more was read: a time to compare what was judged. */
  private async nextRow(rows: RecordRows): Promise<RecordLine | undefined> {
    await this.sources.taker?.compare();
    return rows.next();
  }

  /** Reads on, and returns the record of a row. A record that is not there ends the table. */
  private async fill(row: RecordLine, bytes: RecordBytes): Promise<Uint8Array> {
    const at = (): Position => this.at('events.ndjson', placeOf(row));
    await this.exam.reading(6, at, () => bytes.fill(row.bytes));
    return bytes.take(row.bytes) ?? this.exam.stop();
  }

  /** Checks a row of records.csv against its place and the row before. */
  private checkRow(row: RecordLine, due: number, line: number): void {
    const { last, bounds } = this;
    const { n, partition, offset } = row;
    const at = (): Position => this.at('records.csv', { ...placeOf(row, line), record: due });
    if (n !== due) this.exam.abandon(6, `record ${n} stands where record ${due} is due`, at());
    if (last && (partition !== last.partition || offset <= last.offset))
      this.exam.altered(6, `record ${n} does not lie after the one before`, at());
    if (offset >= (bounds.high[partition] ?? 0) || offset < (bounds.low?.[partition] ?? 0))
      this.exam.altered(6, `record ${n} lies outside what its seal covers`, at());
    this.last = row;
  }

  private suspect(row: RecordLine, csvLine: number, lines: number): void {
    if (this.suspects.length >= SUSPECTS_MAX) return;
    // The one line of a record is known; of several, any can differ.
    this.suspects.push({ row, csvLine, line: lines === 1 ? this.events + 1 : undefined });
  }

  /** Compares the tree with a head that its records, and at the last seal the rest, lead to. */
  private async compare(
    frontier: Frontier,
    { size, root }: Stand,
    { seal, rest }: { readonly seal: number; readonly rest: readonly string[] | undefined },
  ): Promise<void> {
    const { first } = this.entry;
    if (size < first) {
      if (seal !== this.sources.statement.range.after)
        this.altered(`the range does not begin before seal ${seal}`, 'events.ndjson', { seal });
      return;
    }
    if (!this.isTied) return;
    const tree = rest ? await this.completed(frontier, size, { rest, seal }) : frontier;
    const isWhole = tree.size === size;
    this.isTied = isWhole && sameBytes(tree.root(), root);
    if (!isWhole) this.suspects.length = 0;
    for (const { row, csvLine, line } of this.suspects.splice(0))
      if (this.isTied) this.altered(OTHER_CHECK, 'records.csv', placeOf(row, csvLine));
      else this.altered(OTHER_RECORD, 'events.ndjson', placeOf(row, line));
    if (this.isTied) return;
    const from = Math.max(first, this.sizes.findLast((each) => each.seal < seal)?.size ?? first);
    const ends = `the records end with ${tree.size - 1}, inside seal ${seal}`;
    const differs = `between records ${from} and ${size - 1}, sealed by seal ${seal}, something is not as it was sealed`;
    this.altered(isWhole ? differs : ends, 'events.ndjson', { seal });
  }

  /** Returns the tree at the last seal: that of the records, with the rest of its leaves. */
  private async completed(
    frontier: Frontier,
    size: number,
    { rest, seal }: { readonly rest: readonly string[]; readonly seal: number },
  ): Promise<Frontier> {
    const at = this.at('proof.json', { seal });
    if (size < frontier.size)
      this.exam.abandon(6, `the range goes on after the last seal, which has ${size} records`, at);
    const nodes = subtreesOf(frontier.size, size);
    if (nodes.length !== rest.length)
      this.exam.abandon(6, `the rest has ${rest.length} hashes, not ${nodes.length}`, at);
    const whole = frontier.copy();
    const hashes = await this.exam.reading(
      6,
      () => at,
      () => hashesOf(rest),
    );
    hashes.forEach((hash, i) => whole.appendSubtree(nodes[i]?.level ?? 0, hash));
    return whole;
  }

  /** Ties the head at `after` to the tree, where the range begins after it. */
  private checkBefore({ before }: TableProof, after: Stand | undefined, to: Stand): void {
    const at = { seal: this.sources.statement.range.after ?? undefined };
    const differs = 'the tree at the seal before the range does not begin the tree';
    if (!after || after.size >= this.entry.first) {
      if (before.length > 0) this.altered('before must be empty', 'proof.json', at);
    } else if (!this.heads.isGrown(after, to, before)) this.altered(differs, 'proof.json', at);
  }

  /** Checks the head of the table at the last seal of the checkpoint. */
  private checkLatest({ latest }: TableProof, to: Stand): Stand {
    const seal = this.sources.seals.latest.number;
    const stand = standOf(latest);
    if (!this.heads.isInSeal(stand, this.sources.seals.latest, latest.path))
      this.altered('the latest head is not one of the latest seal', 'proof.json', { seal });
    if (!this.heads.isGrown(to, stand, latest.consistency))
      this.altered('the latest tree does not begin with that of the range', 'proof.json', { seal });
    return stand;
  }

  /** Checks the records outside the range. */
  private async checkProven(name: ProvenFile, tree: Stand): Promise<void> {
    const { exam, entry, sources } = this;
    const { sha256 } = exam.platform;
    const isContext = name === 'context.ndjson';
    const place = this.at(name);
    let before = -1;
    await exam.attempt(6, place, () =>
      exam.reader.eachLine(place.file, provenRecordForm, ({ n, value, proof }, line) => {
        const at = { record: n, line };
        const bytes = utf8Of(value);
        const claim = { index: n, ...tree, leaf: leafHash(sha256, bytes) };
        if (!verifyInclusion(sha256, claim, hashesOf(proof))) this.altered(OTHER_RECORD, name, at);
        const isOutside = isContext ? n < entry.first : n >= entry.first + entry.records;
        if (!isOutside || n <= before) this.altered('the record is not in its place', name, at);
        before = n;
        const others: number[] = [];
        this.lines.check(n, joinBytes(Uint8Array.of(0), bytes), others);
        for (const index of others)
          this.altered(`line ${index + 1} of it does not name table ${entry.table}`, name, at);
        if (isContext) sources.taker?.context(n, bytes);
        else sources.taker?.later(n, bytes);
      }),
    );
  }
}

/** The records of a table while they are read, and the tree that they make. */
interface OpenRecords {
  readonly frontier: Frontier;
  readonly rows: RecordRows;
  readonly bytes: RecordBytes;
}

/** A record whose leaf is not the one of records.csv: one of the two was changed. */
interface Suspect {
  readonly row: RecordLine;
  /** The line of records.csv, and that of events.ndjson if it is known. */
  readonly csvLine: number;
  readonly line: number | undefined;
}

/** Offsets by partition. */
interface Bounds {
  readonly low: readonly number[] | undefined;
  readonly high: readonly number[];
}

/** Where something is in a file. */
type Finer = Omit<Position, 'file'>;

/** Returns where the record of a row is in its table and in the log. */
function placeOf({ n, partition, offset }: RecordLine, line?: number): Finer {
  return { record: n, partition, offset, line };
}

const OTHER_RECORD = 'the record is not the one that was sealed';
const OTHER_CHECK = 'the check differs from the leaf of its record';
/** Suspects that are kept until the next head shows whether they differ. */
const SUSPECTS_MAX = 100;
