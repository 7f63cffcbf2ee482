import { startsWith, utf8Of } from '../bytes.js';
import { RECORD_COLUMNS, type RecordLine } from './files.js';
import { FileFault } from './reading.js';

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const ZERO = 0x30;
const LETTER_A = 0x61;
const CHECK_DIGITS = 8;
/** Longest record in bytes. The log takes 60,000. */
const RECORD_BYTES_MAX = 1024 * 1024;
/** More bytes than a line of records.csv has. */
const ROW_BYTES_MAX = 128;

/** Bytes of a file, read ahead. The same memory is used again. */
class ReadAhead {
  bytes: Uint8Array;
  /** Where the bytes not taken yet begin and end. A spare byte precedes them. */
  at = 1;
  end = 1;

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array>,
    private readonly allocate: (bytes: number) => Uint8Array,
  ) {
    this.bytes = allocate(1);
  }

  /** Reads on. What was not taken moves. Returns whether anything came. */
  async more(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) return false;
    const left = this.bytes.subarray(this.at, this.end);
    const end = 1 + left.length + next.value.length;
    if (end > this.bytes.length) this.bytes = this.allocate(2 * end);
    this.bytes.set(left, 1);
    this.bytes.set(next.value, 1 + left.length);
    this.at = 1;
    this.end = end;
    return true;
  }
}

/** The records of events.ndjson, parted by the lengths that records.csv has. */
export class RecordBytes {
  private readonly ahead: ReadAhead;

  constructor(...[chunks, allocate]: ConstructorParameters<typeof ReadAhead>) {
    this.ahead = new ReadAhead(chunks, allocate);
  }

  /**
   * Returns the next record after one spare byte, or undefined if it is not read yet or no line
   * feed follows it: call `fill` then. The next call overwrites it.
   */
  take(bytes: number): Uint8Array | undefined {
    const { ahead } = this;
    const from = ahead.at - 1;
    const end = ahead.at + bytes;
    if (end >= ahead.end || ahead.bytes[end] !== LINE_FEED) return undefined;
    ahead.at = end + 1;
    return ahead.bytes.subarray(from, end);
  }

  /** Reads until a record of this length is there. Throws `FileFault` if it is not in the file. */
  async fill(bytes: number): Promise<void> {
    const { ahead } = this;
    if (bytes > RECORD_BYTES_MAX) throw new FileFault(`a record is over ${RECORD_BYTES_MAX} bytes`);
    while (ahead.end - ahead.at <= bytes)
      if (!(await ahead.more())) throw new FileFault('the file ends inside a record');
    if (ahead.bytes[ahead.at + bytes] !== LINE_FEED)
      throw new FileFault(`a record of ${bytes} bytes does not end in a line feed`);
  }

  /** Throws `FileFault` if anything follows the last record. */
  async end(): Promise<void> {
    const { ahead } = this;
    while (ahead.at === ahead.end) if (!(await ahead.more())) return;
    throw new FileFault('the file goes on after the last record of records.csv');
  }
}

/** The lines of records.csv. The first names the columns. */
export class RecordRows {
  /** The number of the line that was taken last, from 1. */
  number = 0;
  private readonly ahead: ReadAhead;
  private at = 0;

  constructor(...[chunks, allocate]: ConstructorParameters<typeof ReadAhead>) {
    this.ahead = new ReadAhead(chunks, allocate);
  }

  /** Returns the next line if all of it was read. Throws `FileFault` for a bad line. */
  nextRead(): RecordLine | undefined {
    const { ahead } = this;
    if (ahead.end - ahead.at < ROW_BYTES_MAX && !this.hasLine()) return undefined;
    this.number += 1;
    this.at = ahead.at;
    const row = {
      n: this.decimal(),
      bytes: this.decimal(),
      lines: this.decimal(),
      partition: this.decimal(),
      offset: this.decimal(),
      check: this.check(),
    };
    ahead.at = this.at;
    return row;
  }

  /** Returns the next line, or undefined at the end. Throws `FileFault` for a bad line. */
  async next(): Promise<RecordLine | undefined> {
    if (this.number === 0) await this.begin();
    for (;;) {
      const row = this.nextRead();
      if (row) return row;
      if (await this.ahead.more()) continue;
      if (this.ahead.at === this.ahead.end) return undefined;
      throw new FileFault('the last line does not end with a line feed', this.number + 1);
    }
  }

  /** Takes the line of the columns. */
  private async begin(): Promise<void> {
    const columns = utf8Of(`${RECORD_COLUMNS.join(',')}\n`);
    const { ahead } = this;
    while (ahead.end - ahead.at < columns.length && (await ahead.more()));
    if (!startsWith(ahead.bytes.subarray(0, ahead.end), ahead.at, columns))
      throw new FileFault(`must begin with the columns ${RECORD_COLUMNS.join(',')}`, 1);
    ahead.at += columns.length;
    this.number = 1;
  }

  private hasLine(): boolean {
    const { at, end, bytes } = this.ahead;
    const feed = bytes.indexOf(LINE_FEED, at);
    return feed >= 0 && feed < end;
  }

  /** Takes a number without leading zeros, and the comma after it. */
  private decimal(): number {
    const { bytes } = this.ahead;
    const from = this.at;
    let value = 0;
    let byte = bytes[this.at] ?? 0;
    for (; byte >= ZERO && byte < ZERO + 10; byte = bytes[++this.at] ?? 0)
      value = value * 10 + byte - ZERO;
    const digits = this.at - from;
    const isPlain = digits === 1 || (digits > 1 && digits <= 16 && bytes[from] !== ZERO);
    if (!isPlain || byte !== COMMA || value > Number.MAX_SAFE_INTEGER) this.fail();
    this.at += 1;
    return value;
  }

  /** Takes 8 hexadecimal digits, and the end of the line. */
  private check(): number {
    const { bytes } = this.ahead;
    let value = 0;
    for (const end = this.at + CHECK_DIGITS; this.at < end; this.at += 1) {
      const digit = hexDigit(bytes[this.at] ?? 0);
      if (digit < 0) this.fail();
      value = value * 16 + digit;
    }
    if (bytes[this.at] !== LINE_FEED) this.fail();
    this.at += 1;
    return value;
  }

  private fail(): never {
    throw new FileFault(`must have ${RECORD_COLUMNS.join(',')}`, this.number);
  }
}

/** Returns the value of a hexadecimal digit in lower case, and less than 0 for another byte. */
function hexDigit(byte: number): number {
  if (byte < ZERO + 10) return byte - ZERO;
  return byte >= LETTER_A && byte < LETTER_A + 6 ? byte - LETTER_A + 10 : -1;
}

/** Returns the first 4 bytes of a leaf as a number: what records.csv has as its `check`. */
export const checkOf = (leaf: Uint8Array): number =>
  (((leaf[0] ?? 0) << 24) | ((leaf[1] ?? 0) << 16) | ((leaf[2] ?? 0) << 8) | (leaf[3] ?? 0)) >>> 0;

/** Returns the same as records.csv has it: 8 hexadecimal digits. */
export const checkText = (leaf: Uint8Array): string =>
  checkOf(leaf).toString(16).padStart(CHECK_DIGITS, '0');
