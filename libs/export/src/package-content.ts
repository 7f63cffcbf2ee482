import { Decoder, houseFrom } from '#audit';
import {
  PACKAGE_FORMAT,
  type PackageContent,
  type PackageStatement,
  type PackedTable,
  type ProvenRecord,
} from '#evidence';
import {
  packageId,
  PROVED_MAX,
  refuseUnlessClear,
  type ExportAsked,
  type ExportParts,
} from './asked.js';
import { joinedLines, judgeTable, type JudgedRangeOfTable } from './judged-range.js';
import { LogWindow } from './log-window.js';
import { ExportRefusal } from './refusal.js';
import type { RecordFile } from './record-file.js';
import { reportsOf } from './reports/reports.js';
import { rangeOfShown, resolve, type Resolved } from './resolved.js';
import { rowsUpTo, type RecordPosition } from './rows.js';
import { SealedParts, type SealSpan, type ShownState, type SinceSizes } from './sealed-parts.js';
import { TableLog, type NumberedTable } from './table-log.js';
import { TableRange } from './table-range.js';

/** What a package says beside its own warnings, and who follows how it is made. */
export interface ContentMaking {
  /** Keeps what is read of the log. It must stay open until the content is written. */
  readonly file: RecordFile;
  readonly warnings?: readonly string[];
  /** Takes the share of the tables that were judged. May throw, to stop. */
  readonly progress?: (share: number) => void;
}

/** Returns all that a package holds. Throws `ExportRefusal` if it cannot be made. */
export async function packageContent(
  parts: ExportParts,
  asked: ExportAsked,
  making: ContentMaking,
): Promise<PackageContent> {
  refuseUnlessClear(asked, PROVED_MAX);
  const { seals, rows, sha256 } = parts;
  const state = await SealedParts.shown(seals);
  const site = await seals.site();
  if (!state || !site) throw new ExportRefusal('not-sealed', 'nothing is sealed yet');
  const { size } = state.checkpoint;
  const unknown = asked.since.find(
    (held) => !(Number.isSafeInteger(held) && held > 0 && held <= size),
  );
  if (unknown !== undefined)
    throw new ExportRefusal(
      'unknown-checkpoint',
      `${unknown} is not the size of a checkpoint of at most ${size} leaves`,
      'since',
    );
  const { origin } = site;
  const sealed = new SealedParts(seals, sha256, state, origin);
  const decoder = new Decoder(houseFrom(parts.book));
  const window = new LogWindow(parts.log);
  const log = (table: NumberedTable): TableLog =>
    new TableLog({ window, seals, file: making.file }, table, {
      ...{ decoder, isTolerant: asked.asItIs },
    });
  const resolved = await resolve({ seals, rows, state, log }, asked);
  const monthEnds = await sealed.monthEnds();
  const since = { held: asked.since, monthEnds };
  const passed = await rows.passed();
  const ground = { state, sealed, origin, since, passed, log, ...resolved };
  return new Content(parts, asked, ground).make(making);
}

interface Ground extends Resolved {
  readonly state: ShownState;
  readonly sealed: SealedParts;
  readonly origin: string;
  readonly since: SinceSizes;
  /** The records that nobody judges, of all tables. */
  readonly passed: readonly RecordPosition[];
  readonly log: (table: NumberedTable) => TableLog;
}

/** The range of a table, with what was judged of it. */
interface Judged {
  readonly range: TableRange;
  readonly judged: JudgedRangeOfTable;
}

class Content {
  private readonly unjudged: PackageStatement['unjudged'][number][] = [];
  private readonly differences: string[] = [];
  /** The ranges that differ from the rows however early they begin. */
  private readonly differing = new Set<TableRange>();

  constructor(
    private readonly parts: ExportParts,
    private readonly asked: ExportAsked,
    private readonly ground: Ground,
  ) {}

  async make({ warnings = [], progress }: Omit<ContentMaking, 'file'>): Promise<PackageContent> {
    const { tables } = this.ground;
    const ranges: TableRange[] = [];
    // choosing and judging take about as long
    const done = (count: number): void => progress?.(count / (2 * tables.length));
    for (const table of tables) {
      ranges.push(await this.rangeOf(table));
      done(ranges.length);
    }
    const seals = await this.sealsOf(ranges);
    const judged = await this.settled(ranges, seals, (count) => done(ranges.length + count));
    return this.content(judged, await this.sealsOf(ranges), [
      ...judged.flatMap(({ judged: of }) => of.warnings),
      ...(await this.ownWarnings(ranges)),
      ...warnings,
    ]);
  }

  private async rangeOf(table: NumberedTable): Promise<TableRange> {
    const { rows, book } = this.parts;
    const { sealed, state, days, shown } = this.ground;
    const records = this.ground.log(table);
    const unjudged = await this.unjudgedOf(records);
    records.leaveOut(new Set(unjudged.map(({ record, line }) => `${record} ${line}`)));
    const size = await sealed.sizeAt(table.number, days?.to ?? state.latest.index);
    const after = days?.after ?? null;
    const from = after === null ? 0 : await sealed.sizeAt(table.number, after);
    const at = shown ? ((await records.recordAt(shown.position)) ?? size) : from;
    if (shown && at >= size)
      throw new ExportRefusal('not-sealed', 'its records are not sealed yet', 'scope');
    const of = shown ? rangeOfShown(shown, at) : { of: 'span' as const, from, to: size };
    const range = new TableRange({ log: records, rows, book }, { of, at, size });
    await range.choose();
    return range;
  }

  /** Returns the lines of a table that the judges do not take, and keeps them for the statement. */
  private async unjudgedOf(log: TableLog) {
    const { id: table } = log.table;
    const own: typeof this.unjudged = [];
    for (const { position, line, released } of await this.parts.rows.unjudged(table)) {
      const record = await log.recordAt(position);
      if (record !== undefined) own.push({ table, record, line, released });
    }
    for (const position of this.ground.passed) {
      const record = await log.recordExactlyAt(position);
      const lines = record === undefined ? 0 : await log.linesOf(record);
      for (let line = 1; record !== undefined && line <= lines; line += 1)
        own.push({ table, record, line, released: true });
    }
    own.sort((a, b) => a.record - b.record || a.line - b.line);
    this.unjudged.push(...own);
    return own;
  }

  /** Returns the seals of the package: those of its days, or those around its one range. */
  private async sealsOf([range]: readonly TableRange[]): Promise<SealSpan> {
    const { days, sealed } = this.ground;
    if (days) return days;
    if (!range) throw new Error('a package has a table');
    const { first, end } = range.range;
    const seals = await sealed.spanOf(range.log.table.number, first, end);
    if (!seals) throw new ExportRefusal('not-sealed', 'the records of the range are not sealed');
    return seals;
  }

  /** Judges the ranges, and chooses other ones as long as the rows say something else. */
  private async settled(
    ranges: readonly TableRange[],
    seals: SealSpan,
    done: (count: number) => void,
  ): Promise<Judged[]> {
    const settled: Judged[] = [];
    let documents = 0;
    while (settled.length < ranges.length) {
      const union = documentsOf(ranges);
      // a document more could change what was judged before
      if (union.size !== documents) settled.length = 0;
      documents = union.size;
      const range = ranges[settled.length];
      if (!range) break;
      const judged = await judgeTable(range, {
        replay: this.parts.replay,
        statement: this.statement(seals, []),
        documents: union,
        isTolerant: this.asked.asItIs,
      });
      const difference = await this.difference(range, judged);
      if (difference === undefined || !(await this.more(range, difference)))
        settled.push({ range, judged });
      done(settled.length);
    }
    return settled;
  }

  /**
   * Chooses a larger range where the rows say something else. Returns false if the
   * package is asked for as it is, and shows the range that was chosen first.
   */
  private async more(range: TableRange, difference: string): Promise<boolean> {
    if (this.differing.has(range)) {
      this.differences.push(`the rows say something else than these records: ${difference}`);
      return false;
    }
    if (await range.chooseMore()) return true;
    if (this.asked.asItIs) {
      this.differing.add(range);
      range.restore();
      return true;
    }
    throw new ExportRefusal(
      'differs-from-rows',
      `judging the records of table ${range.log.table.id} finds something else than its rows say: ${difference}`,
    );
  }

  private async difference(
    range: TableRange,
    { finished, findings }: JudgedRangeOfTable,
  ): Promise<string | undefined> {
    const { rows } = this.parts;
    const { finding } = this.ground;
    const last = await range.log.positionOf(range.range.end - 1);
    if (last && (finished.length > 0 || finding)) await rowsUpTo(rows, last);
    if (finding && !finding.isWithdrawn && !findings.has(finding.finding.id))
      return `finding ${finding.finding.id} is in the rows, and judging does not find it`;
    return finished.length === 0 ? undefined : rows.difference(finished);
  }

  /** Returns what the package itself has to say. */
  private async ownWarnings(ranges: readonly TableRange[]): Promise<string[]> {
    const { finding, sealed, state } = this.ground;
    const warnings = [...this.differences];
    for (const { log } of ranges)
      for (const { partition, offset } of await this.parts.seals.mismatches(log.table.name))
        warnings.push(
          `table ${log.table.id}: the house read offset ${offset} of partition ${partition} again and found another record than was sealed`,
        );
    const [range] = ranges;
    if (!finding || !range) return warnings;
    const { id } = finding.finding;
    if (finding.isWithdrawn) warnings.push(`finding ${id} was withdrawn`);
    const size = await sealed.sizeAt(range.log.table.number, state.latest.index);
    if (range.range.end < size)
      warnings.push(
        `reviews of finding ${id} after the range are in later.ndjson: each is proven, and nothing shows that there is no further one`,
      );
    return warnings;
  }

  private statement(
    range: SealSpan,
    warnings: readonly string[],
  ): Omit<PackageStatement, 'tables' | 'rules'> {
    const { origin, state, scope, tables } = this.ground;
    const { gamingDays, software } = this.parts;
    const { size } = state.checkpoint;
    const all = scope.table === undefined;
    const number = all ? undefined : tables[0]?.number;
    const id = packageId({ origin, scope, number, size });
    return {
      ...{ format: PACKAGE_FORMAT, id, origin, size, scope, range, all },
      ...{ gamingDays, unjudged: [...this.unjudged], software, warnings: [...warnings] },
    };
  }

  private async content(
    judged: readonly Judged[],
    seals: SealSpan,
    warnings: readonly string[],
  ): Promise<PackageContent> {
    const { sealed, state, since, scope } = this.ground;
    const { format: _, ...statement } = this.statement(seals, warnings);
    const names = await this.parts.seals.names(state.latest.index);
    const tables: PackedTable[] = [];
    for (const { range } of judged) tables.push(await this.table(range, seals));
    const lines = joinedLines(judged.map(({ judged: of }) => of.lines));
    return {
      ...statement,
      tables,
      site: {
        checkpoint: state.checkpoint.note,
        names: names.map(({ name }) => name),
        leaves: sealed.leaves(seals),
        proof: await sealed.siteProof(seals, since),
        since: await sealed.since(
          since,
          tables.map(({ number }) => number),
        ),
      },
      rules: documentsOf(judged.map(({ range }) => range)),
      judged: lines,
      reports: await reportsOf(this.asked.formats, {
        ...{ id: statement.id, checkpoint: state.checkpoint.note, scope, lines },
      }),
      howToVerify: this.parts.howToVerify,
    };
  }

  private async table(range: TableRange, seals: SealSpan): Promise<PackedTable> {
    const { log } = range;
    const { sealed, scope } = this.ground;
    const { first, end, context } = range.range;
    const { table, name, number, shoes } = range.entry;
    const span = { number, first, end, ...seals };
    return {
      ...{ table, name, number, first, shoes },
      rows: log.sealed(first, end),
      heads: sealed.heads(span, scope.table === undefined),
      proof: await sealed.tableProof(span),
      context: this.proven(log, context, seals.to),
      later: this.later(log, end),
    };
  }

  private async *proven(
    log: TableLog,
    records: readonly number[],
    seal: number,
  ): AsyncGenerator<ProvenRecord> {
    for (const n of records) {
      const { value } = await log.one(n);
      const proof = await this.ground.sealed.proofOf(log.table.number, n, seal);
      yield { n, value: Buffer.from(value).toString(), proof };
    }
  }

  /** Yields the records after the range that act on the finding of the scope. */
  private async *later(log: TableLog, end: number): AsyncGenerator<ProvenRecord> {
    const { scope, sealed, state } = this.ground;
    if (scope.finding === undefined) return;
    const { index } = state.latest;
    const size = await sealed.sizeAt(log.table.number, index);
    const last = await log.positionOf(size - 1);
    if (last) await rowsUpTo(this.parts.rows, last);
    const records: number[] = [];
    for (const position of await this.parts.rows.acts(scope.finding)) {
      const record = await log.recordAt(position);
      if (record !== undefined && record >= end && record < size) records.push(record);
    }
    yield* this.proven(log, records, index);
  }
}

/** Returns the documents that ranges name, by id. */
function documentsOf(ranges: readonly TableRange[]): ReadonlyMap<string, Uint8Array> {
  const all = ranges.flatMap(({ range }) => [...range.documents]);
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
