import { blockOf, type AnyEvent, type Decoder, type TableRecord } from '#audit';
import { HASH_BYTES, type PackedRecord } from '#evidence';
import type { StoredRecord } from '#event-log';
import type { SealReader } from '#seal-store';
import type { LogWindow } from './log-window.js';
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

/** The sealed records of one table, read from the log. */
export class TableLog {
  private unjudged: ReadonlySet<string> = new Set();

  constructor(
    private readonly parts: { readonly window: LogWindow; readonly seals: SealReader },
    readonly table: NumberedTable,
    private readonly lines: LinesRead,
  ) {}

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
    for await (const { value } of this.stored(record, record + 1))
      return Buffer.from(value).toString('latin1').split('\n').length;
    return 0;
  }

  /** Yields the records `from` to `to` as the log has them, the last not included. */
  async *stored(from: number, to: number): AsyncGenerator<StoredRecord> {
    for (let at = from; at < to; at += POSITIONS) {
      const end = Math.min(to, at + POSITIONS);
      const positions = await this.parts.seals.positions(this.table.number, at, end);
      // most are kept, and need no waiting
      for (const [i, position] of positions.entries())
        yield this.parts.window.kept(position) ?? (await this.at(at + i, position));
    }
  }

  /** Yields the same with the leaf of each as it was sealed. */
  async *sealed(from: number, to: number): AsyncGenerator<PackedRecord> {
    let leaves: Uint8Array = new Uint8Array(0);
    let at = from;
    for await (const { value, partition, offset } of this.stored(from, to)) {
      const i = (at - from) % POSITIONS;
      if (i === 0)
        leaves = await this.parts.seals.leaves(this.table.number, at, Math.min(to, at + POSITIONS));
      yield {
        value,
        partition,
        offset,
        leaf: leaves.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
      };
      at += 1;
    }
  }

  /** Yields the same as their events. Throws for a line that no judge takes, unless it is known. */
  async *events(from: number, to: number): AsyncGenerator<TableRecord> {
    let record = from;
    for await (const { value } of this.stored(from, to)) {
      yield { record, events: this.eventsOf(record, value) };
      record += 1;
    }
  }

  private async at(record: number, position: RecordPosition): Promise<StoredRecord> {
    const found = await this.parts.window.at(position);
    if (found) return found;
    throw new ExportRefusal(
      'record-missing',
      `record ${record} of table ${this.table.id} is not in the log, at offset ${position.offset} of partition ${position.partition}`,
    );
  }

  private eventsOf(record: number, value: Uint8Array): AnyEvent[] {
    const block = blockOf(value, Buffer.from(value).toString('latin1'));
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
