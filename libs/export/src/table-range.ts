import {
  chooseContext,
  findRange,
  FROM_ZERO,
  HOUSE_TABLE,
  setBack,
  type AnyEvent,
  type JudgedRange,
  type NearStart,
  type RangeAsked,
  type ReadTable,
  type RuleBook,
  type SettledRange,
  type TableRecord,
} from '#audit';
import { utf8Of, type PackageStatement } from '#evidence';
import { ExportRefusal } from './refusal.js';
import type { ExportRows } from './rows.js';
import type { TableLog } from './table-log.js';

/** What a package shows of one table. */
export interface TableAsked {
  readonly of: RangeAsked;
  /** A record of what is asked for, or of its beginning: the log is first read near it. */
  readonly at: number;
  /** How many records of the table may be shown. */
  readonly size: number;
}

/** A range of a table's records, with what they name. */
export interface ChosenRange extends SettledRange {
  /** The shoes that the package shows, in the order of their openings. */
  readonly shoes: readonly string[];
  /** The documents that the records name, by id. */
  readonly documents: ReadonlyMap<string, Uint8Array>;
}

/** Openings before the first shoe shown with which looking for a range begins. */
const SHOES_NEAR = 3;
/** Shoes before that a table remembers by their ids. */
const SHOES_KNOWN = 1_024;

/**
 * Chooses the records of one table that a package shows. Reads the log from some shoes before them,
 * from more if that leaves a doubt, and at last from record 0.
 */
export class TableRange {
  private found: JudgedRange | undefined;
  private isNear = false;
  private chosen: ChosenRange | undefined;
  private firstChosen: ChosenRange | undefined;
  /** What the records that were read name, by record. */
  private readonly names = new Map<number, readonly DocumentName[]>();

  constructor(
    private readonly parts: {
      readonly log: TableLog;
      readonly rows: ExportRows;
      readonly book: RuleBook;
    },
    private readonly asked: TableAsked,
  ) {}

  /** The range as it stands. */
  get range(): ChosenRange {
    if (!this.chosen) throw new Error('no range was chosen yet');
    return this.chosen;
  }

  get log(): TableLog {
    return this.parts.log;
  }

  /** Returns the statement of the table. */
  get entry(): PackageStatement['tables'][number] {
    const { id, name, number } = this.log.table;
    const { first, end, shoes } = this.range;
    const records = end - first;
    return { table: id, name, number, first, records, events: 0, shoes: [...shoes] };
  }

  /** Chooses the range. Throws `ExportRefusal` if the table has no such shoe. */
  async choose(): Promise<void> {
    const { of, size } = this.asked;
    const isHouse = this.log.table.id === HOUSE_TABLE;
    if (of.of === 'span' && (of.from === of.to || isHouse)) {
      const end = Math.min(of.to, size);
      this.chosen = { first: of.from, end, context: [], isSure: true, ...NOTHING_NAMED };
      this.firstChosen = this.chosen;
      return;
    }
    for await (const near of this.starts()) if (await this.chooseFrom(near)) return;
    throw new ExportRefusal(
      'unknown-shoe',
      `table ${this.log.table.id} has no such shoe sealed`,
      'scope',
    );
  }

  /**
   * Chooses a larger range: what was read near is read from record 0; after that the
   * range begins earlier. Returns false if it begins with record 0 already.
   */
  async chooseMore(): Promise<boolean> {
    const { found, range } = this;
    if (range.first === 0 || !found) return false;
    if (this.isNear && (await this.chooseFrom(FROM_ZERO))) return true;
    const shown = found.shoe?.admitted ?? 0;
    const settled = await chooseContext(this.read, setBack(range), shown);
    this.chosen = await this.named(settled, FROM_ZERO.start);
    return true;
  }

  /** Returns to the range that was chosen first. */
  restore(): void {
    this.chosen = this.firstChosen;
  }

  private readonly read: ReadTable = (from, to) => this.noted(this.log.events(from, to));

  /** Yields the same records, and keeps what they name. */
  private async *noted(read: ReturnType<ReadTable>): ReturnType<ReadTable> {
    for await (const records of read) yield this.notedOf(records);
  }

  private *notedOf(records: Iterable<TableRecord>): Generator<TableRecord> {
    for (const read of records) {
      const names = read.events.flatMap(nameIn);
      if (names.length > 0) this.names.set(read.record, names);
      yield read;
    }
  }

  /** Chooses the range by the log from a record on. Returns whether nothing is in doubt. */
  private async chooseFrom(near: NearStart): Promise<boolean> {
    const { of, size } = this.asked;
    const found = await findRange(this.read, of, size, near);
    if (!found?.isSure) return false;
    const shown = found.shoe?.admitted ?? 0;
    const earlier =
      near.start === 0 || found.first <= near.start
        ? FROM_ZERO.earlier
        : await this.earlier(found, near);
    const settled = await chooseContext(this.read, found, shown, { start: near.start, earlier });
    if (!settled.isSure) return false;
    this.found = found;
    this.isNear = near.start > 0;
    this.chosen = await this.named(settled, near.start);
    this.firstChosen ??= this.chosen;
    return true;
  }

  /** Yields where to begin to read: some shoes before what is asked for, then more, then 0. */
  private async *starts(): AsyncGenerator<NearStart> {
    const { log, rows } = this.parts;
    const position = await log.positionOf(Math.min(this.asked.at, this.asked.size - 1));
    const known = position
      ? await rows.openingsBefore(log.table.id, position.offset, SHOES_KNOWN)
      : [];
    for (let shoes = SHOES_NEAR; shoes < known.length; shoes *= 2) {
      const opening = known[shoes];
      const start = opening && (await log.recordAt(opening.position));
      if (start === undefined || start === 0) break;
      // the shoes before have no record here, because only their names matter to the range
      const earlier = new Map(known.slice(shoes + 1).map(({ shoe }) => [shoe, 0] as const));
      yield { start, earlier };
    }
    yield FROM_ZERO;
  }

  /** Returns where the shoes that a range names were opened before the reading began. */
  private async earlier(
    { first, end }: JudgedRange,
    { start }: NearStart,
  ): Promise<ReadonlyMap<string, number>> {
    const { log, rows } = this.parts;
    const names = new Set<string>();
    for await (const records of log.events(first, end))
      for (const { events } of records)
        for (const { type, shoe } of events)
          if (shoe !== undefined && (type === 'shoe-opened' || type === 'card-drawn'))
            names.add(shoe);
    const before = await log.positionOf(start);
    const earlier = new Map<string, number>();
    if (!before || names.size === 0) return earlier;
    for (const { shoe, position } of await rows.openingsOf(
      log.table.id,
      [...names],
      before.offset,
    )) {
      const record = await log.recordAt(position);
      if (record !== undefined) earlier.set(shoe, record);
    }
    return earlier;
  }

  /** Adds to a range what its records name. Those from `readFrom` on were read to choose it. */
  private async named(range: SettledRange, readFrom: number): Promise<ChosenRange> {
    const { first, end, context } = range;
    for (const n of context) if (n < readFrom) for await (const _ of this.read(n, n + 1));
    const records = [...context, ...[...this.names.keys()].filter((n) => n >= first && n < end)];
    const names = records.flatMap((n) => this.names.get(n) ?? []);
    return { ...range, shoes: this.found?.shoes ?? [], documents: this.installed(names) };
  }

  /** Returns those of the documents that are installed, by their ids in a package. */
  private installed(names: readonly DocumentName[]): ReadonlyMap<string, Uint8Array> {
    const { book } = this.parts;
    const documents = new Map<string, Uint8Array>();
    for (const { is, ref } of names) {
      const document = is === 'rules' ? book.get(ref) : book.policies.get(ref);
      if (document) documents.set(is === 'rules' ? ref : `policies/${ref}`, utf8Of(document.text));
    }
    return documents;
  }
}

/** A document that an event names. */
interface DocumentName {
  readonly is: 'rules' | 'policy';
  readonly ref: string;
}

/** Returns the document that an event names, if it names one. */
function nameIn(event: AnyEvent): DocumentName[] {
  if (event.type === 'shoe-opened') return [{ is: 'rules', ref: event.data.rules }];
  if (event.type !== 'finding-ruling-proposed') return [];
  return [{ is: 'policy', ref: event.data.policy }];
}

const NOTHING_NAMED: Pick<ChosenRange, 'shoes' | 'documents'> = { shoes: [], documents: new Map() };
