import { joinBytes, textOfUtf8, utf8Of } from '../bytes.js';
import { RECORD_COLUMNS, type RecordLine } from './files.js';
import { FileFault, type Lines } from './reading.js';

const LINE_FEED = 0x0a;
/** Longest record in bytes. The log takes 60,000. */
const RECORD_BYTES_MAX = 1024 * 1024;

/** The records of events.ndjson, parted by the lengths that records.csv has. */
export class RecordBytes {
  /** A spare byte and what was read after it: a leaf is hashed with the byte before the record. */
  private buffer: Uint8Array = new Uint8Array(1);
  /** Where the next record begins. */
  private at = 1;

  constructor(private readonly chunks: AsyncGenerator<Uint8Array>) {}

  /**
   * Returns the next record after one spare byte, or undefined if more must be read: call `fill`
   * first. The next call overwrites it. Throws `FileFault` if no line feed follows.
   */
  take(bytes: number): Uint8Array | undefined {
    const { buffer, at } = this;
    const end = at + bytes;
    if (end >= buffer.length) return undefined;
    if (buffer[end] !== LINE_FEED)
      throw new FileFault(`a record of ${bytes} bytes does not end in a line feed`);
    this.at = end + 1;
    return buffer.subarray(at - 1, end);
  }

  /** Reads until a record of this length is there. Throws `FileFault` if the file ends before. */
  async fill(bytes: number): Promise<void> {
    if (bytes > RECORD_BYTES_MAX) throw new FileFault(`a record is over ${RECORD_BYTES_MAX} bytes`);
    const parts: Uint8Array[] = [this.buffer.subarray(this.at - 1)];
    let length = parts[0]?.length ?? 0;
    while (length < bytes + 2) {
      const next = await this.chunks.next();
      if (next.done === true) throw new FileFault('the file ends inside a record');
      parts.push(next.value);
      length += next.value.length;
    }
    this.buffer = joinBytes(...parts);
    this.at = 1;
  }

  /** Throws `FileFault` if anything follows the last record. */
  async end(): Promise<void> {
    let left = this.buffer.length - this.at;
    while (left === 0) {
      const next = await this.chunks.next();
      if (next.done === true) return;
      left = next.value.length;
    }
    throw new FileFault('the file goes on after the last record of records.csv');
  }
}

const RECORD_LINE =
  /^(0|[1-9]\d{0,15}),(0|[1-9]\d{0,15}),(0|[1-9]\d{0,15}),(0|[1-9]\d{0,15}),(0|[1-9]\d{0,15}),([0-9a-f]{8})$/;

/** The lines of records.csv. The first names the columns. */
export class RecordLines {
  constructor(private readonly lines: Lines) {}

  /** The number of the line that was taken last. */
  get number(): number {
    return this.lines.number;
  }

  /** Takes the line of the columns. Throws `FileFault` for another. */
  async begin(): Promise<void> {
    if ((await this.lines.next()) !== RECORD_COLUMNS.join(','))
      throw new FileFault(`must begin with the columns ${RECORD_COLUMNS.join(',')}`, 1);
  }

  /** Returns the next line if it is already read. */
  nextRead(): RecordLine | undefined {
    const line = this.lines.nextRead();
    return line === undefined ? undefined : this.read(line);
  }

  /** Returns the next line, or undefined at the end. Throws `FileFault` for a bad line. */
  async next(): Promise<RecordLine | undefined> {
    const line = await this.lines.next();
    return line === undefined ? undefined : this.read(line);
  }

  private read(line: string): RecordLine {
    const [, n, bytes, lines, partition, offset, check] = RECORD_LINE.exec(line) ?? [];
    if (check === undefined)
      throw new FileFault(`must have ${RECORD_COLUMNS.join(',')}`, this.lines.number);
    return {
      n: Number(n),
      bytes: Number(bytes),
      lines: Number(lines),
      partition: Number(partition),
      offset: Number(offset),
      check,
    };
  }
}

/** Returns whether a leaf begins with these 8 hexadecimal digits. */
export const isCheckOf = (leaf: Uint8Array, check: string): boolean =>
  Number.parseInt(check, 16) ===
  (((leaf[0] ?? 0) << 24) | ((leaf[1] ?? 0) << 16) | ((leaf[2] ?? 0) << 8) | (leaf[3] ?? 0)) >>> 0;

const COMMA = 0x2c;
const BRACE = 0x7b;

/** Tells whether lines name a table. */
export class TableNamed {
  private readonly key = utf8Of(',"table":');
  private readonly value: Uint8Array;

  constructor(private readonly table: string) {
    this.value = utf8Of(`${JSON.stringify(table)},`);
  }

  /**
   * Calls `onLine` with the index of each line that does not name the table. Returns how many lines
   * the record has.
   */
  check(record: Uint8Array, onLine: (index: number) => void): number {
    if (record.length === 0) return 0;
    let count = 0;
    for (let from = 0; ; count += 1) {
      const feed = record.indexOf(LINE_FEED, from);
      const to = feed < 0 ? record.length : feed;
      if (!this.isOf(record, from, to)) onLine(count);
      if (feed < 0) return count + 1;
      from = feed + 1;
    }
  }

  private isOf(bytes: Uint8Array, from: number, to: number): boolean {
    return this.isPlainlyOf(bytes, from, to) || this.isParsedOf(bytes.subarray(from, to));
  }

  /** Looks where a canonical line has its table: after members that are texts. */
  private isPlainlyOf(bytes: Uint8Array, from: number, to: number): boolean {
    const { key, value } = this;
    const nested = bytes.indexOf(BRACE, from + 1);
    const end = nested < 0 || nested > to ? to : nested;
    for (let at = bytes.indexOf(COMMA, from); at >= 0 && at < end;) {
      if (startsWith(bytes, at, key)) return startsWith(bytes, at + key.length, value);
      at = bytes.indexOf(COMMA, at + 1);
    }
    return false;
  }

  private isParsedOf(line: Uint8Array): boolean {
    try {
      const event: unknown = JSON.parse(textOfUtf8(line) ?? '');
      return (
        typeof event === 'object' &&
        event !== null &&
        'table' in event &&
        event.table === this.table
      );
    } catch {
      return false;
    }
  }
}

function startsWith(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.length; i += 1) if (bytes[at + i] !== part[i]) return false;
  return true;
}
