import { canonicalContent, canonicalData } from '../events/canonical.js';
import { digestOf, takeNumber, takeText } from '../admission/digest.js';
import { type AnyEvent } from '../events/events.js';
import { inspect, isAsWritten, type Fault } from './json-text.js';
import { BytesBlock, TextBlock, type Block, type TextOf } from './line-reader.js';
import { Names } from '../events/names.js';
import { headLanes, idAndTime, Scanner } from './scan.js';
import { knownType, upcast } from '../events/upcast.js';
import { EVENT_BYTES_MAX, faultsOf, type House } from '../events/validate.js';

/**
 * A decoded line: an event, or all of its faults. A decoder that refuses stamps also returns the
 * event's `content`, to be appended, if it differs from the bytes passed in.
 */
export type Decoded =
  | { readonly event: AnyEvent; readonly content?: string; readonly faults?: undefined }
  | RefusedLine;

/** A line that cannot be decoded. `isTooLong`: its one fault is its length. */
export interface RefusedLine {
  readonly event?: undefined;
  readonly faults: readonly Fault[];
  readonly isTooLong?: true;
}

/** No event is this long, however it is spaced. A longer line is refused unread. */
const LINE_BYTES_MAX = 4 * EVENT_BYTES_MAX;

/**
 * Decodes table events from bytes, in two ways with one result: the scanner for canonical lines,
 * and JSON.parse with a full list of faults for all others.
 */
export class Decoder {
  /** Whether the scanner took the last line: it takes canonical lines only. */
  isScanned = false;
  /** The line that the scanner read last. */
  private block: Block | undefined;
  private from = 0;
  private to = 0;
  private readonly names = new Names();
  private readonly scanner: Scanner;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly encoder = new TextEncoder();

  /** `stamps`: whether lines may have the api's stamps, as those of a log do. */
  constructor(
    private readonly house: House,
    private readonly stamps: 'accepted' | 'refused' = 'accepted',
  ) {
    this.scanner = new Scanner(house, this.names);
  }

  /**
   * Returns the event on the line `[from, to)` of `block`, without the line ending, or its faults.
   * Never throws, whatever the bytes.
   */
  decode(block: Block, from: number, to: number): Decoded {
    const scanned = this.scanned(block, from, to);
    return scanned ? { event: scanned.event() } : this.explain(block.bytes.subarray(from, to));
  }

  /**
   * Returns what the scanner read of the line `[from, to)` of `block`, until the next line is read;
   * undefined for a line that only `decode` can read. Looks at the bytes of one line once, although
   * it is called for it again.
   */
  scanned(block: Block, from: number, to: number): Scanner | undefined {
    const { scanner } = this;
    if (block !== this.block || from !== this.from || to !== this.to) {
      this.isScanned = scanner.scan(block, from, to);
      this.block = block;
      this.from = from;
      this.to = to;
    }
    const isRead = this.isScanned && (this.stamps === 'accepted' || !scanner.isStamped);
    return isRead ? scanner : undefined;
  }

  /**
   * Returns the table of the line `[from, to)` of `block` without decoding it; undefined for a line
   * that only `decode` can read.
   */
  tableOf(block: Block, from: number, to: number): string | undefined {
    return this.scanned(block, from, to)?.origin.table;
  }

  /** Returns whether another decoder accepts the same lines, and reads the same from them. */
  isLike({ house, stamps }: Decoder): boolean {
    return this.house === house && this.stamps === stamps;
  }

  /** Decodes one event the slow way, with every fault. */
  explain(bytes: Uint8Array): Decoded {
    if (bytes.length > LINE_BYTES_MAX) return TOO_LONG;
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
    const sent = isAsWritten(value, text) ? null : text;
    if (sent !== null) faults.unshift(...inspect(sent));
    return faults.length > 0
      ? { faults: distinct(faults) }
      : this.accept(value as Readonly<Record<string, unknown>>, text, sent);
  }

  private accept(
    value: Readonly<Record<string, unknown>>,
    text: string,
    sent: string | null,
  ): Decoded {
    const name = value.type as string;
    const type = knownType(name);
    if (type === undefined)
      throw new Error(`an event of unknown type ${name} was found well-formed`);
    const written = canonicalData(type, value, sent);
    const content = canonicalContent(value, type, sent, written);
    if (
      content.length * 3 > EVENT_BYTES_MAX &&
      this.encoder.encode(content).length > EVENT_BYTES_MAX
    )
      return TOO_LONG;
    const { id, time, sequence } = value as unknown as Envelope;
    const { source, table, shoe, session } = this.names.ofAll(value as unknown as Envelope);
    const lanes = headLanes(type, { source, table, shoe, session });
    takeText(lanes, idAndTime(id, time));
    takeNumber(lanes, sequence ?? 0);
    takeText(lanes, written.slice(1, -1));
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
      position: undefined,
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

/**
 * Returns the canonical line of a well-formed event in JSON text, without stamps. `value` is the
 * parsed text. Throws for an unknown type.
 */
export function canonicalLine(text: string, value: unknown = JSON.parse(text)): string {
  const event = value as Readonly<Record<string, unknown>>;
  const type = typeof event.type === 'string' ? knownType(event.type) : undefined;
  if (type === undefined) throw new Error('no canonical line of an unknown event type');
  return canonicalContent(event, type, text);
}

/** Returns a block over bytes. `text` is the bytes decoded as ISO 8859-1. */
export const blockOf = (bytes: Uint8Array, text: string): Block => new TextBlock(bytes, text);

/** Returns a block over bytes, whose text `textOf` makes where it is asked for. */
export const blockCut = (bytes: Uint8Array, textOf: TextOf): Block => new BytesBlock(bytes, textOf);

const refused = (reason: string): RefusedLine => ({ faults: [{ pointer: '', reason }] });

const TOO_LONG: RefusedLine = { ...refused(`is over ${EVENT_BYTES_MAX} bytes`), isTooLong: true };

const distinct = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.pointer} ${fault.reason}`, fault])).values(),
];
