import { referenceOf, type AnyEvent, type EventType, type Line } from '#audit';

/** What is kept of an event next to the fold's state. */
export interface Heard {
  readonly type: EventType;
  readonly source: string;
  /** The reference of an event that opens a shoe; null for another. */
  readonly opening: string | null;
  readonly time: string;
  readonly session: string | undefined;
  readonly sequence: number | null;
  /** Whether it is a card that nobody could read. */
  readonly isUnread: boolean;
}

/** Reads an event, which a `RecordReader` has read before. Throws if its line cannot be scanned. */
export function heardOf(event: AnyEvent | Line): Heard {
  if (!('decoder' in event)) {
    const { type, source, time, session, sequence = null } = event;
    const opening = type === 'shoe-opened' ? referenceOf(event) : null;
    const isUnread = event.type === 'card-drawn' && event.data.card === null;
    return { type, source, opening, time, session, sequence, isUnread };
  }
  const scanner = event.decoder.scanned(event.block, event.from, event.to);
  if (!scanner) throw new Error('a line that was scanned before cannot be scanned again');
  const { type, sequence, isUnread } = scanner;
  const { source, session } = scanner.origin;
  return {
    type,
    source,
    opening: type === 'shoe-opened' ? referenceOf({ source, id: scanner.id() }) : null,
    time: scanner.time(),
    session,
    sequence: sequence === 0 ? null : sequence,
    isUnread,
  };
}
