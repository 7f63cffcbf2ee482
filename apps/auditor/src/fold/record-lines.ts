import { blockOf, knownType, type AnyEvent, type Decoder, type Fault } from '#audit';
import { BrokenLog, type StoredRecord } from '#event-log';

/** An event of a record, with the time at which the api received it. */
export interface StampedEvent {
  readonly event: AnyEvent;
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
 * Selects lines of a record: from one on, up to but not including another, without those released.
 */
export interface Lines {
  readonly from?: number;
  readonly to?: number;
  /** Events that an operator decided to leave out, by `lineKey`. */
  readonly released: ReadonlySet<string>;
}

/** Returns an event's position in its partition as a key. */
export const lineKey = ({
  offset,
  line,
}: {
  readonly offset: number;
  readonly line: number;
}): string => `${offset}:${line}`;

/**
 * Yields the events of a record in order. Throws `BrokenLog` at bytes that are not an event of the
 * record's table, and `UnknownEvent` at an event that this auditor does not know, but only after it
 * yielded the events before.
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
          `line ${line} names table ${JSON.stringify(event.table)} under the key ${JSON.stringify(key)}`,
          record.partition,
          offset,
        );
      const received = receivedOf(bytes, text, start, end);
      const sender = received === null ? null : senderOf(text, end);
      yield { event, received, sender, line };
    }
    start = end + 1;
  }
}

const NEWLINE = 0x0a;
const RECEIVED = '"receivedtime":"';
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;

/**
 * Returns the receipt time at the end of a decoded line. No string inside an event can end a line
 * this way.
 */
function receivedOf(bytes: Uint8Array, text: string, from: number, to: number): string | null {
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
