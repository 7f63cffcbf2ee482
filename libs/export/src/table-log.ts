import {
  blockOf,
  Decoder,
  houseFrom,
  type AnyEvent,
  type RuleBook,
  type TableRecord,
} from '#audit';
import type { EventLog, StoredRecord } from '#event-log';
import type { SealReader } from '#seal-store';
import { ExportRefusal } from './refusal.js';

/** Records of a table whose places are read at once. */
const PLACES = 256;

/** The sealed records of one table, read from the log. */
export class TableLog {
  private readonly decoder: Decoder;
  private held: readonly StoredRecord[] = [];

  constructor(
    private readonly parts: { readonly log: EventLog; readonly seals: SealReader },
    /** The table's id, and its number in the names list. */
    readonly table: { readonly id: string; readonly number: number },
    book: RuleBook,
    /** The lines that the judges do not take, as `record line`. */
    private readonly unjudged: ReadonlySet<string>,
  ) {
    this.decoder = new Decoder(houseFrom(book));
  }

  /** Yields the records `from` to `to` as the log has them, the last not included. */
  async *stored(from: number, to: number): AsyncGenerator<StoredRecord> {
    for (let at = from; at < to; at += PLACES) {
      const end = Math.min(to, at + PLACES);
      const places = await this.parts.seals.places(this.table.number, at, end);
      for (const [i, place] of places.entries()) yield await this.at(at + i, place);
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

  private async at(
    record: number,
    { partition, offset }: Pick<StoredRecord, 'partition' | 'offset'>,
  ): Promise<StoredRecord> {
    const [first] = this.held;
    const isHeld = first?.partition === partition && first.offset <= offset;
    const found = isHeld ? this.held[offset - first.offset] : undefined;
    if (found) return found;
    this.held = await this.parts.log.read(partition, offset);
    const [next] = this.held;
    if (next?.offset === offset) return next;
    throw new ExportRefusal(
      'record-missing',
      `record ${record} of table ${this.table.id} is not in the log, at offset ${offset} of partition ${partition}`,
    );
  }

  private eventsOf(record: number, value: Uint8Array): AnyEvent[] {
    const block = blockOf(value, Buffer.from(value).toString('latin1'));
    const events: AnyEvent[] = [];
    let line = 1;
    for (let from = 0; from <= value.length; line += 1) {
      const feed = value.indexOf(0x0a, from);
      const to = feed < 0 ? value.length : feed;
      const { event } = this.decoder.decode(block, from, to);
      const isKnown = this.unjudged.has(`${record} ${line}`);
      if (event && !isKnown) events.push(event);
      if (!event && !isKnown)
        throw new ExportRefusal(
          'not-judged',
          `line ${line} of record ${record} of table ${this.table.id} is not an event that the judges take`,
        );
      from = to + 1;
    }
    return events;
  }
}
