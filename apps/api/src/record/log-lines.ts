import { canonicalLine, timeOf, unstamped } from '#audit';
import { BrokenLog, recordsAt, type EventLog, type StoredRecord } from '#event-log';

/** Which records to read: those of one key from an offset up to but not including another. */
export interface RecordRange {
  readonly key: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The bytes of the log that are read at once. All tables of a partition share it, and splitting
 * this much takes a few milliseconds.
 */
const READ_BYTES = 256 * 1024;

/**
 * Yields the records of a range in the order of the log, one read at a time: none if a read had
 * only those of other keys. `rest` is called after each read with the ms since the last one. Throws
 * `BrokenLog` at the first offset that the log lacks.
 */
export async function* recordsIn(
  log: EventLog,
  { key, partition, from, to }: RecordRange,
  rest: (tookMs: number) => Promise<void>,
): AsyncGenerator<readonly StoredRecord[], void> {
  for (let next = from; next < to;) {
    const began = performance.now();
    const read = await recordsAt(log, partition, next, READ_BYTES);
    const last = read?.at(-1);
    if (!read || !last)
      throw new BrokenLog(`partition ${partition} lacks offset ${next}`, partition, next);
    next = last.offset + 1;
    yield read.filter((record) => record.key === key && record.offset < to);
    await rest(performance.now() - began);
  }
}

/** One line of the log, exactly as it was recorded. */
export interface LogLine {
  /** Its line in the record, from 0. */
  readonly line: number;
  /** Its bytes without the line feed. */
  readonly bytes: Buffer;
}

/** Returns the lines of a record. */
export function logLinesOf({ value }: StoredRecord): LogLine[] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const lines: LogLine[] = [];
  for (let start = 0, line = 0; start <= bytes.length; line += 1) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed < 0 ? bytes.length : feed;
    lines.push({ line, bytes: bytes.subarray(start, end) });
    start = end + 1;
  }
  return lines;
}

const LINE_FEED = 0x0a;

/** A line without the api's stamps, and when the api received it in ms since 1970. */
export interface Unstamped {
  readonly content: Buffer;
  /** Undefined if no stamp says it. */
  readonly received: number | undefined;
}

/**
 * Takes the stamps off a line, which leaves the content of its event. A line that the api did not
 * write is read as JSON. One that is not an event stays as it is.
 */
export function withoutStamps({ bytes }: LogLine): Unstamped {
  const parts = unstamped(bytes.toString('latin1'));
  if (parts)
    return { content: Buffer.from(parts.content, 'latin1'), received: timeOf(parts.received) };
  try {
    const text = bytes.toString('utf8');
    const event = JSON.parse(text) as { readonly receivedtime?: unknown };
    const { receivedtime } = event;
    return {
      content: Buffer.from(canonicalLine(text, event)),
      received: typeof receivedtime === 'string' ? timeOf(receivedtime) : undefined,
    };
  } catch {
    return { content: bytes, received: undefined };
  }
}
