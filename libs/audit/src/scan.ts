import { CARDS, type Card } from '#baccarat';
import { digestOf, newLanes, takeBytes, takeNumber, takeText, type Lanes } from './digest.js';
import type { AnyEvent, EventData, EventType } from './events.js';
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
  private readonly kinds = fastKinds();

  constructor(private readonly hasBet: (id: string) => boolean) {}

  /** The event on the line `[from, to)` of `block`, or `undefined` when this is not a line for the fast way. */
  scan(block: Block, from: number, to: number): AnyEvent | undefined {
    this.bytes = block.bytes;
    this.view = block.view;
    this.text = block.text;
    this.ok = true;
    if (to - from < 120 || to - from > 4096) return undefined;
    const kind = this.kinds[slotOf(this.bytes, from + NAME_AT)];
    if (kind === undefined) return undefined;
    this.at = from;
    const header = this.peek(kind.header.opening) ? kind.header : this.opening(kind, from);
    const idFrom = this.at;
    const id = this.string();
    const idTo = this.at;
    this.literal(TIME);
    const timeFrom = this.at;
    const time = this.time();
    const known = this.ok && header === kind.header && this.peek(header.middle) ? header : this.middle(kind, header);
    const sequence = known.session === undefined ? undefined : this.whole(1);
    if (known.session !== undefined) this.literal(DATA);
    if (!this.ok) return undefined;
    const dataFrom = this.at;
    const data = this.data(kind.type);
    const dataTo = this.at;
    if (!this.ok || !this.closes(to)) return undefined;
    const { lanes, view } = this;
    lanes.a = known.lanes.a;
    lanes.b = known.lanes.b;
    takeBytes(lanes, view, idFrom, idTo);
    takeBytes(lanes, view, timeFrom, timeFrom + time.length);
    takeNumber(lanes, sequence ?? 0);
    takeBytes(lanes, view, dataFrom, dataTo - 1);
    const { source, table, shoe, session } = known;
    return { type: kind.type, source, id, time, table, shoe, session, sequence, data, digest: digestOf(lanes) } as AnyEvent;
  }

  /** The line up to its id, where it is not that of the last event of its type. */
  private opening(kind: Kind, from: number): Header {
    this.at = from;
    this.literal(OPENING);
    this.literal(kind.name);
    const source = this.string();
    if (this.ok && !isSource(source)) this.ok = false;
    this.literal(ID);
    return source === kind.header.source ? kind.header : newHeader(source, '', '', undefined);
  }

  /** The line from its time to its data, likewise. What is read twice running becomes what the next line is compared with. */
  private middle(kind: Kind, { source }: Header): Header {
    this.literal(TABLE);
    const table = this.string();
    this.literal(SHOE);
    const shoe = this.string();
    const session = this.peek(SESSION) ? this.string() : undefined;
    this.literal(session === undefined ? DATA_AT_ONCE : SEQUENCE);
    if (!this.ok) return NO_HEADER;
    const { header } = kind;
    if (header.source !== source || header.table !== table || header.shoe !== shoe || header.session !== session) {
      kind.header = newHeader(flat(source), flat(table), flat(shoe), session === undefined ? undefined : flat(session));
      kind.header.lanes = headLanes(kind.type, kind.header);
    } else if (header.middle === NEVER) {
      const end = session === undefined ? `","data":{` : `","session":"${session}","sequence":`;
      header.opening = literal(`{"specversion":"1.0","type":"shoeprint.${kind.type}.v1","source":"${source}","id":"`);
      header.middle = literal(`","table":"${table}","shoe":"${shoe}${end}`);
    }
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
      default: return this.nothing();
    }
  }

  private nothing(): Readonly<Record<string, never>> {
    this.byte(CLOSE);
    return NOTHING;
  }

  /** More than half of a log: `"card":"9S","to":"player"}`. */
  private cardDrawn(): EventData['card-drawn'] {
    const { view } = this;
    const at = this.at;
    const named = view.getInt32(at, true) === CARD_1 && view.getInt32(at + 4, true) === CARD_2 && view.getInt32(at + 10, true) === TO_1 && view.getInt32(at + 13, true) === TO_2;
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
    this.literal(BY);
    const by = this.peek(DEALER) ? 'dealer' : 'device';
    if (by === 'device') this.literal(DEVICE);
    this.byte(CLOSE);
    return { outcome, ...(player === undefined ? undefined : { player }), ...(banker === undefined ? undefined : { banker }), by };
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

  private seatAndBet(): { seat: number; bet: string } {
    this.literal(SEAT);
    const seat = this.whole(1);
    this.literal(BET);
    const bet = this.string();
    if (this.ok && !this.hasBet(bet)) this.ok = false;
    this.byte(QUOTE);
    return { seat, bet };
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
  private peek({ words, rest }: Literal): boolean {
    const { view, bytes } = this;
    let at = this.at;
    if (at + words.length * 4 + rest.length > bytes.length) return false;
    for (let i = 0; i < words.length; i += 1, at += 4) if (view.getInt32(at, true) !== words[i]) return false;
    for (let i = 0; i < rest.length; i += 1, at += 1) if (bytes[at] !== rest[i]) return false;
    this.at = at;
    return true;
  }

  /** A string of printable ASCII without escapes, up to its closing quote, which is not stepped over. */
  private string(): string {
    const { bytes, text } = this;
    const from = this.at;
    let at = from;
    for (let c = bytes[at] as number; c !== QUOTE; c = bytes[++at] as number) {
      if (!(c >= 0x20 && c < 0x7f) || c === BACKSLASH) {
        this.ok = false;
        return '';
      }
    }
    if (at === from) this.ok = false;
    this.at = at;
    return text.substring(from, at);
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

  /** A time; one of the form 2026-11-20T12:00:00.123Z on the day of the last one costs a few comparisons. */
  private time(): string {
    const from = this.at;
    if (this.peek(this.day)) {
      if (isClock(this.bytes, this.at)) {
        this.at = from + TIME_LENGTH;
        return this.text.substring(from, from + TIME_LENGTH);
      }
      this.at = from;
    }
    const time = this.string();
    if (this.ok && timeOf(time) === undefined) this.ok = false;
    if (this.ok && time.length === TIME_LENGTH) this.day = literal(time.substring(0, 11));
    return time;
  }
}

/** What lines of one type have in common while they come from one source, about one shoe. */
interface Header {
  source: string;
  table: string;
  shoe: string;
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
  header: Header;
}

/** Bytes to compare four at a time, and the up to three that are left. */
interface Literal {
  readonly words: Int32Array;
  readonly rest: Uint8Array;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE = 0x7d;
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

const encoder = new TextEncoder();

function literal(text: string): Literal {
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Int32Array(bytes.length >> 2);
  for (let i = 0; i < words.length; i += 1) words[i] = view.getInt32(i * 4, true);
  return { words, rest: bytes.slice(words.length * 4) };
}

const OPENING = literal('{"specversion":"1.0","type":"shoeprint.');
const ID = literal('","id":"');
const TIME = literal('","time":"');
const TABLE = literal('","table":"');
const SHOE = literal('","shoe":"');
const SESSION = literal('","session":"');
const SEQUENCE = literal('","sequence":');
const DATA = literal(',"data":{');
const DATA_AT_ONCE = literal('","data":{');
const [CARD_1, CARD_2] = literal('"card":"').words as unknown as [number, number];
const [TO_1] = literal('","t').words as unknown as [number];
const [TO_2] = literal('to":').words as unknown as [number];
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
const BY = literal(',"by":');
const DEALER = literal('"dealer"');
const DEVICE = literal('"device"');
const HAND = literal('"hand":');
const TOTAL = literal(',"total":');
const RECEIVED_FROM = literal(',"receivedfrom":"');
const RECEIVED_TIME = literal('","receivedtime":"');

const FAST: readonly EventType[] = [
  'card-drawn', 'coup-opened', 'coup-closed', 'bet-placed', 'bet-withdrawn', 'betting-closed', 'bet-settled', 'outcome-declared', 'hand-called',
];

/** Where the type's own name begins on a canonical line. */
const NAME_AT = '{"specversion":"1.0","type":"shoeprint.'.length;

/** A literal that stands nowhere: no line begins with NUL. */
const NEVER = literal('\0\0\0\0');
const newHeader = (source: string, table: string, shoe: string, session: string | undefined): Header => ({ source, table, shoe, session, opening: NEVER, middle: NEVER, lanes: newLanes() });
const NO_HEADER = newHeader('', '', '', undefined);

/** The digest of what lines of a type, source, table, shoe and session have in common. */
export function headLanes(type: EventType, { source, table, shoe, session }: { source: string; table: string; shoe: string | undefined; session: string | undefined }): Lanes {
  const lanes = newLanes();
  for (const text of [type, source, table, shoe ?? '\0', session ?? '\0']) takeText(lanes, text);
  return lanes;
}

/** The fast types, each at the slot that the sixth and seventh letter of its name make; no two share one. */
function fastKinds(): (Kind | undefined)[] {
  const kinds: (Kind | undefined)[] = Array.from({ length: 256 }, () => undefined);
  for (const type of FAST) {
    const slot = slotOf(Uint8Array.from(type, (letter) => letter.charCodeAt(0)), 0);
    if (kinds[slot]) throw new Error(`${type} and ${kinds[slot].type} share a slot`);
    kinds[slot] = { type, name: literal(`${type}.v1","source":"`), header: NO_HEADER };
  }
  return kinds;
}

const slotOf = (bytes: Uint8Array, at: number): number => ((bytes[at + 5] as number) + 7 * (bytes[at + 6] as number)) & 0xff;

/** By both bytes whole, so that no byte above 0x7f passes for a suit. */
const CARD_AT: (Card | undefined)[] = Array.from({ length: 1 << 16 });
for (const card of CARDS) CARD_AT[(card.charCodeAt(0) << 8) | card.charCodeAt(1)] = card;

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

/** A copy that does not keep the block it was cut from alive. */
const flat = (text: string): string => (text.length < 13 ? text : JSON.parse(JSON.stringify(text)) as string);
