import { CLOSE, DataReader, FAST } from './data-reader.js';
import {
  digestOf,
  newLanes,
  takeBytes,
  takeNumber,
  takeText,
  type Lanes,
} from '../admission/digest.js';
import { SHAPES, type AnyEvent, type EventType } from '../events/events.js';
import { LineReader, type Block } from './line-reader.js';
import { endOfString, literal, NEVER, QUOTE, stands, type Literal } from './literal.js';
import type { HeadNames, Names } from '../events/names.js';
import { timeOf } from '../events/time.js';
import { isSource } from '../events/validate.js';

/**
 * Scans the canonical lines of the event types that make up nearly all of a log, if their strings
 * are plain ASCII, and checks every byte. It leaves everything else to the explaining path
 * (decode.ts), which accepts the line or explains why not. A property test compares the two. The
 * scanner reads a line's header and digest, and `DataReader` its data; they share a position in
 * `LineReader`. This saves the cost of JSON.parse, validation and canonical form, which
 * `bench:audit` measures.
 */
export class Scanner {
  private readonly line = new LineReader();
  private readonly reader: DataReader;
  private day = NEVER;
  private receivedDay = NEVER;
  private readonly lanes = newLanes();

  constructor(
    hasBet: (id: string) => boolean,
    private readonly names: Names,
    private readonly kinds = fastKinds(),
  ) {
    this.reader = new DataReader(this.line, hasBet);
  }

  /**
   * Returns the event on the line `[from, to)` of `block`, or `undefined` if the line needs the
   * explaining path.
   */
  scan(block: Block, from: number, to: number): AnyEvent | undefined {
    if (to - from < 120 || to - from > 4096) return undefined;
    const kind = this.kinds[slotOf(block.bytes, from + NAME_AT)];
    if (kind === undefined) return undefined;
    this.line.open(block);
    // Usually the line begins like the last one of its type. Two sources may report one thing by
    // turns, as shoe and terminal both declare the outcome. Lines of many tables may be mixed, and
    // each is then recognized by its names.
    let { header } = kind;
    if (!stands(block.view, block.bytes, from, header.opening)) {
      header = kind.former;
      kind.former = kind.header;
      kind.header = header;
    }
    let event = this.scanLike(header, from, to);
    if (event === UNLIKE) {
      const known = this.knownHeader(kind, from);
      if (known !== undefined && known !== header) {
        kind.header = known;
        event = this.scanLike(known, from, to);
      }
    }
    return event === UNLIKE ? this.scanAnew(kind, from, to) : event;
  }

  /**
   * Returns the event of a line that begins like others of `header`, or `UNLIKE` if it does not.
   */
  private scanLike(header: Header, from: number, to: number): AnyEvent | undefined | typeof UNLIKE {
    const { bytes, view, text } = this.line;
    const { opening, middle, type } = header;
    if (!stands(view, bytes, from, opening)) return UNLIKE;
    const idFrom = from + opening.length;
    const idTo = endOfString(bytes, idFrom);
    const timeFrom = idTo + TIME_AT;
    if (
      idTo === idFrom ||
      !stands(view, bytes, idTo, this.day) ||
      !isClock(bytes, idTo + this.day.length)
    )
      return UNLIKE;
    const timeTo = timeFrom + TIME_LENGTH;
    if (!stands(view, bytes, timeTo, middle)) return UNLIKE;
    this.line.start(timeTo + middle.length);
    const sequence = header.session === undefined ? undefined : this.numbered();
    const dataFrom = this.line.at;
    const data = this.reader.data(type);
    const dataTo = this.line.at - 1;
    if (!this.line.ok || !this.closes(to)) return undefined;
    const { lanes } = this;
    lanes.a = header.lanes.a;
    lanes.b = header.lanes.b;
    takeBytes(lanes, view, idFrom, timeTo);
    takeNumber(lanes, sequence ?? 0);
    takeBytes(lanes, view, dataFrom, dataTo);
    const { source, table, shoe, session } = header;
    const id = text.substring(idFrom, idTo);
    const time = text.substring(timeFrom, timeTo);
    return {
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
  }

  /** Returns the header of the line's source and table, if lines of them were read before. */
  private knownHeader(kind: Kind, from: number): Header | undefined {
    if (kind.headers.size < 2) return undefined;
    const { bytes, text } = this.line;
    const sourceFrom = from + OPENING.length + kind.name.length;
    const sourceTo = endOfString(bytes, sourceFrom);
    const idTo = endOfString(bytes, sourceTo + ID.length);
    const tableFrom = endOfString(bytes, idTo + TIME.length) + TABLE.length;
    const tableTo = endOfString(bytes, tableFrom);
    return kind.headers.get(
      `${text.substring(sourceFrom, sourceTo)} ${text.substring(tableFrom, tableTo)}`,
    );
  }

  /**
   * Scans a line that does not begin like the last one of its type, and keeps its header to compare
   * later lines with.
   */
  private scanAnew(kind: Kind, from: number, to: number): AnyEvent | undefined {
    this.line.start(from);
    const source = this.opening(kind);
    const idFrom = this.line.at;
    const id = this.line.string();
    this.line.literal(TIME);
    const time = this.time();
    const timeTo = this.line.at;
    const { table, shoe, session, lanes } = this.middle(kind, source);
    const sequence = session === undefined ? undefined : this.numbered();
    if (!this.line.ok) return undefined;
    const dataFrom = this.line.at;
    const data = this.reader.data(kind.type);
    const dataTo = this.line.at - 1;
    if (!this.line.ok || !this.closes(to)) return undefined;
    const sum = this.lanes;
    sum.a = lanes.a;
    sum.b = lanes.b;
    takeBytes(sum, this.line.view, idFrom, timeTo);
    takeNumber(sum, sequence ?? 0);
    takeBytes(sum, this.line.view, dataFrom, dataTo);
    return {
      type: kind.type,
      source,
      id,
      time,
      table,
      shoe,
      session,
      sequence,
      data,
      digest: digestOf(sum),
      position: undefined,
    } as AnyEvent;
  }

  private numbered(): number {
    const sequence = this.line.whole(1);
    this.line.literal(DATA);
    return sequence;
  }

  /** Reads the line up to its id, and returns its source. */
  private opening(kind: Kind): string {
    this.line.literal(OPENING);
    this.line.literal(kind.name);
    const source = this.line.string();
    if (this.line.ok && !isSource(source)) this.line.ok = false;
    this.line.literal(ID);
    return source;
  }

  /**
   * Reads the line from its time to its sequence or data. Later lines are compared with the names
   * that it returns.
   */
  private middle(kind: Kind, source: string): Header {
    this.line.literal(TABLE);
    const table = this.line.string();
    const shoe = this.line.peek(SHOE) ? this.line.string() : undefined;
    if (shoe === undefined && SHAPES[kind.type].shoe) this.line.ok = false;
    const session = this.line.peek(SESSION) ? this.line.string() : undefined;
    this.line.literal(session === undefined ? DATA_AT_ONCE : SEQUENCE);
    if (!this.line.ok) return NO_HEADER;
    const key = `${source} ${table}`;
    const known = kind.headers.get(key);
    if (known && known.source === source && known.shoe === shoe && known.session === session)
      return (kind.header = known);
    if (kind.headers.size >= HEADERS_MAX) kind.headers.clear();
    kind.header = newHeader(
      kind.type,
      this.names.ofAll({ source, table, shoe, session }),
      known ?? NO_HEADER,
    );
    if (nameLength(kind.header) <= HEADER_NAMES_MAX) kind.headers.set(key, kind.header);
    return kind.header;
  }

  /**
   * Reads the event's closing brace at the very end of the line, after the api's stamps if there
   * are any.
   */
  private closes(to: number): boolean {
    if (this.line.at + 1 === to) return this.line.bytes[this.line.at] === CLOSE;
    if (this.line.peek(RECEIVED_FROM)) {
      this.line.string();
      this.line.literal(RECEIVED_TIME);
      this.receipt();
      this.line.byte(QUOTE);
    }
    this.line.byte(CLOSE);
    return this.line.ok && this.line.at === to;
  }

  /**
   * Reads the time of a stamp. It is usually of the same day as the last one. In an older log, the
   * events have another day.
   */
  private receipt(): void {
    const { receivedDay } = this;
    const { bytes, view } = this.line;
    if (
      stands(view, bytes, this.line.at, receivedDay) &&
      isClock(bytes, this.line.at + receivedDay.length)
    ) {
      this.line.at += TIME_LENGTH;
      return;
    }
    const time = this.line.string();
    if (this.line.ok && timeOf(time) === undefined) this.line.ok = false;
    if (this.line.ok && time.length === TIME_LENGTH)
      this.receivedDay = literal(time.substring(0, 11));
  }

  private time(): string {
    const time = this.line.string();
    if (this.line.ok && timeOf(time) === undefined) this.line.ok = false;
    if (this.line.ok && time.length === TIME_LENGTH)
      this.day = literal(`","time":"${time.substring(0, 11)}`);
    return time;
  }
}

/** What lines of one type from one source, about one shoe, have in common. */
interface Header {
  readonly type: EventType;
  source: string;
  table: string;
  shoe: string | undefined;
  session: string | undefined;
  /** The line's beginning up to its id, and its part between its time and its sequence or data. */
  opening: Literal;
  middle: Literal;
  /** The digest of the type and these names. */
  lanes: Lanes;
}

interface Kind {
  readonly type: EventType;
  readonly name: Literal;
  /**
   * The header of the last line, of the last line from another source, and the last of each source
   * at each table.
   */
  header: Header;
  former: Header;
  readonly headers: Map<string, Header>;
}

/** Returned for a line that does not begin as expected. */
const UNLIKE = null;

/** The headers kept for each type. Beyond this, they are collected from zero. */
const HEADERS_MAX = 4096;
/** The longest header kept, because a sender may invent names. */
const HEADER_NAMES_MAX = 400;
const nameLength = ({ opening, middle }: Header): number => opening.length + middle.length;

const OPENING = literal('{"specversion":"1.0","type":"shoeprint.');
const ID = literal('","id":"');
const TIME = literal('","time":"');
const TABLE = literal('","table":"');
const SHOE = literal('","shoe":"');
const SESSION = literal('","session":"');
const SEQUENCE = literal('","sequence":');
const DATA = literal(',"data":{');
const DATA_AT_ONCE = literal('","data":{');
const RECEIVED_FROM = literal(',"receivedfrom":"');
const RECEIVED_TIME = literal('","receivedtime":"');

/** Where the type's own name begins on a canonical line. */
const NAME_AT = '{"specversion":"1.0","type":"shoeprint.'.length;

function newHeader(type: EventType, names: HeadNames, former: Header): Header {
  const { source, table, shoe, session } = names;
  return {
    type,
    source,
    table,
    shoe,
    session,
    opening:
      former.source === source
        ? former.opening
        : literal(`{"specversion":"1.0","type":"shoeprint.${type}.v1","source":"${source}","id":"`),
    middle: literal(
      `","table":"${table}${shoe === undefined ? '' : `","shoe":"${shoe}`}${session === undefined ? '","data":{' : `","session":"${session}","sequence":`}`,
    ),
    lanes: headLanes(type, names),
  };
}
const NO_HEADER: Header = {
  type: 'seat-left',
  source: '',
  table: '',
  shoe: '',
  session: undefined,
  opening: NEVER,
  middle: NEVER,
  lanes: newLanes(),
};

/** Returns an id and a time as they are on a canonical line. */
export const idAndTime = (id: string, time: string): string => `${id}","time":"${time}`;

/** Returns the digest of what lines of one type, source, table, shoe and session have in common. */
export function headLanes(type: EventType, { source, table, shoe, session }: HeadNames): Lanes {
  const lanes = newLanes();
  for (const text of [type, source, table, shoe ?? '\0', session ?? '\0']) takeText(lanes, text);
  return lanes;
}

/**
 * Returns the fast types, each at the slot of the sixth to eighth letter of its name. No two types
 * share a slot.
 */
export function fastKinds(): (Kind | undefined)[] {
  const kinds: (Kind | undefined)[] = Array.from({ length: 256 }, () => undefined);
  for (const type of FAST) {
    const slot = slotOf(
      Uint8Array.from(type, (letter) => letter.charCodeAt(0)),
      0,
    );
    if (kinds[slot]) throw new Error(`${type} and ${kinds[slot].type} share a slot`);
    kinds[slot] = {
      type,
      name: literal(`${type}.v1","source":"`),
      header: NO_HEADER,
      former: NO_HEADER,
      headers: new Map(),
    };
  }
  return kinds;
}

const slotOf = (bytes: Uint8Array, at: number): number =>
  ((bytes[at + 5] as number) + 7 * (bytes[at + 6] as number) + 31 * (bytes[at + 7] as number)) &
  0xff;

/** The distance from an id's end to its time. */
const TIME_AT = '","time":"'.length;
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;

/**
 * Returns whether `12:34:56.789Z"` is at `at`, within a day. A leap second is left to the
 * explaining path.
 */
function isClock(u: Uint8Array, at: number): boolean {
  const marks =
    u[at + 2] === 0x3a &&
    u[at + 5] === 0x3a &&
    u[at + 8] === 0x2e &&
    u[at + 12] === 0x5a &&
    u[at + 13] === QUOTE;
  return (
    marks &&
    pair(u, at) < 24 &&
    pair(u, at + 3) < 60 &&
    pair(u, at + 6) < 60 &&
    pair(u, at + 9) < 100 &&
    pair(u, at + 10) < 100
  );
}

/** Returns the value of two ASCII digits, or at least 100 if either is not a digit. */
function pair(u: Uint8Array, at: number): number {
  const tens = ((u[at] as number) - 48) >>> 0;
  const ones = ((u[at + 1] as number) - 48) >>> 0;
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}
