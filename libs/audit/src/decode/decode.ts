import { canonicalContent, canonicalData } from '../events/canonical.js';
import { digestOf, takeNumber, takeText } from '../admission/digest.js';
import { type AnyEvent } from '../events/events.js';
import { inspect, type Fault } from './json-text.js';
import type { Block } from './line-reader.js';
import { Names } from '../events/names.js';
import { headLanes, idAndTime, Scanner } from './scan.js';
import { knownType, upcast } from '../events/upcast.js';
import { EVENT_BYTES_MAX, faultsOf, type House } from '../events/validate.js';

/**
 * A line read: an event, or everything that is wrong with it. A decoder that refuses stamps gives the event's `content`,
 * which is what is to be appended, where the bytes given are not that already.
 */
export type Decoded =
  | { readonly event: AnyEvent; readonly content?: string; readonly faults?: undefined }
  | { readonly event?: undefined; readonly faults: readonly Fault[] };

/** No event is this long, however it is spaced; such a line is refused unread. */
const LINE_BYTES_MAX = 4 * EVENT_BYTES_MAX;

/**
 * Reads table events from bytes. Two ways to one answer: the scanner for canonical lines, and JSON.parse with a full
 * account of every fault for the rest.
 */
export class Decoder {
  private readonly names = new Names();
  private readonly scanner: Scanner;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly encoder = new TextEncoder();

  /** `stamps`: whether the api's own marks may stand on the lines, as on those of a log. */
  constructor(
    private readonly house: House,
    private readonly stamps: 'accepted' | 'refused' = 'accepted',
  ) {
    this.scanner = new Scanner((id) => house.hasBet(id), this.names);
  }

  /** The event on the line `[from, to)` of `block`, line ending left out, or its faults. Never throws on any bytes. */
  decode(block: Block, from: number, to: number): Decoded {
    const event = this.scanner.scan(block, from, to);
    if (event !== undefined && (this.stamps === 'accepted' || block.bytes[to - 2] === 0x7d))
      return { event };
    return this.explain(block.bytes.subarray(from, to));
  }

  /** As `decode`, for one event alone, the slow way. */
  explain(bytes: Uint8Array): Decoded {
    if (bytes.length > LINE_BYTES_MAX) return refused(`is over ${EVENT_BYTES_MAX} bytes`);
    let text: string;
    try {
      text = this.utf8.decode(bytes);
    } catch {
      return refused('is not UTF-8');
    }
    if (text.startsWith('\uFEFF'))
      return refused('begins with a byte order mark, which JSON does not allow');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return refused(`is not JSON: ${(error as Error).message}`);
    }
    const faults = faultsOf(value, this.house, this.stamps);
    // A line that is its own canonical form has no key twice and no number that was rounded: there is nothing to inspect,
    // but in a correction, whose data stands there as it was sent.
    if (
      faults.length === 0 &&
      !text.includes('\\') &&
      !text.includes(CORRECTION) &&
      canonicalLine(text, value) === text
    )
      return this.accept(value as Readonly<Record<string, unknown>>, text);
    faults.unshift(...inspect(text));
    return faults.length > 0
      ? { faults: distinct(faults) }
      : this.accept(value as Readonly<Record<string, unknown>>, text);
  }

  private accept(value: Readonly<Record<string, unknown>>, text: string): Decoded {
    const name = value.type as string;
    const type = knownType(name);
    if (type === undefined)
      throw new Error(`an event of unknown type ${name} was found well-formed`);
    const content = canonicalContent(value, type, text);
    if (
      content.length * 3 > EVENT_BYTES_MAX &&
      this.encoder.encode(content).length > EVENT_BYTES_MAX
    )
      return refused(`is over ${EVENT_BYTES_MAX} bytes`);
    const { id, time, sequence } = value as unknown as Envelope;
    const { source, table, shoe, session } = this.names.ofAll(value as unknown as Envelope);
    const lanes = headLanes(type, { source, table, shoe, session });
    takeText(lanes, idAndTime(id, time));
    takeNumber(lanes, sequence ?? 0);
    takeText(lanes, canonicalData(type, value, text).slice(1, -1));
    const data = upcast(name, value.data as Readonly<Record<string, unknown>>);
    const event = {
      type,
      source,
      id,
      time,
      table,
      shoe,
      session,
      sequence,
      data,
      digest: digestOf(lanes),
    } as AnyEvent;
    return this.stamps === 'accepted' || content === text ? { event } : { event, content };
  }
}

interface Envelope {
  readonly source: string;
  readonly id: string;
  readonly time: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
  readonly sequence: number | undefined;
}

/** The canonical line of a well-formed event given as JSON text, without stamps; `value` is the text parsed. Throws where it is of no known type. */
export function canonicalLine(text: string, value: unknown = JSON.parse(text)): string {
  const event = value as Readonly<Record<string, unknown>>;
  const type = typeof event.type === 'string' ? knownType(event.type) : undefined;
  if (type === undefined) throw new Error('no canonical line of an unknown event type');
  return canonicalContent(event, type, text);
}

/** A block over bytes of which `text` is the ISO 8859-1 reading. */
export const blockOf = (bytes: Uint8Array, text: string): Block => ({
  bytes,
  text,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
});

const CORRECTION = 'observation-corrected';

const refused = (reason: string): Decoded => ({ faults: [{ pointer: '', reason }] });

const distinct = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.pointer} ${fault.reason}`, fault])).values(),
];
