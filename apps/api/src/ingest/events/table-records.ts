import {
  partitionOf,
  RECORD_BYTES_MAX,
  type Appending,
  type LogRecord,
  type Urgency,
} from '#event-log';
import { EVENTS_MAX } from '../body/event-form.js';
import type { TableAsked } from '../../identity/keys/key-tables.js';
import type { Taker } from './request-events.js';

/**
 * The most events of live play in a request. A larger request is a load from a file, which may
 * wait.
 */
const LIVE_EVENTS_MAX = 100;

interface TableLines {
  /** The position of the table's first event in the request. */
  readonly first: number | undefined;
  readonly records: LogRecord[];
  pieces: string[];
  bytes: number;
}

/**
 * The lines of one request as records: for each table, blocks of its lines in the order in which
 * they came, each of at most `RECORD_BYTES_MAX` bytes. Lines are ISO 8859-1 text, one character for
 * each byte, because Node joins that faster than bytes.
 */
export class TableRecords implements Taker {
  readonly most = EVENTS_MAX;
  events = 0;
  private readonly tables = new Map<string, TableLines>();

  /** Takes the end of every line, with the closing brace. */
  constructor(private readonly stamps: string) {}

  /** Adds an event's content, whose closing brace the stamps replace. */
  add(table: string, content: string, position?: number): void {
    this.events += 1;
    let lines = this.tables.get(table);
    if (lines === undefined) {
      lines = { first: position, records: [], pieces: [], bytes: 0 };
      this.tables.set(table, lines);
    }
    const bytes = content.length - 1 + this.stamps.length;
    if (lines.bytes + 1 + bytes > RECORD_BYTES_MAX && lines.bytes > 0) close(table, lines);
    if (lines.bytes > 0) lines.pieces.push('\n');
    lines.bytes += bytes + (lines.bytes > 0 ? 1 : 0);
    lines.pieces.push(content.slice(0, -1), this.stamps);
  }

  /** Returns the tables of the request, each with the position of its first event. */
  get asked(): TableAsked[] {
    return [...this.tables].map(([table, { first }]) => ({ table, position: first }));
  }

  /** Returns what to append, one appending for each partition. Do not call `add` afterwards. */
  appendings(partitions: number): Appending[] {
    const urgency: Urgency = this.events > LIVE_EVENTS_MAX ? 'bulk' : 'live';
    const byPartition = new Map<number, LogRecord[]>();
    for (const [table, lines] of this.tables) {
      close(table, lines);
      const partition = partitionOf(table, partitions);
      const others = byPartition.get(partition);
      if (others === undefined) byPartition.set(partition, lines.records);
      else for (const record of lines.records) others.push(record);
    }
    return [...byPartition].map(([partition, records]) => ({ partition, records, urgency }));
  }
}

function close(table: string, lines: TableLines): void {
  lines.records.push({ key: table, value: linesBytes(lines.pieces.join('')) });
  lines.pieces = [];
  lines.bytes = 0;
}

/** Returns the bytes of an ISO 8859-1 text. */
export const linesBytes = (text: string): Buffer => Buffer.from(text, 'latin1');
