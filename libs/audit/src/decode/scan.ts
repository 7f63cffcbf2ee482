import {
  digestOf,
  newLanes,
  takeBytes,
  takeLanes,
  takeNumber,
  takeText,
  type Lanes,
} from '../admission/digest.js';
import { kindsOf, type MessageKind } from '../admission/message-kinds.js';
import { EVENT_TYPES, SHAPES, type AnyEvent, type EventType } from '../events/events.js';
import type { HeadNames, Names } from '../events/names.js';
import { timeOf } from '../events/time.js';
import { isSource, type House } from '../events/validate.js';
import { DataReader, UNREAD_CARD } from './data-reader.js';
import { GRAMMARS, partAt, type Grammar } from './grammar.js';
import { LineReader, type Block } from './line-reader.js';
import { endOfString, literal, NEVER, QUOTE, stands, type Literal } from './literal.js';

/**
 * Scans the canonical lines of every event type, if they are plain ASCII of a usual length, and
 * checks every byte. It leaves everything else to the explaining path (decode.ts), which accepts
 * the line or explains why not. A property test compares the two. What a line says is kept in
 * fields that the next line uses again: no object is made unless `event` is called. The scanner
 * reads a line's header and its end, and `DataReader` its data by the grammar of `SHAPES`; they
 * share a position in `LineReader`.
 */
export class Scanner {
  /** What the last line said, if `scan` returned true. */
  type: EventType = 'card-drawn';
  origin: Origin = NO_ORIGIN;
  /** 0 for an event without a number. */
  sequence = 0;
  isStamped = false;
  readonly data: DataReader;
  private kind: Kind = NO_KIND;
  private idFrom = 0;
  private timeFrom = 0;
  private timeTo = 0;
  private dataFrom = 0;
  private dataTo = 0;
  private readonly line = new LineReader();
  private readonly lanes = newLanes();
  private readonly kinds = allKinds();
  /** The stamps of the last lines: of the last one, and of one before it. */
  private stamp = NO_STAMP;
  private formerStamp = NO_STAMP;
  /** Whether the stamps of the line that was read are like `stamp`, and where their time begins. */
  private isStampUsual = false;
  private receivedFrom = 0;
  private receivedTo = 0;

  constructor(
    private readonly house: House,
    private readonly names: Names,
    private readonly origins = new Map<string, Origin>(),
  ) {
    this.data = new DataReader(this.line, house);
  }

  /**
   * Reads the line `[from, to)` of `block`. Returns false if the line needs the explaining path.
   */
  scan(block: Block, from: number, to: number): boolean {
    if (to - from > LINE_BYTES_MAX) return false;
    this.line.open(block);
    const kind = this.kindAt(from + NAME_AT);
    if (kind === undefined) return false;
    if (!this.knownHead(kind, from) && !this.newHead(kind, from)) return false;
    this.kind = kind;
    this.type = kind.type;
    return this.readData(kind) && this.closes(to);
  }

  /** Returns the kind of the line whose type's own name begins at `at`. */
  private kindAt(at: number): Kind | undefined {
    const { bytes, view } = this.line;
    if (at + NAME_READ > bytes.length) return undefined;
    const kinds = this.kinds[slotOf(view, at)] as readonly Kind[];
    if (kinds.length === 1) return kinds[0]; // the line is compared with its name in any case
    for (const kind of kinds) if (stands(view, bytes, at, kind.name)) return kind;
    return undefined;
  }

  /**
   * Reads a line up to its data's number, if it begins like another of its type. The headers that
   * were read last are compared first, as two sources may report one thing by turns, and lines of
   * some tables may be mixed.
   */
  private knownHead(kind: Kind, from: number): boolean {
    const { headers } = kind;
    for (let i = 0; i < headers.length; i += 1) {
      const header = headers[i] as Header;
      if (!this.beginsLike(header, from)) continue;
      if (i > 0) toFront(headers, i);
      return true;
    }
    const known = kind.known.size > headers.length ? this.knownHeader(kind, from) : undefined;
    if (known === undefined || headers.includes(known) || !this.beginsLike(known, from))
      return false;
    keepInFront(headers, known);
    return true;
  }

  private beginsLike({ opening, origin }: Header, from: number): boolean {
    const { bytes, view } = this.line;
    if (!stands(view, bytes, from, opening)) return false;
    const idFrom = from + opening.length;
    const idTo = endOfString(bytes, idFrom);
    const timeFrom = idTo + TIME.length;
    const middleFrom = timeFrom + TIME_LENGTH - 1;
    if (
      idTo <= idFrom ||
      !stands(view, bytes, middleFrom, origin.middle) ||
      !stands(view, bytes, idTo, origin.day) ||
      !isClock(view, timeFrom + DAY_LENGTH)
    )
      return false;
    this.idFrom = idFrom;
    this.timeFrom = timeFrom;
    this.timeTo = timeFrom + TIME_LENGTH;
    this.origin = origin;
    this.line.start(middleFrom + origin.middle.length);
    return true;
  }

  /** Returns the header of the line's source and table, if lines of them were read before. */
  private knownHeader(kind: Kind, from: number): Header | undefined {
    const { line } = this;
    const { bytes } = line;
    const sourceFrom = from + NAME_AT + kind.name.length;
    const sourceTo = endOfString(bytes, sourceFrom);
    const idTo = endOfString(bytes, sourceTo + ID.length);
    const tableFrom = endOfString(bytes, idTo + TIME.length) + TABLE.length;
    const tableTo = endOfString(bytes, tableFrom);
    if (sourceTo < 0 || idTo < 0 || tableTo < 0) return undefined;
    const isOfShoe = stands(this.line.view, bytes, tableTo, SHOE);
    const session = isOfShoe ? endOfString(bytes, tableTo + SHOE.length) : tableTo;
    const isNumbered = session >= 0 && stands(this.line.view, bytes, session, SESSION);
    const source = line.text(sourceFrom, sourceTo);
    return kind.known.get(keyOf(source, line.text(tableFrom, tableTo), isOfShoe, isNumbered));
  }

  /**
   * Reads a line up to its data's number that does not begin like one before it, and keeps its
   * header to compare later lines with.
   */
  private newHead(kind: Kind, from: number): boolean {
    const { line } = this;
    line.start(from);
    line.literal(OPENING);
    line.literal(kind.name);
    const source = line.name();
    if (!isSource(source) || (kind.isReview && !source.startsWith('person/'))) return false;
    line.literal(ID);
    this.idFrom = line.at;
    line.name();
    line.literal(TIME);
    this.timeFrom = line.at;
    const time = line.name();
    this.timeTo = line.at;
    if (!line.ok || timeOf(time) === undefined) return false;
    return this.newMiddle(kind, source, time);
  }

  /** Reads the names of a line from its table on, and keeps them. */
  private newMiddle(kind: Kind, source: string, time: string): boolean {
    const { line } = this;
    line.literal(TABLE);
    const table = line.name();
    const shoe = line.peek(SHOE) ? line.name() : undefined;
    const session = line.peek(SESSION) ? line.name() : undefined;
    line.literal(session === undefined ? DATA_AT_ONCE : SEQUENCE);
    if (!line.ok || (shoe === undefined && kind.hasShoe)) return false;
    if (kind.isReview && (shoe !== undefined || session !== undefined)) return false;
    const origin = this.originOf({ source, table, shoe, session });
    if (time.length === TIME_LENGTH) origin.sentOn(time.slice(0, DAY_LENGTH));
    this.origin = origin;
    this.keep(kind, origin);
    return true;
  }

  /** Returns what lines of a source at a table have in common, with the names that are heard now. */
  private originOf(names: HeadNames): Origin {
    const { source, table, shoe, session } = names;
    const key = keyOf(source, table, shoe !== undefined, session !== undefined);
    const length = [source, table, shoe, session].join('').length;
    if (length > HEADER_NAMES_MAX) return new Origin(key, this.names.ofAll(names));
    const known = this.origins.get(key);
    if (known === undefined) return this.newOrigin(key, names);
    if (known.shoe !== shoe || known.session !== session) known.name(this.names.ofAll(names));
    return known;
  }

  private newOrigin(key: string, names: HeadNames): Origin {
    const origin = new Origin(key, this.names.ofAll(names));
    if (this.origins.size >= ORIGINS_MAX) this.forget();
    this.origins.set(key, origin);
    return origin;
  }

  private forget(): void {
    this.origins.clear();
    for (const kind of this.kinds.flat()) {
      kind.headers.length = 0;
      kind.known.clear();
    }
  }

  private keep(kind: Kind, origin: Origin): void {
    const { key } = origin;
    const known = kind.known.get(key);
    if (known !== undefined) {
      const i = kind.headers.indexOf(known);
      if (i > 0) toFront(kind.headers, i);
      else if (i < 0) keepInFront(kind.headers, known);
    } else if (this.origins.get(key) === origin) {
      const opening = `${OPENING_TEXT}${kind.type}${VERSION_TEXT}${origin.source}${ID_TEXT}`;
      const header = { opening: literal(opening), origin };
      kind.known.set(key, header);
      keepInFront(kind.headers, header);
    }
  }

  /** Reads the event's number, if it has one, and its data. */
  private readData(kind: Kind): boolean {
    const { line } = this;
    this.sequence = 0;
    if (this.origin.session !== undefined) {
      this.sequence = line.whole();
      if (this.sequence < 1) return false;
      line.literal(DATA);
    }
    this.dataFrom = line.at;
    this.data.read(kind.grammar);
    this.dataTo = line.at - 1;
    return line.ok && (kind.type !== 'finding-ruling-proposed' || this.hasDisposition(kind));
  }

  private hasDisposition({ grammar }: Kind): boolean {
    const value = (wanted: string): string => {
      const i = grammar.findIndex(({ name }) => name === wanted);
      return this.data.value(grammar[i] as Grammar[number], i) as string;
    };
    return this.house.hasDisposition(value('policy'), value('disposition'));
  }

  /**
   * Reads the event's closing brace at the very end of the line, after the api's stamps if there
   * are any.
   */
  private closes(to: number): boolean {
    const { line } = this;
    this.isStamped = line.bytes[line.at] !== CLOSE;
    if (!this.isStamped) return line.at + 1 === to;
    if (this.isStampedLike(this.stamp, to)) return true;
    const { stamp } = this;
    this.stamp = this.formerStamp;
    this.formerStamp = stamp;
    return this.isStampedLike(this.stamp, to) || this.newStamp(to);
  }

  private isStampedLike({ opening }: Stamp, to: number): boolean {
    const { view, bytes, at } = this.line;
    const clock = at + opening.length;
    this.isStampUsual =
      clock + STAMP_END === to &&
      stands(view, bytes, at, opening) &&
      isClock(view, clock) &&
      bytes[to - 3] === ZULU &&
      bytes[to - 2] === QUOTE &&
      bytes[to - 1] === CLOSE;
    this.receivedFrom = clock - DAY_LENGTH;
    return this.isStampUsual;
  }

  private newStamp(to: number): boolean {
    const { line } = this;
    const { at } = line;
    line.literal(RECEIVED_FROM);
    line.name();
    line.literal(RECEIVED_TIME);
    this.receivedFrom = line.at;
    const time = line.name();
    this.receivedTo = line.at;
    line.byte(QUOTE);
    line.byte(CLOSE);
    if (!line.ok || line.at !== to || timeOf(time) === undefined) return false;
    if (time.length === TIME_LENGTH && this.receivedFrom - at <= HEADER_NAMES_MAX)
      this.stamp = {
        opening: literal(line.text(at, this.receivedFrom + DAY_LENGTH)),
        midnight: timeOf(`${time.slice(0, DAY_LENGTH)}00:00:00Z`) as number,
      };
    return true;
  }

  /** Returns the digest of the content of the line that was read. */
  digest(): number {
    const { lanes, origin } = this;
    const { view } = this.line;
    lanes.a = origin.lanes.a;
    lanes.b = origin.lanes.b;
    takeLanes(lanes, this.kind.lanes);
    takeBytes(lanes, view, this.idFrom, this.timeTo);
    takeNumber(lanes, this.sequence);
    takeBytes(lanes, view, this.dataFrom, this.dataTo);
    return digestOf(lanes);
  }

  /** Returns the id of the line that was read. */
  id(): string {
    return this.line.text(this.idFrom, this.timeFrom - TIME.length);
  }

  /** Returns the time of the line that was read. */
  time(): string {
    return this.line.text(this.timeFrom, this.timeTo);
  }

  /** Returns the time of the line that was read, in milliseconds since 1970. */
  instant(): number {
    const { view } = this.line;
    const clock = this.timeFrom + DAY_LENGTH;
    return this.timeTo - this.timeFrom === TIME_LENGTH && isClock(view, clock)
      ? this.origin.midnight + clockAt(view, clock)
      : (timeOf(this.time()) as number);
  }

  /**
   * Returns when the server received the line that was read, in milliseconds since 1970, with a
   * fraction if the text has one; NaN for a line without stamps.
   */
  received(): number {
    if (!this.isStamped) return NaN;
    const { line, receivedFrom } = this;
    return this.isStampUsual
      ? this.stamp.midnight + clockAt(line.view, receivedFrom + DAY_LENGTH)
      : (timeOf(line.text(receivedFrom, this.receivedTo)) as number);
  }

  /** The kinds of message that the line which was read is. */
  get messages(): readonly MessageKind[] {
    return this.kind.messages;
  }

  /** Whether the line that was read is of a card that nobody could read. */
  get isUnread(): boolean {
    return this.type === 'card-drawn' && this.data.numberAt(CARD) === UNREAD_CARD;
  }

  /** Returns the event of the line that was read. */
  event(): AnyEvent {
    const { origin, kind, sequence } = this;
    return {
      type: kind.type,
      source: origin.source,
      id: this.id(),
      time: this.time(),
      table: origin.table,
      shoe: origin.shoe,
      session: origin.session,
      sequence: sequence === 0 ? undefined : sequence,
      data: this.data.data(kind.type, kind.grammar),
      digest: this.digest(),
      position: undefined,
    } as AnyEvent;
  }
}

/** What the lines of one source at one table have in common, as long as the names stay. */
export class Origin implements HeadNames {
  readonly source: string;
  readonly table: string;
  shoe: string | undefined;
  session: string | undefined;
  /** The part of a line from the end of its time to its number or data. */
  middle = NEVER;
  /** The part between its id and the clock of its time. */
  day = NEVER;
  /** When that day begins, in milliseconds since 1970. */
  midnight = NaN;
  private dayText = '';
  /** The digest of the names. */
  lanes: Lanes = newLanes();

  constructor(
    readonly key: string,
    names: HeadNames,
  ) {
    this.source = names.source;
    this.table = names.table;
    this.name(names);
  }

  /** Takes the day of a line, with the T that follows. */
  sentOn(day: string): void {
    if (day === this.dayText) return;
    this.dayText = day;
    this.day = literal(`${TIME_TEXT}${day}`);
    this.midnight = timeOf(`${day}00:00:00Z`) as number;
  }

  /** Takes the names of another shoe or session. */
  name(names: HeadNames): void {
    const { table, shoe, session } = names;
    this.shoe = shoe;
    this.session = session;
    this.middle = literal(
      `Z","table":"${table}${shoe === undefined ? '' : `","shoe":"${shoe}`}${session === undefined ? '","data":{' : `","session":"${session}","sequence":`}`,
    );
    this.lanes = nameLanes(names);
  }
}

/** How the stamps of lines begin that one server received on one day. */
interface Stamp {
  /** Up to the clock of the time. */
  readonly opening: Literal;
  /** When that day begins, in milliseconds since 1970. */
  readonly midnight: number;
}

const NO_STAMP: Stamp = { opening: NEVER, midnight: NaN };

/** How lines of one type from one origin begin. */
interface Header {
  /** Up to the id. */
  readonly opening: Literal;
  readonly origin: Origin;
}

interface Kind {
  readonly type: EventType;
  /** The type's own name, up to the name of the source. */
  readonly name: Literal;
  readonly grammar: Grammar;
  readonly hasShoe: boolean;
  readonly isReview: boolean;
  readonly messages: readonly MessageKind[];
  readonly lanes: Lanes;
  /** The headers of the last lines, the last one first, and all. */
  readonly headers: Header[];
  readonly known: Map<string, Header>;
}

/** Returns a key of names that contain no control characters. */
const keyOf = (source: string, table: string, isOfShoe: boolean, isNumbered: boolean): string =>
  `${source}\n${table}\n${isOfShoe ? 1 : 0}${isNumbered ? 1 : 0}`;

/** Headers compared before they are looked up. */
const HEADERS_MAX = 8;

function toFront(headers: Header[], i: number): void {
  const header = headers[i] as Header;
  for (let later = i; later > 0; later -= 1) headers[later] = headers[later - 1] as Header;
  headers[0] = header;
}

function keepInFront(headers: Header[], header: Header): void {
  headers.unshift(header);
  if (headers.length > HEADERS_MAX) headers.pop();
}

/** The origins kept. Beyond this, they are collected from zero. */
const ORIGINS_MAX = 4096;
/** The longest names kept, because a sender may invent names. */
const HEADER_NAMES_MAX = 400;
/** Few lines are longer, and those need not be fast. */
const LINE_BYTES_MAX = 4096;

const OPENING_TEXT = '{"specversion":"1.0","type":"shoeprint.';
const VERSION_TEXT = '.v1","source":"';
const ID_TEXT = '","id":"';
const TIME_TEXT = '","time":"';
const OPENING = literal(OPENING_TEXT);
const ID = literal(ID_TEXT);
const TIME = literal(TIME_TEXT);
const TABLE = literal('","table":"');
const SHOE = literal('","shoe":"');
const SESSION = literal('","session":"');
const SEQUENCE = literal('","sequence":');
const DATA = literal(',"data":{');
const DATA_AT_ONCE = literal('","data":{');
const RECEIVED_FROM = literal(',"receivedfrom":"');
const RECEIVED_TIME = literal('","receivedtime":"');
const CLOSE = 0x7d;
const ZULU = 0x5a;

const CARD = partAt('card-drawn', 'card');

/** Where the type's own name begins on a canonical line. */
const NAME_AT = OPENING_TEXT.length;
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;
const DAY_LENGTH = '2026-11-20T'.length;
/** The length of a stamp from its clock on. */
const STAMP_END = '12:00:00.123Z"}'.length;

const NO_ORIGIN = new Origin('', { source: '', table: '', shoe: undefined, session: undefined });

/** Returns an id and a time as they are on a canonical line. */
export const idAndTime = (id: string, time: string): string => `${id}${TIME_TEXT}${time}`;

/** Returns the lanes of what lines of one type, source, table, shoe and session have in common. */
export function headLanes(type: EventType, names: HeadNames): Lanes {
  const lanes = nameLanes(names);
  takeLanes(lanes, typeLanes(type));
  return lanes;
}

/** Returns the lanes of what lines of one source, table, shoe and session have in common. */
function nameLanes({ source, table, shoe, session }: HeadNames): Lanes {
  const lanes = newLanes();
  for (const text of [source, table, shoe ?? '\0', session ?? '\0']) takeText(lanes, text);
  return lanes;
}

function typeLanes(type: EventType): Lanes {
  const lanes = newLanes();
  takeText(lanes, type);
  return lanes;
}

const kindOf = (type: EventType): Kind => ({
  type,
  name: literal(`${type}${VERSION_TEXT}`),
  grammar: GRAMMARS.get(type) as Grammar,
  hasShoe: SHAPES[type].shoe,
  isReview: SHAPES[type].by === 'reviewer',
  messages: kindsOf(type),
  lanes: typeLanes(type),
  headers: [],
  known: new Map(),
});

const NO_KIND = kindOf('card-drawn');

/** Returns all types, each at the slot of its name. A slot has few. */
function allKinds(): readonly Kind[][] {
  const slots = Array.from({ length: 1 << SLOT_BITS }, (): Kind[] => []);
  for (const type of EVENT_TYPES) {
    const kind = kindOf(type);
    const { buffer } = kind.name.bytes;
    (slots[slotOf(new DataView(buffer), 0)] as Kind[]).push(kind);
  }
  return slots;
}

/** Returns the slot of a type by two words of its name and what follows it on every line. */
const slotOf = (view: DataView, at: number): number =>
  Math.imul(
    view.getInt32(at + 5, true) ^ Math.imul(view.getInt32(at + LAST_WORD, true), 0x85ebca6b),
    0x9e3779b1,
  ) >>>
  (32 - SLOT_BITS);
const SLOT_BITS = 10;
const LAST_WORD = 15;
const NAME_READ = LAST_WORD + 4;

/**
 * Returns whether a time of day, `12:34:56.789`, is at `at`. Compares the marks and the high halves
 * of the digits of four bytes at once, and then their low halves with 9. A leap second is left to
 * the explaining path. The caller has compared what follows, so that the bytes are in the view.
 */
function isClock(view: DataView, at: number): boolean {
  const hours = view.getInt32(at, true);
  const seconds = view.getInt32(at + 4, true);
  const millis = view.getInt32(at + 8, true);
  const isForm =
    (hours & 0xf0fff0f0) === 0x303a3030 &&
    (seconds & 0xf0f0fff0) === 0x30303a30 &&
    (millis & 0xf0f0f0ff) === 0x3030302e;
  const beyondNine =
    (((hours & 0x0f000f0f) + 0x06000606) & 0x10001010) |
    (((seconds & 0x0f0f000f) + 0x06060006) & 0x10100010) |
    (((millis & 0x0f0f0f00) + 0x06060600) & 0x10101000);
  const hour = (hours & 15) * 10 + ((hours >> 8) & 15);
  return (
    isForm &&
    beyondNine === 0 &&
    hour < 24 &&
    ((hours >>> 24) & 15) < 6 &&
    ((seconds >>> 16) & 15) < 6
  );
}

/** Returns the milliseconds since midnight of the time of day at `at`, which is in the form above. */
const clockAt = (view: DataView, at: number): number =>
  ((twoAt(view, at) * 60 + twoAt(view, at + 3)) * 60 + twoAt(view, at + 6)) * 1000 +
  twoAt(view, at + 9) * 10 +
  (view.getUint8(at + 11) & 15);

const twoAt = (view: DataView, at: number): number =>
  (view.getUint8(at) & 15) * 10 + (view.getUint8(at + 1) & 15);
