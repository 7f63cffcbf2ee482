import {
  chooseContext,
  findRange,
  setBack,
  type AnyEvent,
  type RangeAsked,
  type RuleBook,
  type SettledRange,
} from '#audit';
import type { EventLog } from '#event-log';
import {
  PACKAGE_FORMAT,
  utf8Of,
  type JudgedFile,
  type PackageContent,
  type PackageStatement,
  type PackedTable,
  type ProvenRecord,
  type Replay,
  type Sha256,
} from '#evidence';
import type { SealedTable, SealReader } from '#seal-store';
import { ExportRefusal } from './refusal.js';
import { SealedParts, type SealSpan, type ShownState } from './sealed-parts.js';
import { TableLog } from './table-log.js';

/** The lines that judging a range makes, by file. */
export type JudgedRangeLines = Readonly<Record<JudgedFile, readonly string[]>>;

/** What a package of one table is made from. */
export interface ExportParts {
  readonly log: EventLog;
  readonly seals: SealReader;
  readonly sha256: Sha256;
  /** The installed documents. A package holds those that its records name. */
  readonly book: RuleBook;
  /** Judges as the verifier does, without asking for warnings: it makes them. */
  readonly replay: Replay;
  readonly gamingDays: PackageStatement['gamingDays'];
  readonly software: PackageStatement['software'];
  /** The events of the table that the judges do not take. */
  readonly unjudged: PackageStatement['unjudged'];
  /**
   * Returns whether what was judged of the shoes that left reach is what the rows say. The range is
   * set back until it is.
   */
  readonly isAsInRows: (lines: JudgedRangeLines) => Promise<boolean>;
  readonly howToVerify: string;
}

/** What a package of one table is to show. */
export interface ExportAsked {
  /** The id of the package. */
  readonly id: string;
  readonly scope: PackageStatement['scope'] & { readonly table: string };
  /** The shoe by the reference of its opening, or the record of a finding about no shoe. */
  readonly of: Exclude<RangeAsked, { readonly of: 'span' }> | { readonly of: 'days' };
  /** Sizes of checkpoints that the recipient holds. */
  readonly since: readonly number[];
}

/** Returns all that a package of one table holds. Throws `ExportRefusal` if it cannot be made. */
export async function packageContent(
  parts: ExportParts,
  asked: ExportAsked,
): Promise<PackageContent> {
  const { seals, sha256, book } = parts;
  const state = await SealedParts.shown(seals);
  const site = await seals.site();
  if (!state || !site) throw new ExportRefusal('not-sealed', 'nothing is sealed yet');
  const { size } = state.checkpoint;
  const unknown = asked.since.find((held) => held > size);
  if (unknown !== undefined)
    throw new ExportRefusal('unknown-checkpoint', `since: ${unknown} is more than ${size} leaves`);
  const { table: id } = asked.scope;
  const table = await seals.table(id);
  if (!table) throw new ExportRefusal('unknown-table', `scope/table: no seal holds table ${id}`);
  const unjudged = new Set(parts.unjudged.map(({ record, line }) => `${record} ${line}`));
  const log = new TableLog(parts, { id, number: table.number }, book, unjudged);
  const sealed = new SealedParts(seals, sha256, state);
  return new Content(parts, asked, { state, log, sealed, table, origin: site.origin }).make();
}

interface Ground {
  readonly state: ShownState;
  readonly log: TableLog;
  readonly sealed: SealedParts;
  readonly table: SealedTable;
  readonly origin: string;
}

/** A range with its seals and what is listed of it. */
interface Chosen {
  readonly range: SettledRange;
  readonly seals: SealSpan;
  readonly shoes: readonly string[];
  readonly rules: ReadonlyMap<string, Uint8Array>;
}

class Content {
  constructor(
    private readonly parts: ExportParts,
    private readonly asked: ExportAsked,
    private readonly ground: Ground,
  ) {}

  async make(): Promise<PackageContent> {
    const days = this.asked.of.of === 'days' ? await this.daySeals() : undefined;
    const found = await this.range(days);
    const shown = found.shoe?.admitted ?? 0;
    const read = this.ground.log.events.bind(this.ground.log);
    let range = await chooseContext(read, found, shown);
    for (;;) {
      const chosen = await this.chosen(range, found.shoe?.name, days);
      const { lines, warnings } = await this.judged(chosen);
      if (await this.parts.isAsInRows(lines)) return this.content(chosen, lines, warnings);
      if (range.first === 0) break;
      range = await chooseContext(read, setBack(range), shown);
    }
    throw new ExportRefusal(
      'differs-from-rows',
      `judging the records of table ${this.asked.scope.table} finds something else than its rows say`,
    );
  }

  /** Returns the seals that bound the days of a scope. */
  private async daySeals(): Promise<SealSpan> {
    const { seals } = this.parts;
    const { day, from = day, to = day } = this.asked.scope;
    const { latest } = this.ground.state;
    if (from === undefined || to === undefined) return { after: null, to: latest.index };
    const [first, last] = [await seals.daySeal(from), await seals.daySeal(to)];
    if (!first || !last || last.index > latest.index)
      throw new ExportRefusal(
        'day-not-sealed',
        `scope: the day ${first ? to : from} is not sealed`,
      );
    return { after: (await seals.lastDaySeal(first.index))?.index ?? null, to: last.index };
  }

  private async range(days: SealSpan | undefined) {
    const { log, sealed, table, state } = this.ground;
    const size = await sealed.sizeAt(table.number, days?.to ?? state.latest.index);
    const { of } = this.asked;
    const from =
      days === undefined || days.after === null ? 0 : await sealed.sizeAt(table.number, days.after);
    const asked: RangeAsked = of.of === 'days' ? { of: 'span', from, to: size } : of;
    const found = await findRange(log.events.bind(log), asked, size);
    if (found) return found;
    throw new ExportRefusal('unknown-shoe', `scope: table ${log.table.id} has no such shoe sealed`);
  }

  private async chosen(
    range: SettledRange,
    shown: string | undefined,
    days: SealSpan | undefined,
  ): Promise<Chosen> {
    const { log, sealed, table } = this.ground;
    const seals = days ?? (await sealed.spanOf(table.number, range.first, range.end));
    if (!seals) throw new ExportRefusal('not-sealed', 'the records of the range are not sealed');
    const opened: string[] = [];
    const rules = new Map<string, Uint8Array>();
    const take = (event: AnyEvent): void => {
      this.name(event, rules);
      if (event.type === 'shoe-opened') opened.push(event.shoe ?? '');
    };
    for (const n of range.context)
      for await (const { events } of log.events(n, n + 1))
        for (const event of events) this.name(event, rules);
    for await (const { events } of log.events(range.first, range.end)) events.forEach(take);
    const from = shown === undefined ? 0 : Math.max(0, opened.indexOf(shown));
    const shoes = days ? [...new Set(opened.slice(from))] : opened.slice(from, from + 1);
    return { range, seals, shoes, rules: new Map([...rules].sort(([a], [b]) => (a < b ? -1 : 1))) };
  }

  /** Adds the document that an event names. */
  private name(event: AnyEvent, rules: Map<string, Uint8Array>): void {
    const { book } = this.parts;
    if (event.type === 'shoe-opened') {
      const document = book.get(event.data.rules);
      if (document) rules.set(document.ref, utf8Of(document.text));
    } else if (event.type === 'finding-ruling-proposed') {
      const policy = book.policies.get(event.data.policy);
      if (policy) rules.set(`policies/${policy.ref}`, utf8Of(policy.text));
    }
  }

  private statement({ range, seals, shoes }: Chosen, warnings: readonly string[]) {
    const { id, scope } = this.asked;
    const { table, origin, state } = this.ground;
    const { first, end } = range;
    const { gamingDays, unjudged, software } = this.parts;
    const entry = { table: scope.table, name: table.name, number: table.number, first };
    return {
      entry: { ...entry, records: end - first, events: 0, shoes: [...shoes] },
      fields: {
        ...{ id, origin, size: state.checkpoint.size, scope, range: seals, all: false },
        ...{ gamingDays, unjudged, software, warnings: [...warnings] },
      },
    };
  }

  /** Judges a range as the verifier does. */
  private async judged(chosen: Chosen) {
    const { log } = this.ground;
    const { first, end, context } = chosen.range;
    const { entry, fields } = this.statement(chosen, []);
    const statement: PackageStatement = {
      ...{ format: PACKAGE_FORMAT, ...fields, tables: [entry], rules: [] },
    };
    const judging = this.parts.replay.open(statement, chosen.rules);
    const table = judging.begin(entry);
    for (const n of context)
      for await (const { value } of log.stored(n, n + 1)) table.context(n, value);
    let n = first;
    for await (const { value } of log.stored(first, end)) {
      const [fault] = table.record(n, value);
      if (fault)
        throw new ExportRefusal(
          'not-judged',
          `line ${fault.line + 1} of record ${n}: ${fault.why}`,
        );
      n += 1;
    }
    table.end();
    const { warnings } = judging.end();
    const made = judging.take();
    const of = (file: JudgedFile): readonly string[] => made[file] ?? [];
    const lines: JudgedRangeLines = {
      'findings.ndjson': of('findings.ndjson'),
      'unjudgeable.ndjson': of('unjudgeable.ndjson'),
      'commission.csv': of('commission.csv'),
      'shoes.csv': of('shoes.csv'),
      'days.csv': of('days.csv'),
    };
    return { lines, warnings };
  }

  private async content(
    chosen: Chosen,
    judged: JudgedRangeLines,
    warnings: readonly string[],
  ): Promise<PackageContent> {
    const { sealed, state, table } = this.ground;
    const { since } = this.asked;
    const { fields } = this.statement(chosen, warnings);
    const names = await this.parts.seals.names(state.latest.index);
    return {
      ...fields,
      tables: [await this.table(chosen)],
      site: {
        checkpoint: state.checkpoint.note,
        names: names.map(({ name }) => name),
        leaves: sealed.leaves(chosen.seals),
        proof: await sealed.siteProof(chosen.seals, since),
        since: await sealed.since(since, [table.number]),
      },
      rules: chosen.rules,
      judged,
      reports: new Map(),
      howToVerify: this.parts.howToVerify,
    };
  }

  private async table(chosen: Chosen): Promise<PackedTable> {
    const { log, sealed, table, state } = this.ground;
    const { range, seals } = chosen;
    const { entry } = this.statement(chosen, []);
    const span = { number: table.number, first: range.first, end: range.end, ...seals };
    const { table: id, name, number, first, shoes } = entry;
    return {
      ...{ table: id, name, number, first, shoes },
      rows: log.stored(range.first, range.end),
      heads: sealed.heads(span),
      proof: await sealed.tableProof(span),
      context: this.proven(range.context, seals.to),
      later: this.later(range.end, state.latest.index),
    };
  }

  private async *proven(records: readonly number[], seal: number): AsyncGenerator<ProvenRecord> {
    const { log, sealed, table } = this.ground;
    for (const n of records)
      for await (const { value } of log.stored(n, n + 1)) {
        const proof = await sealed.proofOf(table.number, n, seal);
        yield { n, value: Buffer.from(value).toString(), proof };
      }
  }

  /** Yields the records after the range that act on a finding of the scope. */
  private async *later(end: number, seal: number): AsyncGenerator<ProvenRecord> {
    const { log, sealed, table } = this.ground;
    const { finding } = this.asked.scope;
    if (finding === undefined) return;
    const size = await sealed.sizeAt(table.number, seal);
    for await (const { record, events } of log.events(end, size))
      if (events.some(({ data }) => 'finding' in data && data.finding === finding))
        yield* this.proven([record], seal);
  }
}
