import { joinBytes, sameBytes, utf8Of } from '../bytes.js';
import { nameOfTable } from '../site/table-name.js';
import { leafHash, leafHashAfterSpare, subtreesOf, type Frontier } from '../tree/merkle.js';
import { verifyInclusion } from '../tree/proofs.js';
import type { Examination } from './examination.js';
import { headForm, provenRecordForm, tableProofForm } from './files.js';
import type { PackageStatement, RecordLine, PackedHead, TableProof } from './files.js';
import { readJson, FormFault } from './forms.js';
import { bytesOfHash, hashesOf } from './hashes.js';
import { FileFault } from './reading.js';
import type { CoveringSeal, TableAgain } from './replay.js';
import { checkOf, RecordBytes, RecordRows, TableNamed } from './record-stream.js';
import type { Position } from './report.js';
import { frontierOf, type SealedState, type Seals } from './seals.js';
import { standOf, TableHeads, type Stand, type TableEntry } from './table-heads.js';
import { tableFile, type ProvenFile } from './site-files.js';

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
  private readonly files;
  private readonly named: TableNamed;
  readonly heads: TableHeads;
  private readonly excused: ReadonlySet<string>;
  private readonly suspects: { readonly csvLine: number; readonly at: Position }[] = [];
  private readonly sizes: { readonly seal: number; readonly size: number }[] = [];
  /** Whether the computed root still can match a seal. */
  private isTied = true;
  /** How much was checked. */
  records = 0;
  events = 0;
  private last: RecordLine | undefined;
  private seal: CoveringSeal | undefined;
  /** The offsets between which the next records were sealed, by partition. */
  private bounds: Bounds = { low: undefined, high: [] };

  constructor(
    private readonly exam: Examination,
    private readonly entry: TableEntry,
    private readonly sources: TableSources,
  ) {
    const { number, table } = entry;
    this.named = new TableNamed(table);
    this.heads = new TableHeads(exam, sources.statement.origin, entry);
    this.files = {
      events: tableFile(number, 'events.ndjson'),
      records: tableFile(number, 'records.csv'),
      heads: tableFile(number, 'heads.ndjson'),
      proof: tableFile(number, 'proof.json'),
    };
    this.excused = new Set(
      sources.statement.unjudged
        .filter((each) => each.table === table)
        .map(({ record, line }) => `${record} ${line}`),
    );
  }

  /** Runs all checks of the table. Returns undefined if a fault ends them early. */
  async run(): Promise<CheckedTable | undefined> {
    const { exam, entry, files } = this;
    this.checkName();
    const proof = await exam.attempt(6, files.proof, () =>
      exam.reader.json(files.proof, tableProofForm),
    );
    if (!proof) return undefined;
    return exam.attempt(6, files.proof, async () => {
      const frontier = frontierOf(exam, 6, entry.first, {
        hashes: proof.frontier,
        file: files.proof,
        table: entry.table,
      });
      const claimed = await this.lastHead();
      if (claimed) await this.checkProven('context.ndjson', claimed);
      const { after, to } = await this.readRange(frontier, proof);
      const latest = this.checkLatest(proof, to);
      this.checkBefore(proof, after, to);
      await this.checkProven('later.ndjson', latest);
      return { entry, sizes: this.sizes, latest, records: this.records, events: this.events };
    });
  }

  private get here(): Position {
    return { table: this.entry.table };
  }

  private checkName(): void {
    const { table, name, number } = this.entry;
    const { names, range } = this.sources.seals;
    if (nameOfTable(table) !== name || names[number] !== name)
      this.exam.altered(6, `${name} is not the name of table number ${number}`, {
        file: 'data/package.json',
        table,
      });
    const { all } = this.sources.statement;
    if (number >= (range.at(-1)?.tables ?? 0) && !(all && this.entry.first === 0))
      this.exam.abandon(6, `no seal of the range has table number ${number}`, this.here);
  }

  /**
   * Returns the head at the last seal, as it is claimed. The records before the range are checked
   * against it, because judging needs them first; the range then shows whether it is true.
   */
  private async lastHead(): Promise<Stand | undefined> {
    const { exam, files } = this;
    let last: PackedHead | undefined;
    await exam.attempt(6, files.heads, () =>
      exam.reader.eachLine(files.heads, headForm, (head) => (last = head)),
    );
    return last && standOf(last);
  }

  /** Reads heads and records side by side. Returns where the tree stood at `after` and `to`. */
  private async readRange(
    frontier: Frontier,
    proof: TableProof,
  ): Promise<{ after: Stand | undefined; to: Stand }> {
    const { exam, files, entry, sources } = this;
    const { allocate } = exam.platform;
    const records = new RecordRows(exam.reader.open(files.records), allocate);
    const bytes = new RecordBytes(exam.reader.open(files.events), allocate);
    await records.begin();
    const heads = exam.reader.lines(files.heads);
    const seals = sources.seals.range.filter(({ tables }) => tables > entry.number);
    let before: PackedHead | undefined;
    let after: Stand | undefined;
    const skipped = sources.seals.range.length - seals.length;
    for (const [i, seal] of seals.entries()) {
      const line = (await heads.next()) ?? this.headMissing(seal.number);
      const head = this.readHead(line, heads.number, { seal, before });
      this.checkInSeal(head, seal, { at: skipped + i, line: heads.number });
      if (seal.number === sources.statement.range.after) after = standOf(head);
      this.bounds = { low: sources.seals.range[skipped + i - 1]?.next, high: seal.next };
      this.seal = { ...seal, isFirst: seal.number !== sources.statement.range.after };
      await this.readTo(frontier, head.size, records, bytes);
      if (i === seals.length - 1) await this.readTo(frontier, Infinity, records, bytes);
      this.compare(frontier, head, { proof, isLast: i === seals.length - 1 });
      before = head;
    }
    if ((await heads.next()) !== undefined)
      this.exam.altered(6, 'has a head after that of the last seal', {
        file: files.heads,
        line: heads.number,
        ...this.here,
      });
    await exam.attempt(6, files.events, () => bytes.end());
    this.checkCounts();
    if (before) return { after, to: standOf(before) };
    // Where all tables are in the package, one that was sealed later has an empty range.
    await this.readTo(frontier, Infinity, records, bytes);
    if (this.records > 0) this.exam.abandon(6, 'no seal of the range has its records', this.here);
    return { after, to: { size: 0, root: frontier.root() } };
  }

  private headMissing(seal: number): never {
    const at = { ...this.here, file: this.files.heads, seal };
    return this.exam.abandon(6, `the head at seal ${seal} is missing`, at);
  }

  private readHead(
    line: string,
    number: number,
    { seal, before }: { seal: SealedState; before: PackedHead | undefined },
  ): PackedHead {
    const at = { ...this.here, file: this.files.heads, line: number, seal: seal.number };
    try {
      const head = readJson(headForm, line);
      if (head.seal !== seal.number)
        this.exam.abandon(6, `stands where the head at seal ${seal.number} is due`, at);
      if (head.size < (before?.size ?? 1))
        this.exam.altered(6, `the table has ${head.size} records, fewer than before`, at);
      this.sizes.push({ seal: head.seal, size: head.size });
      return head;
    } catch (error) {
      if (error instanceof FormFault) this.exam.abandon(6, error.message, at);
      throw error;
    }
  }

  /** Checks that a head is in the heads of its seal. */
  private checkInSeal(
    head: PackedHead,
    seal: SealedState,
    { at: index, line }: { readonly at: number; readonly line: number },
  ): void {
    const { exam, sources } = this;
    const stand = standOf(head);
    const at = { ...this.here, file: this.files.heads, line, seal: seal.number };
    if (sources.takeHead) {
      if (head.path) exam.altered(6, 'has a path, and every table is in the package', at);
      sources.takeHead(index, this.heads.leafOf(stand), head.size);
    } else if (!head.path) exam.altered(6, 'has no path', at);
    else if (!this.heads.isInSeal(stand, seal, head.path))
      exam.altered(6, `the head is not one of seal ${seal.number}`, at);
  }

  /** Appends records until the tree has `size`, or records.csv ends. */
  private async readTo(
    frontier: Frontier,
    size: number,
    records: RecordRows,
    bytes: RecordBytes,
  ): Promise<void> {
    const { seal, sources, exam } = this;
    const { taker } = sources;
    const { platform } = exam;
    const others: number[] = [];
    while (frontier.size < size) {
      const line = records.nextRead() ?? (await this.nextLine(records));
      if (!line) return;
      this.checkLine(line, frontier.size, records.number);
      const spared = bytes.take(line.bytes) ?? (await this.fill(line, bytes));
      if (taker && seal) taker.record(line, spared.subarray(1), { line: this.events + 1, seal });
      const lines = this.named.check(spared, others);
      if (lines !== line.lines || others.length > 0) this.checkNamed(line, lines, others.splice(0));
      const leaf = leafHashAfterSpare(platform.sha256, spared);
      if (checkOf(leaf) !== line.check) this.suspect(records.number, line, lines);
      frontier.append(leaf);
      this.records += 1;
      this.events += lines;
    }
  }

  private checkNamed(line: RecordLine, lines: number, others: readonly number[]): void {
    const { exam, entry, excused, events } = this;
    const at = this.positionOf(line);
    for (const index of others)
      if (!excused.has(`${line.n} ${index + 1}`))
        exam.altered(6, `the line does not name table ${entry.table}`, {
          ...at,
          line: events + index + 1,
        });
    if (lines !== line.lines)
      exam.altered(6, `the record has ${lines} lines, not ${line.lines}`, at);
  }

  /** Returns the next line after more was read: a time to compare what was judged. */
  private async nextLine(records: RecordRows): Promise<RecordLine | undefined> {
    await this.sources.taker?.compare();
    return records.next();
  }

  /** Reads on, and returns the record of a line. A record that is not there ends the table. */
  private async fill(line: RecordLine, bytes: RecordBytes): Promise<Uint8Array> {
    try {
      await bytes.fill(line.bytes);
      return bytes.take(line.bytes) ?? this.exam.stop();
    } catch (error) {
      if (error instanceof FileFault) this.exam.abandon(6, error.message, this.positionOf(line));
      throw error;
    }
  }

  private positionOf({ n, partition, offset }: RecordLine): Position {
    return { file: this.files.events, ...this.here, record: n, partition, offset };
  }

  /** Checks a line of records.csv against its place and the line before. */
  private checkLine(line: RecordLine, due: number, number: number): void {
    const { last, bounds } = this;
    const { n, partition, offset } = line;
    const at = () => ({ file: this.files.records, ...this.here, line: number });
    if (n !== due)
      this.exam.abandon(6, `record ${n} stands where record ${due} is due`, {
        ...at(),
        record: due,
      });
    if (last && (partition !== last.partition || offset <= last.offset))
      this.exam.altered(6, `record ${n} does not lie after the one before`, at());
    if (offset >= (bounds.high[partition] ?? 0) || offset < (bounds.low?.[partition] ?? 0))
      this.exam.altered(6, `record ${n} lies outside what its seal covers`, at());
    this.last = line;
  }

  private suspect(csvLine: number, line: RecordLine, lines: number): void {
    if (this.suspects.length >= SUSPECTS_MAX) return;
    const at = this.positionOf(line);
    // The one line of a record is known; of several, any can differ.
    this.suspects.push({ csvLine, at: lines === 1 ? { ...at, line: this.events + 1 } : at });
  }

  /** Compares the tree with a head that its records, and at the last seal the rest, lead to. */
  private compare(
    frontier: Frontier,
    head: PackedHead,
    { proof, isLast }: { proof: TableProof; isLast: boolean },
  ): void {
    const { exam, entry, files } = this;
    const at = { ...this.here, file: files.events, seal: head.seal };
    if (head.size < entry.first) {
      if (head.seal !== this.sources.statement.range.after)
        exam.altered(6, `the range does not begin before seal ${head.seal}`, at);
      return;
    }
    if (!this.isTied) return;
    const tree = isLast ? this.completed(frontier, head.size, proof) : frontier;
    if (tree.size !== head.size) {
      this.isTied = false;
      return exam.altered(6, `the records end with ${tree.size - 1}, inside seal ${head.seal}`, at);
    }
    const isSame = sameBytes(tree.root(), bytesOfHash(head.root));
    for (const suspect of this.suspects.splice(0))
      if (isSame)
        exam.altered(6, 'the check differs from the leaf of its record', {
          file: files.records,
          ...this.here,
          line: suspect.csvLine,
        });
      else exam.altered(6, 'the record is not the one that was sealed', suspect.at);
    if (isSame) return;
    this.isTied = false;
    const from = this.sizes.findLast(({ seal }) => seal < head.seal)?.size ?? entry.first;
    exam.altered(
      6,
      `between records ${Math.max(from, entry.first)} and ${head.size - 1}, sealed by seal ${head.seal}, something is not as it was sealed`,
      at,
    );
  }

  /** Returns the tree at the last seal: that of the records, with the rest of its leaves. */
  private completed(frontier: Frontier, size: number, { rest }: TableProof): Frontier {
    const at = { ...this.here, file: this.files.proof };
    if (size < frontier.size)
      this.exam.abandon(6, `the range goes on after the last seal, which has ${size} records`, at);
    const nodes = subtreesOf(frontier.size, size);
    if (nodes.length !== rest.length)
      this.exam.abandon(6, `the rest has ${rest.length} hashes, not ${nodes.length}`, at);
    const whole = frontier.copy();
    hashesOf(rest).forEach((hash, i) => whole.appendSubtree(nodes[i]?.level ?? 0, hash));
    return whole;
  }

  private checkCounts(): void {
    const { exam, entry, records, events } = this;
    const at = { file: 'data/package.json', ...this.here };
    if (records !== entry.records)
      exam.altered(6, `the table has ${records} records, and package.json ${entry.records}`, at);
    if (events !== entry.events)
      exam.altered(6, `the table has ${events} events, and package.json ${entry.events}`, at);
  }

  /** Ties the head at `after` to the tree, where the range begins after it. */
  private checkBefore({ before }: TableProof, after: Stand | undefined, to: Stand): void {
    const at = { file: this.files.proof, ...this.here };
    if (!after || after.size >= this.entry.first) {
      if (before.length > 0) this.exam.altered(6, 'before must be empty', at);
      return;
    }
    if (!this.heads.isGrown(after, to, before))
      this.exam.altered(6, 'the tree at the seal before the range does not begin the tree', at);
  }

  /** Checks the head of the table at the last seal of the checkpoint. */
  private checkLatest({ latest }: TableProof, to: Stand): Stand {
    const { exam, files, sources } = this;
    const at = { file: files.proof, ...this.here, seal: sources.seals.latest.number };
    const stand = standOf(latest);
    if (!this.heads.isInSeal(stand, sources.seals.latest, latest.path))
      exam.altered(6, 'the latest head is not one of the latest seal', at);
    if (!this.heads.isGrown(to, stand, latest.consistency))
      exam.altered(6, 'the latest tree does not begin with that of the range', at);
    return stand;
  }

  /** Checks the records outside the range. */
  private async checkProven(name: ProvenFile, tree: Stand): Promise<void> {
    const { exam, entry, sources } = this;
    const file = tableFile(entry.number, name);
    const isContext = name === 'context.ndjson';
    let before = -1;
    await exam.attempt(6, file, () =>
      exam.reader.eachLine(file, provenRecordForm, ({ n, value, proof }, line) => {
        const at = { file, ...this.here, record: n, line };
        const bytes = utf8Of(value);
        const leaf = leafHash(exam.platform.sha256, bytes);
        const claim = { index: n, size: tree.size, leaf, root: tree.root };
        if (!verifyInclusion(exam.platform.sha256, claim, hashesOf(proof)))
          exam.altered(6, 'the record is not the one that was sealed', at);
        const isOutside = isContext ? n < entry.first : n >= entry.first + entry.records;
        if (!isOutside || n <= before) exam.altered(6, 'the record is not in its place', at);
        before = n;
        const others: number[] = [];
        this.named.check(joinBytes(Uint8Array.of(0), bytes), others);
        for (const _index of others)
          exam.altered(6, `a line does not name table ${entry.table}`, at);
        if (isContext) sources.taker?.context(n, bytes);
        else sources.taker?.later(n, bytes);
      }),
    );
  }
}

/** Offsets by partition. */
interface Bounds {
  readonly low: readonly number[] | undefined;
  readonly high: readonly number[];
}

/** Suspects that are kept until the next head shows whether they differ. */
const SUSPECTS_MAX = 100;
