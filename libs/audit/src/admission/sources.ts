import type { AnyEvent } from '../events/events.js';
import { kindsOf, MESSAGE_KINDS, type MessageKind } from './message-kinds.js';

/** Sources remembered of each table. */
const SOURCES_MAX = 64;

/** A source and the kinds of message that it has sent at a table. */
export interface KnownSource {
  readonly source: string;
  readonly sent: MessageKind[];
  /** How many events of the table had been admitted when it sent its last. */
  admitted: number;
  /** Whether its last `device-online` said what it had missed. Absent if none was heard. */
  saysMissed?: boolean;
}

/**
 * Remembers what kinds of message the source of an admitted event sends, and returns the source.
 * `admitted` counts the admitted events of the table.
 */
export function hear(sources: KnownSource[], event: AnyEvent, admitted: number): KnownSource {
  const known = hearOf(sources, event.source, kindsOf(event.type), admitted);
  if (event.type === 'device-online') known.saysMissed = event.data.missed !== undefined;
  return known;
}

/**
 * Does the same for an event of which only its kinds of message are known, other than
 * `device-online`. Plain loops, because this runs for each event.
 */
export function hearOf(
  sources: KnownSource[],
  source: string,
  kinds: readonly MessageKind[],
  admitted: number,
): KnownSource {
  let known: KnownSource | undefined;
  for (let i = 0; i < sources.length && known === undefined; i += 1)
    if (sources[i]?.source === source) known = sources[i];
  known ??= newSource(sources, source);
  known.admitted = admitted;
  for (let i = 0; i < kinds.length; i += 1) add(known.sent, kinds[i] as MessageKind);
  return known;
}

function add(sent: MessageKind[], kind: MessageKind): void {
  for (let i = 0; i < sent.length; i += 1) if (sent[i] === kind) return;
  sent.push(kind);
}

/** Adds a new source, and forgets the one that was heard longest ago if there are many. */
function newSource(sources: KnownSource[], source: string): KnownSource {
  const fresh = { source, sent: [], admitted: 0 };
  if (sources.length >= SOURCES_MAX) {
    const longest = Math.min(...sources.map(({ admitted }) => admitted));
    sources.splice(
      sources.findIndex(({ admitted }) => admitted === longest),
      1,
    );
  }
  sources.push(fresh);
  return fresh;
}

/**
 * Returns what the source of a gap has sent, with the event that ends it. A gap from number 1, and
 * one of a source that is not remembered, may hide any kind.
 */
export function sentUpTo(
  sources: readonly KnownSource[],
  { source, type }: AnyEvent,
  from: number,
): readonly MessageKind[] {
  const known = sources.find((each) => each.source === source);
  if (from === 1 || !known) return MESSAGE_KINDS;
  const sent = [...known.sent, ...kindsOf(type)];
  return MESSAGE_KINDS.filter((kind) => sent.includes(kind));
}
