import { referenceOf, type AnyEvent, type EventType } from '../events/events.js';
import { timeOf } from '../events/time.js';
import type { Decoder } from './decode.js';
import type { Block } from './line-reader.js';
import type { Scanner } from './scan.js';

/** An event as the bytes of a line: where it lies in its block, and the decoder that reads it. */
export interface Line {
  readonly decoder: Decoder;
  readonly block: Block;
  readonly from: number;
  readonly to: number;
}

/** What is heard of an event at once: who sent it, from which table and when. */
export interface Heard {
  readonly type: EventType;
  readonly source: string;
  readonly table: string;
  /** The reference of an event that opens a shoe; null for another. */
  readonly opening: string | null;
  /** Its time in milliseconds since 1970, with a fraction if the text has one. */
  readonly instant: number;
  readonly session: string | undefined;
  readonly sequence: number | null;
  /** Whether it is a card that nobody could read. */
  readonly isUnread: boolean;
}

/**
 * Reads an event, and makes no object of one that is a line. Throws if the scanner does not take
 * the line.
 */
export function heardOf(event: AnyEvent | Line): Heard {
  if (!('decoder' in event)) {
    const { type, source, table, time, session, sequence = null } = event;
    const opening = type === 'shoe-opened' ? referenceOf(event) : null;
    const isUnread = event.type === 'card-drawn' && event.data.card === null;
    const instant = timeOf(time) as number;
    return { type, source, table, opening, instant, session, sequence, isUnread };
  }
  const scanner = scannedAgain(event);
  const { type, sequence, isUnread } = scanner;
  const { source, table, session } = scanner.origin;
  return {
    type,
    source,
    table,
    opening: type === 'shoe-opened' ? referenceOf({ source, id: scanner.id() }) : null,
    instant: scanner.instant(),
    session,
    sequence: sequence === 0 ? null : sequence,
    isUnread,
  };
}

/** Returns the time of an event as it is written. Throws if the scanner does not take its line. */
export const timeIn = (event: AnyEvent | Line): string =>
  'decoder' in event ? scannedAgain(event).time() : event.time;

function scannedAgain({ decoder, block, from, to }: Line): Scanner {
  const scanner = decoder.scanned(block, from, to);
  if (!scanner) throw new Error('a line that was scanned before cannot be scanned again');
  return scanner;
}

/** Returns an event as an object. Throws if it is a line that cannot be read. */
export function eventOf(event: AnyEvent | Line): AnyEvent {
  if (!('decoder' in event)) return event;
  const { decoder, block, from, to } = event;
  const { event: read, faults } = decoder.decode(block, from, to);
  if (read) return read;
  const why = faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim());
  throw new Error(`the line cannot be read: ${why.join('; ')}`);
}
