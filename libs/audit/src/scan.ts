import { CARDS, type Card } from '#baccarat';
import { digestOf, newLanes, takeBytes, takeNumber, takeText, type Lanes } from './digest.js';
import { SHAPES, type AnyEvent, type EventData, type EventType } from './events.js';
import { timeOf } from './time.js';
import { isSource } from './validate.js';

/** A stretch of a log: its bytes, and the same bytes as a string of one character each (ISO 8859-1). */
export interface Block {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly text: string;
}

/**
 * The fast way in. It accepts the canonical line of the event types that make up nearly all of a log, with plain ASCII
 * strings, checking every byte; anything else it leaves to the explaining path (decode.ts), which takes it or says why
 * not. A property test holds the two to one answer.
 */
export class Scanner {
  private bytes!: Uint8Array;
  private view!: DataView;
  private text!: string;
  private at = 0;
  private ok = true;
  private day = NEVER;
  private readonly lanes = newLanes();
  private readonly bets: { readonly id: string; readonly quoted: Literal }[] = [];
  private readonly kinds = fastKinds();

  constructor(
    private readonly hasBet: (id: string) => boolean,
    private readonly names: Names,
  ) {}

  /** The event on the line `[from, to)` of `block`, or `undefined` when this is not a line for the fast way. */
  scan(block: Block, from: number, to: number): AnyEvent | undefined {
    const { bytes, view, text } = block;
    if (to - from < 120 || to - from > 4096) return undefined;
    const kind = this.kinds[slotOf(bytes, from + NAME_AT)];
    if (kind === undefined) return undefined;
    this.bytes = bytes;
    this.view = view;
    this.text = text;
    const { type } = kind;
    if (!stands(view, bytes, from, kind.header.opening)) {
      // Two sources often tell of the same thing by turns: the shoe and the terminal both declare the outcome.
      if (!stands(view, bytes, from, kind.former.opening)) return this.scanAnew(kind, from, to);
      const last = kind.header;
      kind.header = kind.former;
      kind.former = last;
    }
    const { header } = kind;
    const { opening, middle } = header;
    const idFrom = from + opening.length;
    const idTo = endOfString(bytes, idFrom);
    const timeFrom = idTo + TIME_AT;
    if (idTo === idFrom || !stands(view, bytes, idTo, this.day) || !isClock(bytes, idTo + this.day.length)) return this.scanAnew(kind, from, to);
    const timeTo = timeFrom + TIME_LENGTH;
    if (!stands(view, bytes, timeTo, middle)) return this.scanAnew(kind, from, to);
    this.ok = true;
    this.at = timeTo + middle.length;
    const sequence = header.session === undefined ? undefined : this.numbered();
    const dataFrom = this.at;
    const data = this.data(type);
    const dataTo = this.at - 1;
    if (!this.ok || !this.closes(to)) return undefined;
    const { lanes } = this;
    lanes.a = header.lanes.a;
    lanes.b = header.lanes.b;
    takeBytes(lanes, view, idFrom, timeTo);
    takeNumber(lanes, sequence ?? 0);
    takeBytes(lanes, view, dataFrom, dataTo);
    const { source, table, shoe, session } = header;
    const id = text.substring(idFrom, idTo);
    const time = text.substring(timeFrom, timeTo);
    return { type, source, id, time, table, shoe, session, sequence, data, digest: digestOf(lanes) } as AnyEvent;
  }

  /** As `scan`, for a line that does not begin like the last one of its type: from then on lines are compared with this one. */
  private scanAnew(kind: Kind, from: number, to: number): AnyEvent | undefined {
    this.at = from;
    this.ok = true;
    const source = this.opening(kind);
    const idFrom = this.at;
    const id = this.string();
    this.literal(TIME);
    const time = this.time();
    const timeTo = this.at;
    const { table, shoe, session, lanes } = this.middle(kind, source);
    const sequence = session === undefined ? undefined : this.numbered();
    if (!this.ok) return undefined;
    const dataFrom = this.at;
    const data = this.data(kind.type);
    const dataTo = this.at - 1;
    if (!this.ok || !this.closes(to)) return undefined;
    const sum = this.lanes;
    sum.a = lanes.a;
    sum.b = lanes.b;
    takeBytes(sum, this.view, idFrom, timeTo);
    takeNumber(sum, sequence ?? 0);
    takeBytes(sum, this.view, dataFrom, dataTo);
    return { type: kind.type, source, id, time, table, shoe, session, sequence, data, digest: digestOf(sum) } as AnyEvent;
  }

  private numbered(): number {
    const sequence = this.whole(1);
    this.literal(DATA);
    return sequence;
  }

  /** The line up to its id; gives its source. */
  private opening(kind: Kind): string {
    this.literal(OPENING);
    this.literal(kind.name);
    const source = this.string();
    if (this.ok && !isSource(source)) this.ok = false;
    this.literal(ID);
    return source;
  }

  /** The line from its time to its sequence or data. Its names become what the next line is compared with. */
  private middle(kind: Kind, source: string): Header {
    this.literal(TABLE);
    const table = this.string();
    const shoe = this.peek(SHOE) ? this.string() : undefined;
    if (shoe === undefined && SHAPES[kind.type].shoe) this.ok = false;
    const session = this.peek(SESSION) ? this.string() : undefined;
    this.literal(session === undefined ? DATA_AT_ONCE : SEQUENCE);
    if (!this.ok) return NO_HEADER;
    if (kind.header.source !== source) kind.former = kind.header;
    const key = `${source} ${table}`;
    const known = kind.headers.get(key);
    if (known && known.source === source && known.shoe === shoe && known.session === session) return (kind.header = known);
    if (kind.headers.size > HEADERS_MAX) kind.headers.clear();
    kind.header = newHeader(kind.type, this.names.ofAll({ source, table, shoe, session }), known ?? NO_HEADER);
    kind.headers.set(key, kind.header);
    return kind.header;
  }

  private data(type: EventType): EventData[EventType] {
    switch (type) {
      case 'card-drawn': return this.cardDrawn();
      case 'coup-opened': return this.coupOpened();
      case 'bet-placed': case 'bet-withdrawn': return this.stake();
      case 'bet-settled': return this.settled();
      case 'outcome-declared': return this.outcome();
      case 'hand-called': return this.called();
      case 'dealer-signed-on': case 'dealer-relieved': return this.duty();
      case 'commission-collected': return this.closed(this.collected());
      case 'seat-left': return this.closed(this.left());
      default: return this.nothing();
    }
  }

  private closed<D>(data: D): D {
    this.byte(CLOSE);
    return data;
  }

  private nothing(): Readonly<Record<string, never>> {
    this.byte(CLOSE);
    return NOTHING;
  }

  /** More than half of a log: `"card":"9S","to":"player"}`. */
  private cardDrawn(): EventData['card-drawn'] {
    const { view } = this;
    const at = this.at;
    const named = at + 17 <= this.bytes.length && view.getInt32(at, true) === CARD_1 && view.getInt32(at + 4, true) === CARD_2 && view.getInt32(at + 10, true) === TO_1 && view.getInt32(at + 13, true) === TO_2;
    if (!named) return this.cardNotNamed();
    const card = CARD_AT[((this.bytes[at + 8] as number) << 8) | (this.bytes[at + 9] as number)];
    if (card === undefined) this.ok = false;
    this.at = at + 17;
    return this.cardTo(card as Card);
  }

  private cardNotNamed(): EventData['card-drawn'] {
    this.literal(CARD_UNREAD);
    return this.cardTo(null);
  }

  private cardTo(card: Card | null): EventData['card-drawn'] {
    const to = this.peek(PLAYER) ? 'player' : this.peek(BANKER) ? 'banker' : this.peek(BURN) ? 'burn' : null;
    if (to === null) this.literal(NULL);
    if (this.bytes[this.at] === CLOSE) {
      this.at += 1;
      return { card, to };
    }
    const exposed = this.peek(EXPOSED_TRUE);
    if (!exposed) this.literal(EXPOSED_FALSE);
    this.byte(CLOSE);
    return { card, to, exposed };
  }

  private coupOpened(): EventData['coup-opened'] {
    this.literal(COUP);
    const coup = this.whole(1);
    this.byte(CLOSE);
    return { coup };
  }

  private stake(): EventData['bet-placed'] {
    const { seat, bet } = this.seatAndBet();
    this.literal(AMOUNT);
    const amount = this.whole(0);
    this.byte(CLOSE);
    return { seat, bet, amount };
  }

  private settled(): EventData['bet-settled'] {
    const { seat, bet } = this.seatAndBet();
    this.literal(STAKE);
    const stake = this.peek(RETURNED) ? 'returned' : 'taken';
    if (stake === 'taken') this.literal(TAKEN);
    this.literal(PAID);
    const paid = this.whole(0);
    const taken = this.peek(COMMISSION_TAKEN) ? this.whole(0) : undefined;
    const marked = this.peek(COMMISSION_MARKED) ? this.whole(0) : undefined;
    this.byte(CLOSE);
    return {
      seat, bet, stake, paid,
      ...(taken === undefined ? undefined : { commissionTaken: taken }),
      ...(marked === undefined ? undefined : { commissionMarked: marked }),
    };
  }

  private outcome(): EventData['outcome-declared'] {
    this.literal(OUTCOME);
    const outcome = this.peek(PLAYER) ? 'player' : this.peek(BANKER) ? 'banker' : 'tie';
    if (outcome === 'tie') this.literal(TIE);
    const player = this.peek(PLAYER_TOTAL) ? this.whole(0) : undefined;
    const banker = this.peek(BANKER_TOTAL) ? this.whole(0) : undefined;
    if ((player ?? 0) > 9 || (banker ?? 0) > 9) this.ok = false;
    const specials = this.peek(SPECIALS) ? this.listOfNames() : undefined;
    this.literal(BY);
    const by = this.peek(DEALER) ? 'dealer' : 'device';
    if (by === 'device') this.literal(DEVICE);
    this.byte(CLOSE);
    return { outcome, ...(player === undefined ? undefined : { player }), ...(banker === undefined ? undefined : { banker }), ...(specials === undefined ? undefined : { specials }), by };
  }

  private listOfNames(): string[] {
    const names: string[] = [];
    if (this.bytes[this.at] !== CLOSE_LIST) {
      do {
        this.byte(QUOTE);
        names.push(this.string());
        this.byte(QUOTE);
      } while (this.ok && this.bytes[this.at] === COMMA && (this.at += 1) > 0);
    }
    this.byte(CLOSE_LIST);
    return names;
  }

  private called(): EventData['hand-called'] {
    this.literal(HAND);
    const hand = this.peek(PLAYER) ? 'player' : 'banker';
    if (hand === 'banker') this.literal(BANKER);
    this.literal(TOTAL);
    const total = this.whole(0);
    if (total > 9) this.ok = false;
    this.byte(CLOSE);
    return { hand, total };
  }

  private duty(): EventData['dealer-signed-on'] {
    this.literal(DEALER_NAME);
    const dealer = flat(this.string());
    this.literal(ROLE);
    const role = this.peek(DEALER) ? 'dealer' : 'caller';
    if (role === 'caller') this.literal(CALLER);
    this.byte(CLOSE);
    return { dealer, role };
  }

  private seatAndBet(): { seat: number; bet: string } {
    this.literal(SEAT);
    const seat = this.whole(1);
    this.literal(BET);
    return { seat, bet: this.bet() };
  }

  /** A bet id with its closing quote; those seen before are compared, not looked up. */
  private bet(): string {
    for (const { id, quoted } of this.bets) if (this.peek(quoted)) return id;
    const id = this.string();
    if (!this.ok || !this.hasBet(id)) this.ok = false;
    else this.bets.push({ id: flat(id), quoted: literal(`${id}"`) });
    this.byte(QUOTE);
    return id;
  }

  private collected(): EventData['commission-collected'] {
    const { seat } = this.left();
    this.literal(AMOUNT);
    return { seat, amount: this.whole(0) };
  }

  private left(): EventData['seat-left'] {
    this.literal(SEAT);
    return { seat: this.whole(1) };
  }

  /** The event's own closing brace, with or without the api's stamps before it, at the very end of the line. */
  private closes(to: number): boolean {
    if (this.at + 1 === to) return this.bytes[this.at] === CLOSE;
    if (this.peek(RECEIVED_FROM)) {
      this.string();
      this.literal(RECEIVED_TIME);
      this.time();
      this.byte(QUOTE);
    }
    this.byte(CLOSE);
    return this.ok && this.at === to;
  }

  private byte(wanted: number): void {
    if (this.bytes[this.at] !== wanted) this.ok = false;
    this.at += 1;
  }

  /** Steps over exactly these bytes; the line is not for the fast way where others stand. */
  private literal(wanted: Literal): void {
    if (!this.peek(wanted)) this.ok = false;
  }

  /** Steps over these bytes where they stand, and says whether they did. */
  private peek(wanted: Literal): boolean {
    if (!stands(this.view, this.bytes, this.at, wanted)) return false;
    this.at += wanted.length;
    return true;
  }

  /** A string of printable ASCII without escapes, up to its closing quote, which is not stepped over. */
  private string(): string {
    const from = this.at;
    const to = endOfString(this.bytes, from);
    if (to === from) this.ok = false;
    this.at = to;
    return this.text.substring(from, to);
  }

  /** A whole number of at most 15 digits, without leading zero, not under `least`. */
  private whole(least: number): number {
    const { bytes } = this;
    const from = this.at;
    let value = 0;
    for (let digit = (bytes[this.at] as number) - 48; digit >= 0 && digit <= 9; digit = (bytes[this.at] as number) - 48) {
      value = value * 10 + digit;
      this.at += 1;
    }
    const digits = this.at - from;
    if (digits === 0 || digits > 15 || (digits > 1 && bytes[from] === 48) || value < least) this.ok = false;
    return value;
  }

  private time(): string {
    const time = this.string();
    if (this.ok && timeOf(time) === undefined) this.ok = false;
    if (this.ok && time.length === TIME_LENGTH) this.day = literal(`","time":"${time.substring(0, 11)}`);
    return time;
  }
}

/** What lines of one type have in common while they come from one source, about one shoe. */
interface Header {
  source: string;
  table: string;
  shoe: string | undefined;
  session: string | undefined;
  /** The line's beginning up to its id, and its part from behind its time to its sequence or data. */
  opening: Literal;
  middle: Literal;
  /** The digest so far: of the type and these names. */
  lanes: Lanes;
}

interface Kind {
  readonly type: EventType;
  readonly name: Literal;
  /** That of the last line, of the last line from another source, and the last of each source at each table. */
  header: Header;
  former: Header;
  readonly headers: Map<string, Header>;
}

/** Tables whose names are kept ready for each type; past it they are gathered anew. */
const HEADERS_MAX = 4096;

/**
 * Bytes to compare eight at a time, as doubles: ASCII bytes never make one that is not a number or is zero, so equal
 * doubles are equal bytes. The last double overlaps the one before it where the length is no multiple of eight.
 */
interface Literal {
  readonly doubles: Float64Array;
  /** Where the last double begins; below 0 for a literal of fewer than eight bytes. */
  readonly last: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Whether these bytes stand at `at`. */
function stands(view: DataView, bytes: Uint8Array, at: number, { doubles, last, bytes: wanted, length }: Literal): boolean {
  if (at + length > bytes.length) return false;
  if (last < 0) {
    for (let i = 0; i < length; i += 1) if (bytes[at + i] !== wanted[i]) return false;
    return true;
  }
  const tail = doubles.length - 1;
  for (let i = 0, from = at; i < tail; i += 1, from += 8) if (view.getFloat64(from, true) !== doubles[i]) return false;
  return view.getFloat64(at + last, true) === doubles[tail];
}

/** Where the string of printable ASCII without escapes that begins at `from` has its closing quote; `from` where it has none. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let c = bytes[at] as number; c !== QUOTE; c = bytes[at] as number) {
    if (!(c >= 0x20 && c < 0x7f) || c === BACKSLASH) return from;
    at += 1;
  }
  return at;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** A literal of ASCII text. */
function literal(text: string): Literal {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const last = bytes.length - 8;
  const doubles = new Float64Array(Math.ceil(Math.max(0, last) / 8) + 1);
  if (last >= 0) for (let i = 0; i < doubles.length; i += 1) doubles[i] = view.getFloat64(Math.min(i * 8, last), true);
  return { doubles, last, bytes, length: bytes.length };
}

const wordOf = (text: string): number => new DataView(literal(text).bytes.buffer).getInt32(0, true);

const OPENING = literal('{"specversion":"1.0","type":"shoeprint.');
const ID = literal('","id":"');
const TIME = literal('","time":"');
const TABLE = literal('","table":"');
const SHOE = literal('","shoe":"');
const SESSION = literal('","session":"');
const SEQUENCE = literal('","sequence":');
const DATA = literal(',"data":{');
const DATA_AT_ONCE = literal('","data":{');
const CARD_1 = wordOf('"car');
const CARD_2 = wordOf('d":"');
const TO_1 = wordOf('","t');
const TO_2 = wordOf('to":');
const CARD_UNREAD = literal('"card":null,"to":');
const NULL = literal('null');
const PLAYER = literal('"player"');
const BANKER = literal('"banker"');
const BURN = literal('"burn"');
const EXPOSED_TRUE = literal(',"exposed":true');
const EXPOSED_FALSE = literal(',"exposed":false');
const COUP = literal('"coup":');
const SEAT = literal('"seat":');
const BET = literal(',"bet":"');
const AMOUNT = literal(',"amount":');
const STAKE = literal(',"stake":');
const RETURNED = literal('"returned"');
const TAKEN = literal('"taken"');
const PAID = literal(',"paid":');
const COMMISSION_TAKEN = literal(',"commissionTaken":');
const COMMISSION_MARKED = literal(',"commissionMarked":');
const OUTCOME = literal('"outcome":');
const TIE = literal('"tie"');
const PLAYER_TOTAL = literal(',"player":');
const BANKER_TOTAL = literal(',"banker":');
const SPECIALS = literal(',"specials":[');
const BY = literal(',"by":');
const DEALER = literal('"dealer"');
const DEVICE = literal('"device"');
const DEALER_NAME = literal('"dealer":"');
const ROLE = literal('","role":');
const CALLER = literal('"caller"');
const HAND = literal('"hand":');
const TOTAL = literal(',"total":');
const RECEIVED_FROM = literal(',"receivedfrom":"');
const RECEIVED_TIME = literal('","receivedtime":"');

const FAST: readonly EventType[] = [
  'card-drawn', 'coup-opened', 'coup-closed', 'bet-placed', 'bet-withdrawn', 'betting-closed', 'bet-settled', 'outcome-declared', 'hand-called',
  'dealer-signed-on', 'dealer-relieved', 'commission-collected', 'seat-left',
];

/** Where the type's own name begins on a canonical line. */
const NAME_AT = '{"specversion":"1.0","type":"shoeprint.'.length;

/** A literal that stands nowhere: no line begins with NUL. */
const NEVER = literal('\0\0\0\0');
/** The names that an event's line begins with. */
export interface HeadNames {
  readonly source: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
}

function newHeader(type: EventType, names: HeadNames, former: Header): Header {
  const { source, table, shoe, session } = names;
  return {
    source, table, shoe, session,
    opening: former.source === source ? former.opening : literal(`{"specversion":"1.0","type":"shoeprint.${type}.v1","source":"${source}","id":"`),
    middle: literal(`","table":"${table}${shoe === undefined ? '' : `","shoe":"${shoe}`}${session === undefined ? '","data":{' : `","session":"${session}","sequence":`}`),
    lanes: headLanes(type, names),
  };
}
const NO_HEADER: Header = { source: '', table: '', shoe: '', session: undefined, opening: NEVER, middle: NEVER, lanes: newLanes() };

/** An id and a time as they stand together on a canonical line. */
export const idAndTime = (id: string, time: string): string => `${id}","time":"${time}`;

/** The digest of what lines of a type, source, table, shoe and session have in common. */
export function headLanes(type: EventType, { source, table, shoe, session }: HeadNames): Lanes {
  const lanes = newLanes();
  for (const text of [type, source, table, shoe ?? '\0', session ?? '\0']) takeText(lanes, text);
  return lanes;
}

/** The fast types, each at the slot that the sixth to eighth letter of its name make; no two share one. */
function fastKinds(): (Kind | undefined)[] {
  const kinds: (Kind | undefined)[] = Array.from({ length: 256 }, () => undefined);
  for (const type of FAST) {
    const slot = slotOf(Uint8Array.from(type, (letter) => letter.charCodeAt(0)), 0);
    if (kinds[slot]) throw new Error(`${type} and ${kinds[slot].type} share a slot`);
    kinds[slot] = { type, name: literal(`${type}.v1","source":"`), header: NO_HEADER, former: NO_HEADER, headers: new Map() };
  }
  return kinds;
}

const slotOf = (bytes: Uint8Array, at: number): number => ((bytes[at + 5] as number) + 7 * (bytes[at + 6] as number) + 31 * (bytes[at + 7] as number)) & 0xff;

/** By both bytes whole, so that no byte above 0x7f passes for a suit. */
const CARD_AT: (Card | undefined)[] = Array.from({ length: 1 << 16 });
for (const card of CARDS) CARD_AT[(card.charCodeAt(0) << 8) | card.charCodeAt(1)] = card;

/** From an id's end to its time. */
const TIME_AT = '","time":"'.length;
const TIME_LENGTH = '2026-11-20T12:00:00.123Z'.length;

/** Whether `12:34:56.789Z"` stands at `at`, within a day; a leap second is left to the slow reading. */
function isClock(u: Uint8Array, at: number): boolean {
  const marks = u[at + 2] === 0x3a && u[at + 5] === 0x3a && u[at + 8] === 0x2e && u[at + 12] === 0x5a && u[at + 13] === QUOTE;
  return marks && pair(u, at) < 24 && pair(u, at + 3) < 60 && pair(u, at + 6) < 60 && pair(u, at + 9) < 100 && pair(u, at + 10) < 100;
}

/** The number that two digits make; 100 or more where they are none. */
function pair(u: Uint8Array, at: number): number {
  const tens = ((u[at] as number) - 48) >>> 0;
  const ones = ((u[at + 1] as number) - 48) >>> 0;
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

/**
 * One string for each name of a log: names are compared with each other at every event, which is a comparison of two
 * pointers where equal names are the same string. The copies do not keep the block alive that they were cut from.
 */
export class Names {
  private readonly known = new Map<string, string>();

  of(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    if (this.known.size > NAMES_MAX) this.known.clear();
    const copy = flat(name);
    this.known.set(copy, copy);
    return copy;
  }

  ofAll({ source, table, shoe, session }: HeadNames): HeadNames {
    return { source: this.of(source), table: this.of(table), shoe: shoe === undefined ? undefined : this.of(shoe), session: session === undefined ? undefined : this.of(session) };
  }
}

const NAMES_MAX = 65_536;

/** A copy that does not keep the block alive that it was cut from. */
const flat = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
