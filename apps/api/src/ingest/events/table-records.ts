import {
  partitionOf,
  RECORD_BYTES_MAX,
  type Appending,
  type LogRecord,
  type Urgency,
} from '#event-log';

/** Above so many events a request is a load from a file, which may wait for what people wait for at a table. */
const LIVE_EVENTS_MAX = 100;

interface TableLines {
  readonly records: LogRecord[];
  pieces: string[];
  bytes: number;
}

/**
 * The lines of one request as records: for each table blocks of its lines in the order in which they came, each of at most
 * `RECORD_BYTES_MAX` bytes. Lines are handled as ISO 8859-1 text, one character a byte, which Node joins faster than bytes.
 */
export class TableRecords {
  events = 0;
  private readonly tables = new Map<string, TableLines>();

  /** `stamps`: how every line ends, with the closing brace. */
  constructor(private readonly stamps: string) {}

  /** Takes an event's content, whose closing brace the stamps replace. */
  add(table: string, content: string): void {
    this.events += 1;
    let lines = this.tables.get(table);
    if (lines === undefined) {
      lines = { records: [], pieces: [], bytes: 0 };
      this.tables.set(table, lines);
    }
    const bytes = content.length - 1 + this.stamps.length;
    if (lines.bytes + 1 + bytes > RECORD_BYTES_MAX && lines.bytes > 0) close(table, lines);
    if (lines.bytes > 0) lines.pieces.push('\n');
    lines.bytes += bytes + (lines.bytes > 0 ? 1 : 0);
    lines.pieces.push(content.slice(0, -1), this.stamps);
  }

  /** What is to be appended, one appending for each partition. Nothing may be added afterwards. */
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

/** The bytes that a text in ISO 8859-1 stands for. */
export const linesBytes = (text: string): Buffer => Buffer.from(text, 'latin1');
