import { createHash } from 'node:crypto';
import {
  blockOf,
  knownType,
  type AnyEvent,
  type Block,
  type Decoder,
  type Fault,
  type Line,
} from '#audit';
import { BrokenLog, type StoredRecord } from '#event-log';

/** An event of a record, with the time at which the api received it. */
export interface StampedEvent {
  /** The bytes of its line if the scanner reads it, else an object. */
  readonly event: AnyEvent | Line;
  /** RFC 3339; null if the line has no stamp. */
  readonly received: string | null;
  /** Who sent it, as the api stamped it: `device/<key name>` or `person/<name>`; null if unknown. */
  readonly sender: string | null;
  /** Its line in the record, from 0. */
  readonly line: number;
}

/**
 * A well-formed event that cannot be judged here: this auditor does not know its type or what it
 * names.
 */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/**
 * Thrown at a whole record whose bytes are not events of its key's table, or that is in another
 * partition than that table's.
 */
export class UnreadableRecord extends BrokenLog {
  constructor(
    why: string,
    { partition, offset }: StoredRecord,
    /** The first line that cannot be judged, from 0. */
    readonly line: number,
  ) {
    super(`line ${line} ${why}`, partition, offset);
  }
}

/** What every fold of a partition leaves out, by decision of an administrator. */
export interface LeftOut {
  /** Released events, by `lineKey`. */
  readonly released: ReadonlySet<string>;
  /** Passed records: the SHA-256 of each by its offset. */
  readonly passed: ReadonlyMap<number, string>;
}

/** Nothing is left out. */
export const NOTHING_LEFT_OUT: LeftOut = { released: new Set(), passed: new Map() };

/**
 * Selects lines of a record: from one on, up to but not including another, without those left out.
 */
export interface Lines {
  readonly from?: number;
  readonly to?: number;
  readonly leftOut: LeftOut;
}

/** Returns an event's position in its partition as a key. */
export const lineKey = ({
  offset,
  line,
}: {
  readonly offset: number;
  readonly line: number;
}): string => `${offset}:${line}`;

/** Returns the SHA-256 digest of a record's value. */
export const recordDigest = (value: Uint8Array): Buffer =>
  createHash('sha256').update(value).digest();

/**
 * Returns whether a record is left out whole. Throws `BrokenLog` if another record lies where one
 * was passed.
 */
function isPassed({ partition, offset, value }: StoredRecord, { passed }: LeftOut): boolean {
  const expected = passed.get(offset);
  if (expected === undefined) return false;
  const found = recordDigest(value).toString('hex');
  if (found === expected) return true;
  throw new BrokenLog(
    `record ${offset} is not the one that was passed: its SHA-256 is ${found}, not ${expected}`,
    partition,
    offset,
  );
}

/** Reads the events of a record, as often as they are asked for. */
export class RecordReader {
  private readonly block: Block;

  constructor(
    private readonly record: StoredRecord,
    private readonly decoder: Decoder,
  ) {
    const { value: bytes } = record;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    this.block = blockOf(bytes, text);
  }

  /** Returns whether the record is left out whole. Throws `BrokenLog` if another one was passed. */
  isPassed(leftOut: LeftOut): boolean {
    return isPassed(this.record, leftOut);
  }

  /**
   * Yields the events in order, none if the record was passed. Throws `UnreadableRecord` at bytes
   * that are not an event of the record's table, and `UnknownEvent` at an event that this auditor
   * does not know, but only after it yielded the events before. Throws `BrokenLog` if another
   * record was passed.
   */
  *events(lines: Lines): Generator<StampedEvent, void, undefined> {
    const { record, decoder, block } = this;
    if (isPassed(record, lines.leftOut)) return;
    const at = new LineCursor(record, block, lines);
    while (at.next()) {
      const { from, to, line } = at;
      const event = this.explained(at) ?? { decoder, block, from, to };
      const received = receivedOf(block, from, to);
      const sender = received === null ? null : senderOf(block.text, to);
      yield { event, received, sender, line };
    }
  }

  /**
   * Reads all events and keeps nothing of them. Returns the first that this auditor does not know.
   * Throws as `events` does.
   */
  firstUnknown(lines: Lines): UnknownEvent | undefined {
    const { record, block } = this;
    if (isPassed(record, lines.leftOut)) return undefined;
    let first: UnknownEvent | undefined;
    const at = new LineCursor(record, block, lines);
    while (at.next())
      try {
        this.explained(at);
      } catch (error) {
        if (!(error instanceof UnknownEvent)) throw error;
        first ??= error;
      }
    return first;
  }

  /**
   * Returns the event of a line as an object if only that way can read it, and undefined if the
   * scanner reads it. Throws if it is not an event of the record's table.
   */
  private explained({ from, to, line }: LineCursor): AnyEvent | undefined {
    const { record, decoder, block } = this;
    const scanned = decoder.tableOf(block, from, to);
    if (scanned !== undefined) {
      checkTable(record, scanned, line);
      return undefined;
    }
    const { event, faults } = decoder.decode(block, from, to);
    if (event === undefined) throw unreadable(record, line, block.bytes.subarray(from, to), faults);
    checkTable(record, event.table, line);
    return event;
  }
}

/** Walks over the lines of a record, without those that are left out. */
class LineCursor {
  /** Where the line is in the block, and its number. */
  from = 0;
  to = -1;
  line = -1;

  constructor(
    private readonly record: StoredRecord,
    private readonly block: Block,
    private readonly lines: Lines,
  ) {}

  /** Moves to the next line. Returns false after the last one. */
  next(): boolean {
    const { from = 0, to = Number.POSITIVE_INFINITY } = this.lines;
    const { bytes } = this.block;
    do {
      this.from = this.to + 1;
      this.line += 1;
      if (this.from > bytes.length || this.line >= to) return false;
      const newline = bytes.indexOf(NEWLINE, this.from);
      this.to = newline < 0 ? bytes.length : newline;
    } while (this.line < from || this.isReleased());
    return true;
  }

  private isReleased(): boolean {
    const { released } = this.lines.leftOut;
    const { offset } = this.record;
    return released.size > 0 && released.has(lineKey({ offset, line: this.line }));
  }
}

function checkTable(record: StoredRecord, table: string, line: number): void {
  if (table === record.key) return;
  const [named, key] = [JSON.stringify(table), JSON.stringify(record.key)];
  throw new UnreadableRecord(`names table ${named} under the key ${key}`, record, line);
}

const NEWLINE = 0x0a;
const RECEIVED = '"receivedtime":"';
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;

/**
 * Returns the receipt time at the end of a decoded line. No string inside an event can end a line
 * this way.
 */
function receivedOf({ bytes, text }: Block, from: number, to: number): string | null {
  // the line ends with the braces of its data and of itself
  if (bytes[to - 2] !== 0x22) return null;
  const at = to - 2 - TIME_LENGTH;
  if (text.startsWith(RECEIVED, at - RECEIVED.length)) return text.substring(at, to - 2);
  const { receivedtime } = JSON.parse(Buffer.from(bytes.subarray(from, to)).toString('utf8')) as {
    receivedtime?: string;
  };
  return receivedtime ?? null;
}

const SENDER = '"receivedfrom":"';
const STAMP_LENGTH = `",${RECEIVED}`.length + TIME_LENGTH + '"}'.length;

/** Returns the sender at the end of a stamped line, or null if the api did not stamp it. */
function senderOf(text: string, to: number): string | null {
  const end = to - STAMP_LENGTH;
  const from = text.lastIndexOf('"', end - 1) + 1;
  return text.startsWith(SENDER, from - SENDER.length) ? text.substring(from, end) : null;
}

/**
 * Faults at these pointers mean that the event names what this auditor does not have: another type,
 * rules or bet.
 */
const NOT_HERE = /^\/(type|data\/rules|data\/bet)$/;

function unreadable(
  record: StoredRecord,
  line: number,
  bytes: Uint8Array,
  faults: readonly Fault[],
): Error {
  const why = faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim()).join('; ');
  if (isEventOf(record.key, bytes) && faults.every(({ pointer }) => NOT_HERE.test(pointer)))
    return new UnknownEvent(why, line);
  return new UnreadableRecord(`cannot be read: ${why}`, record, line);
}

/** Returns whether the bytes are a JSON event of this table, of any type. */
function isEventOf(table: string, bytes: Uint8Array): boolean {
  try {
    const value = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    ) as { readonly table?: unknown; readonly type?: unknown } | null;
    if (value?.table !== table || typeof value.type !== 'string') return false;
    return knownType(value.type) !== undefined || /^shoeprint\.[a-z-]+\.v\d+$/.test(value.type);
  } catch {
    return false;
  }
}
