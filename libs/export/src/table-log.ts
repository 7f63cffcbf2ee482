import { blockOf, type AnyEvent, type Decoder, type TableRecord } from '#audit';
import { HASH_BYTES, type PackedRecord } from '#evidence';
import type { StoredRecord } from '#event-log';
import type { SealReader } from '#seal-store';
import type { LogWindow } from './log-window.js';
import { KeptRecords, type ReadRecord, type RecordFile } from './record-file.js';
import { ExportRefusal } from './refusal.js';
import type { RecordPosition } from './rows.js';

/** Records of a table whose positions, or leaves, are read at once. */
const POSITIONS = 4_096;

/** A table as it is sealed: its id, and its name and number in the names list. */
export interface NumberedTable {
  readonly id: string;
  readonly name: string;
  readonly number: number;
}

/** How the lines of a table are read. */
export interface LinesRead {
  readonly decoder: Decoder;
  /** Whether a line is skipped that no judge takes. Otherwise it is refused. */
  readonly isTolerant: boolean;
}

/** The sealed records of one table, read from the log once if they are read in their order. */
export class TableLog {
  private unjudged: ReadonlySet<string> = new Set();
  private readonly kept: KeptRecords;

  constructor(
    private readonly parts: {
      readonly window: LogWindow;
      readonly seals: SealReader;
      readonly file: RecordFile;
    },
    readonly table: NumberedTable,
    private readonly lines: LinesRead,
  ) {
    this.kept = new KeptRecords(parts.file);
  }

  /** Leaves out lines that the judges do not take, as `record line`. */
  leaveOut(unjudged: ReadonlySet<string>): void {
    this.unjudged = unjudged;
  }

  /** Returns the number of the table's first record at a position of the log or after it. */
  async recordAt({ offset }: RecordPosition): Promise<number | undefined> {
    const cursor = await this.parts.seals.cursor(this.table.name, offset);
    return (await cursor?.peek())?.index;
  }

  /** Returns the number of the table's record at a position; undefined if that is another table's. */
  async recordExactlyAt(position: RecordPosition): Promise<number | undefined> {
    const record = await this.recordAt(position);
    const found = record === undefined ? undefined : await this.positionOf(record);
    const { partition, offset } = position;
    return found?.offset === offset && found.partition === partition ? record : undefined;
  }

  /** Returns where a record is. */
  async positionOf(record: number): Promise<RecordPosition | undefined> {
    const [position] = await this.parts.seals.positions(this.table.number, record, record + 1);
    return position;
  }

  /** Returns how many lines a record has. */
  async linesOf(record: number): Promise<number> {
    const { value } = await this.one(record);
    return textOf(value).split('\n').length;
  }

  /** Returns a record as the log has it. */
  async one(record: number): Promise<StoredRecord> {
    const position = await this.positionOf(record);
    if (!position) throw new Error(`record ${record} of table ${this.table.id} is not sealed`);
    return this.at(record, position);
  }

  /** Yields the records `from` to `to` as the log has them, the last not included, some at once. */
  async *stored(from: number, to: number): AsyncGenerator<readonly ReadRecord[]> {
    let at = from;
    for await (const records of this.kept.read(from, to)) {
      yield records;
      at += records.length;
    }
    for await (const records of this.inLog(at, to)) {
      // one record before a range would make those of the range forgotten
      if (to - from > 1) await this.kept.add(at, records);
      yield records;
      at += records.length;
    }
  }

  /**
   * Yields them from the log. Those that the window keeps come at once, because waiting for each
   * costs more than most records.
   */
  private async *inLog(from: number, to: number): AsyncGenerator<readonly StoredRecord[]> {
    for (let at = from; at < to; at += POSITIONS) {
      const end = Math.min(to, at + POSITIONS);
      const positions = await this.parts.seals.positions(this.table.number, at, end);
      let kept: StoredRecord[] = [];
      for (const [i, position] of positions.entries()) {
        let record = this.parts.window.kept(position);
        if (!record) {
          // what came before it need not be kept for longer than the window does
          if (kept.length > 0) yield kept;
          kept = [];
          record = await this.at(at + i, position);
        }
        kept.push(record);
      }
      if (kept.length > 0) yield kept;
    }
  }

  /** Yields the same with the leaf of each as it was sealed. */
  async *sealed(from: number, to: number): AsyncGenerator<PackedRecord> {
    let leaves: Uint8Array = new Uint8Array(0);
    let at = from;
    for await (const records of this.stored(from, to))
      for (const { value, partition, offset } of records) {
        const i = (at - from) % POSITIONS;
        if (i === 0) leaves = await this.leaves(at, Math.min(to, at + POSITIONS));
        const leaf = leaves.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES);
        yield { value, partition, offset, leaf };
        at += 1;
      }
  }

  /** Yields the same as their events. Throws for a line that no judge takes, unless it is known. */
  async *events(from: number, to: number): AsyncGenerator<Iterable<TableRecord>> {
    let first = from;
    for await (const records of this.stored(from, to)) {
      yield this.recordsFrom(first, records);
      first += records.length;
    }
  }

  /** Returns the events of a record, as `events` yields them. */
  async eventsOf(record: number): Promise<AnyEvent[]> {
    return this.decoded(record, (await this.one(record)).value);
  }

  /** Decodes records as they are taken: what nobody asks for is not refused. */
  private *recordsFrom(first: number, records: readonly ReadRecord[]): Generator<TableRecord> {
    for (const [i, { value }] of records.entries())
      yield { record: first + i, events: this.decoded(first + i, value) };
  }

  private leaves(from: number, to: number): Promise<Uint8Array> {
    return this.parts.seals.leaves(this.table.number, from, to);
  }

  private async at(record: number, position: RecordPosition): Promise<StoredRecord> {
    const found = await this.parts.window.at(position);
    if (found) return found;
    throw new ExportRefusal(
      'record-missing',
      `record ${record} of table ${this.table.id} is not in the log, at offset ${position.offset} of partition ${position.partition}`,
    );
  }

  private decoded(record: number, value: Uint8Array): AnyEvent[] {
    const block = blockOf(value, textOf(value));
    const events: AnyEvent[] = [];
    let line = 1;
    for (let from = 0; from <= value.length; line += 1) {
      const feed = value.indexOf(0x0a, from);
      const to = feed < 0 ? value.length : feed;
      const { event } = this.lines.decoder.decode(block, from, to);
      const isKnown = this.unjudged.has(`${record} ${line}`);
      if (event && !isKnown) events.push(event);
      if (!event && !isKnown && !this.lines.isTolerant)
        throw new ExportRefusal(
          'not-judged',
          `line ${line} of record ${record} of table ${this.table.id} is not an event that the judges take`,
        );
      from = to + 1;
    }
    return events;
  }
}

/** Returns bytes as text with one character for each. */
const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');
