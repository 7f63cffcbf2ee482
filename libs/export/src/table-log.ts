import { blockOf, type AnyEvent, type Decoder, type TableRecord } from '#audit';
import { HASH_BYTES, type PackedRecord } from '#evidence';
import type { StoredRecord } from '#event-log';
import type { SealReader } from '#seal-store';
import type { LogWindow } from './log-window.js';
import { ExportRefusal } from './refusal.js';
import type { RecordPlace } from './rows.js';

/** Records of a table whose places are read at once. */
const PLACES = 256;

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

  /** Returns the number of the table's first record at a place of the log or after it. */
  async recordAt({ offset }: RecordPlace): Promise<number | undefined> {
    const cursor = await this.parts.seals.cursor(this.table.name, offset);
    return (await cursor?.peek())?.index;
  }

  /** Returns where a record is. */
  async placeOf(record: number): Promise<RecordPlace | undefined> {
    const [place] = await this.parts.seals.places(this.table.number, record, record + 1);
    return place;
  }

  /** Returns how many lines a record has. */
  async linesOf(record: number): Promise<number> {
    for await (const { value } of this.stored(record, record + 1))
      return Buffer.from(value).toString('latin1').split('\n').length;
    return 0;
  }

  /** Yields the records `from` to `to` as the log has them, the last not included. */
  async *stored(from: number, to: number): AsyncGenerator<StoredRecord> {
    for (let at = from; at < to; at += PLACES) {
      const end = Math.min(to, at + PLACES);
      const places = await this.parts.seals.places(this.table.number, at, end);
      for (const [i, place] of places.entries()) yield await this.at(at + i, place);
    }
  }

  /** Yields the same with the leaf of each as it was sealed. */
  async *sealed(from: number, to: number): AsyncGenerator<PackedRecord> {
    let leaves: Uint8Array = new Uint8Array(0);
    let at = from;
    for await (const { value, partition, offset } of this.stored(from, to)) {
      const i = (at - from) % PLACES;
      if (i === 0)
        leaves = await this.parts.seals.leaves(this.table.number, at, Math.min(to, at + PLACES));
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

  private async at(record: number, place: RecordPlace): Promise<StoredRecord> {
    const found = await this.parts.window.at(place);
    if (found) return found;
    throw new ExportRefusal(
      'record-missing',
      `record ${record} of table ${this.table.id} is not in the log, at offset ${place.offset} of partition ${place.partition}`,
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
