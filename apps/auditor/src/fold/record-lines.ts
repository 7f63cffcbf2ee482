import { blockOf, knownType, type AnyEvent, type Decoder, type Fault } from '#audit';
import { BrokenLog, type StoredRecord } from '#event-log';

/** An event of a record, with the api's stamp of when it was received. */
export interface StampedEvent {
  readonly event: AnyEvent;
  /** RFC 3339; null where the line has no stamp. */
  readonly received: string | null;
  /** Its line in the record, from 0. */
  readonly line: number;
}

/** An event that is well written and yet cannot be judged here: its type, or what it names, is not known to this auditor. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/** Which lines of a record are read: from one on, up to another, and none of those released. */
export interface Lines {
  readonly from?: number;
  readonly to?: number;
  /** Events that somebody decided to go on without, by `lineKey`. */
  readonly released: ReadonlySet<string>;
}

/** An event's place in its partition, as a key. */
export const lineKey = ({
  offset,
  line,
}: {
  readonly offset: number;
  readonly line: number;
}): string => `${offset}:${line}`;

/**
 * The events of a record, one after the other. Throws `BrokenLog` at bytes that are no event of the record's table, and
 * `UnknownEvent` at an event that this auditor does not know, each when it is come to.
 */
export function* linesOf(
  record: StoredRecord,
  decoder: Decoder,
  { from = 0, to = Number.POSITIVE_INFINITY, released }: Lines,
): Generator<StampedEvent, void, undefined> {
  const { value: bytes, key, offset } = record;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const block = blockOf(bytes, text);
  for (let start = 0, line = 0; start <= bytes.length && line < to; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (line >= from && !(released.size > 0 && released.has(lineKey({ offset, line })))) {
      const { event, faults } = decoder.decode(block, start, end);
      if (event === undefined) throw unreadable(record, line, bytes.subarray(start, end), faults);
      if (event.table !== key)
        throw new BrokenLog(
          `line ${line} is of table ${JSON.stringify(event.table)}, under the key ${JSON.stringify(key)}`,
          record.partition,
          offset,
        );
      yield { event, received: receivedOf(bytes, text, start, end), line };
    }
    start = end + 1;
  }
}

const NEWLINE = 0x0a;
const RECEIVED = '"receivedtime":"';
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;

/** The stamp at the end of a line that was decoded: no string inside an event can end a line so. */
function receivedOf(bytes: Uint8Array, text: string, from: number, to: number): string | null {
  if (bytes[to - 2] !== 0x22) return null; // the data's brace stands before the event's
  const at = to - 2 - TIME_LENGTH;
  if (text.startsWith(RECEIVED, at - RECEIVED.length)) return text.substring(at, to - 2);
  const { receivedtime } = JSON.parse(Buffer.from(bytes.subarray(from, to)).toString('utf8')) as {
    receivedtime?: string;
  };
  return receivedtime ?? null;
}

/** Faults at these places are of an event that names what this auditor does not have: another type, rules, a bet. */
const NOT_HERE = /^\/(type|data\/rules|data\/bet)$/;

function unreadable(
  { key, partition, offset }: StoredRecord,
  line: number,
  bytes: Uint8Array,
  faults: readonly Fault[],
): Error {
  const why = faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim()).join('; ');
  if (isEventOf(key, bytes) && faults.every(({ pointer }) => NOT_HERE.test(pointer)))
    return new UnknownEvent(why, line);
  return new BrokenLog(`line ${line} cannot be read: ${why}`, partition, offset);
}

/** Whether the bytes are an event of this table in JSON, of whatever type. */
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
