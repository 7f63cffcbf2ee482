import { CARDS, type Card } from '#baccarat';
import { digestOf } from './digest.js';
import type { AnyEvent, EventData, EventType } from './events.js';
import { timeOf } from './time.js';

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
  private block!: Block;
  private at = 0;
  private ok = true;
  private date = '';
  private readonly seen = new Map<EventType, Header>();

  constructor(private readonly hasBet: (id: string) => boolean) {}

  /** The event on the line `[from, to)` of `block`, or `undefined` when this is not a line for the fast way. */
  scan(block: Block, from: number, to: number): AnyEvent | undefined {
    this.block = block;
    this.at = from;
    this.ok = to - from > 120 && to - from < 4096;
    if (!this.ok || !this.literal(OPENING)) return undefined;
    const kind = KINDS.get(block.view.getInt32(this.at + 4, true));
    if (kind === undefined || !this.literal(kind.rest)) return undefined;
    const header = this.header(kind.type);
    const source = (header.source = this.known(header.source));
    this.literal(ID);
    const id = this.string();
    this.literal(TIME);
    const time = this.time();
    this.literal(TABLE);
    const table = (header.table = this.known(header.table));
    this.literal(SHOE);
    const shoe = (header.shoe = this.known(header.shoe));
    let session: string | undefined;
    let sequence: number | undefined;
    if (this.peek(SESSION)) {
      session = header.session = this.known(header.session ?? '');
      this.literal(SEQUENCE);
      sequence = this.whole(1);
    } else this.byte(QUOTE);
    this.literal(DATA);
    if (!this.ok) return undefined;
    const data = this.data(kind.type);
    const end = this.at;
    if (!this.ok || !this.closes(to)) return undefined;
    const digest = digestOf(block.view, from, end);
    return { type: kind.type, source, id, time, table, shoe, session, sequence, data, digest } as AnyEvent;
  }

  private header(type: EventType): Header {
    let header = this.seen.get(type);
    if (header === undefined) this.seen.set(type, (header = { source: '', table: '', shoe: '', session: '' }));
    return header;
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

  private cardDrawn(): EventData['card-drawn'] {
    this.literal(CARD);
    let card: Card | null = null;
    if (this.peek(QUOTE_ONLY)) {
      card = this.card();
      this.byte(QUOTE);
    } else this.literal(NULL);
    this.literal(TO);
    const to = this.peek(PLAYER) ? 'player' : this.peek(BANKER) ? 'banker' : this.peek(BURN) ? 'burn' : null;
    if (to === null) this.literal(NULL);
    const exposed = this.peek(EXPOSED_TRUE) ? true : this.peek(EXPOSED_FALSE) ? false : undefined;
    this.byte(CLOSE);
    return exposed === undefined ? { card, to } : { card, to, exposed };
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
    if (this.block.bytes[this.at] !== wanted) this.ok = false;
    this.at += 1;
  }

  /** Steps over exactly these bytes; the line is not for the fast way where others stand. */
  private literal(wanted: Literal): boolean {
    if (this.ok) this.ok = this.peek(wanted);
    return this.ok;
  }

  /** Steps over these bytes where they stand, and says whether they did. */
  private peek({ words, rest }: Literal): boolean {
    const { view, bytes } = this.block;
    let at = this.at;
    if (at + words.length * 4 + rest.length > bytes.length) return false;
    for (let i = 0; i < words.length; i += 1, at += 4) if (view.getInt32(at, true) !== words[i]) return false;
    for (let i = 0; i < rest.length; i += 1, at += 1) if (bytes[at] !== rest[i]) return false;
    this.at = at;
    return true;
  }

  /** A string of printable ASCII without escapes, up to its closing quote, which is not stepped over. */
  private string(): string {
    const { bytes, text } = this.block;
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

  /** As `string`, giving back `last` itself where the same text stands again, so that a log has one copy of each name. */
  private known(last: string): string {
    const { bytes } = this.block;
    const length = last.length;
    if (length > 0 && bytes[this.at + length] === QUOTE && this.block.text.startsWith(last, this.at)) {
      this.at += length;
      return last;
    }
    return flat(this.string());
  }

  /** A whole number of at most 15 digits, without leading zero, not under `least`. */
  private whole(least: number): number {
    const { bytes } = this.block;
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
    const { bytes, text } = this.block;
    if (this.date !== '' && text.startsWith(this.date, from) && bytes[from + 24] === QUOTE && isClock(bytes, from + 10)) {
      this.at = from + 24;
      return text.substring(from, from + 24);
    }
    const time = this.string();
    if (this.ok && timeOf(time) === undefined) this.ok = false;
    if (this.ok && time.length === 24) this.date = flat(time.substring(0, 10));
    return time;
  }

  private card(): Card | null {
    const { bytes } = this.block;
    const card = CARD_AT[((bytes[this.at] as number) << 7) | (bytes[this.at + 1] as number)];
    if (card === undefined) this.ok = false;
    this.at += 2;
    return card ?? null;
  }
}

interface Header {
  source: string;
  table: string;
  shoe: string;
  session: string | undefined;
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

function literal(text: string): Literal {
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getInt32(i * 4, true));
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
const CARD = literal('"card":');
const QUOTE_ONLY = literal('"');
const NULL = literal('null');
const TO = literal(',"to":');
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

/** The fast types by the fifth to eighth letters of their names, which tell them apart. */
const KINDS = new Map(
  FAST.map((type) => {
    const fifthToEighth = literal(type.slice(4, 8)).words[0] as number;
    return [fifthToEighth, { type, rest: literal(`${type}.v1","source":"`) }] as const;
  }),
);

const CARD_AT: (Card | undefined)[] = Array.from({ length: 1 << 14 });
for (const card of CARDS) CARD_AT[(card.charCodeAt(0) << 7) | card.charCodeAt(1)] = card;

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;

/** Whether `T12:34:56.789Z` stands at `at`, hours and minutes within a day; a leap second is left to the slow reading. */
function isClock(bytes: Uint8Array, at: number): boolean {
  const b = (i: number): number => bytes[at + i] as number;
  if (b(0) !== 0x54 || b(3) !== 0x3a || b(6) !== 0x3a || b(9) !== 0x2e || b(13) !== 0x5a) return false;
  if (!(isDigit(b(1)) && isDigit(b(2)) && isDigit(b(4)) && isDigit(b(5)) && isDigit(b(7)) && isDigit(b(8)))) return false;
  if (!(isDigit(b(10)) && isDigit(b(11)) && isDigit(b(12)))) return false;
  return (b(1) - 48) * 10 + b(2) - 48 < 24 && b(4) < 0x36 && b(7) < 0x36;
}

/** A copy that does not keep the block it was cut from alive. */
const flat = (text: string): string => (text.length < 13 ? text : JSON.parse(JSON.stringify(text)) as string);
