import { CARDS, type Card } from '#baccarat';
import { isCurrency } from '../events/currency.js';
import type { EventData, EventType } from '../events/events.js';
import { flat } from '../events/names.js';
import { timeOf } from '../events/time.js';
import { REMARK_MAX, type House } from '../events/validate.js';
import { PARTS_MAX, type Grammar, type Part } from './grammar.js';
import { isAsWritten } from './json-text.js';
import type { LineReader } from './line-reader.js';
import { endOfString, isPlain, literal, QUOTE, type Literal } from './literal.js';

/** The number of a card that was not read. */
export const UNREAD_CARD = 52;

/**
 * Reads the data of an event in exactly its canonical form, by the grammar of its type. Keeps what
 * it read in fields that the next line uses again, each at the place of its part in the grammar.
 * The caller shares the position of `line`, and looks at its `ok`.
 */
export class DataReader {
  /** The parts that the data has, as bits. */
  private has = 0;
  /**
   * The number of a part: a whole number, the place of a value in the part's list, of a card in
   * `CARDS`, or of a bet in `betIds`.
   */
  private readonly numbers = new Float64Array(PARTS_MAX);
  /**
   * Where the text of a part, or the elements of its list, are in the block; -1 if a part that may
   * be text is a number.
   */
  private readonly from = new Int32Array(PARTS_MAX);
  private readonly to = new Int32Array(PARTS_MAX);
  /** The bets that were read so far. */
  private readonly betIds: string[] = [];
  private readonly quotedBets: Literal[] = [];

  constructor(
    private readonly line: LineReader,
    private readonly house: House,
  ) {}

  /** Reads the data from behind its opening brace up to and including its closing brace. */
  read(grammar: Grammar): void {
    const { line } = this;
    this.has = 0;
    for (let i = 0; i < grammar.length; i += 1) {
      const part = grammar[i] as Part;
      if (line.peek(this.has === 0 ? part.first : part.later)) {
        this.has |= 1 << i;
        this.part(part, i);
      } else if (!part.isOptional) line.ok = false;
      if (!line.ok) return;
    }
    line.byte(CLOSE_OBJECT);
  }

  private part(part: Part, i: number): void {
    switch (part.reads) {
      case 'value':
        this.numbers[i] = this.oneOf(part);
        break;
      case 'number':
        this.numbers[i] = this.whole(part);
        break;
      case 'card':
        this.numbers[i] = this.card(part);
        break;
      case 'bet':
        this.numbers[i] = this.bet();
        break;
      case 'list':
        this.list(part, i);
        break;
      case 'json':
        this.object(part, i);
        break;
      case 'text or number':
        this.textOrNumber(part, i);
        break;
      case 'text':
        this.text(part, i);
    }
  }

  private oneOf({ written }: Part): number {
    for (let i = 0; i < written.length; i += 1) if (this.line.peek(written[i] as Literal)) return i;
    this.line.ok = false;
    return 0;
  }

  private whole({ least, most }: Part): number {
    const value = this.line.whole();
    if (value < least || value > most) this.line.ok = false;
    return value;
  }

  private card({ is }: Part): number {
    const { line } = this;
    const { bytes, at } = line;
    const card = CARD_AT[((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)] as number;
    if (card > 0 && bytes[at] === QUOTE && bytes[at + 3] === QUOTE) {
      line.at = at + 4;
      return card - 1;
    }
    if (is === 'card-or-unread') line.literal(NULL);
    else line.ok = false;
    return UNREAD_CARD;
  }

  /** Reads a bet. Those that were read before are compared and not looked up. */
  private bet(): number {
    const { line, quotedBets } = this;
    for (let i = 0; i < quotedBets.length; i += 1)
      if (line.peek(quotedBets[i] as Literal)) return i;
    line.byte(QUOTE);
    const id = flat(line.name());
    line.byte(QUOTE);
    if (!line.ok || !this.house.hasBet(id)) {
      line.ok = false;
      return 0;
    }
    quotedBets.push(literal(`"${id}"`));
    return this.betIds.push(id) - 1;
  }

  private text({ is }: Part, i: number): void {
    const { line } = this;
    line.byte(QUOTE);
    const from = line.at;
    line.string();
    const to = line.at;
    line.byte(QUOTE);
    this.from[i] = from;
    this.to[i] = to;
    if (is === 'text' || is === 'code') return;
    if (to === from) line.ok = false;
    else if (is !== 'id' && line.ok) line.ok = this.isTextOf(is, line.text(from, to));
  }

  private isTextOf(is: Part['is'], text: string): boolean {
    switch (is) {
      case 'remark':
        return text.length <= REMARK_MAX;
      case 'time':
        return timeOf(text) !== undefined;
      case 'digest':
        return /^[0-9a-f]{64}$/.test(text);
      case 'currency':
        return isCurrency(text);
      case 'rules':
        return this.house.hasRules(text);
      case 'policy':
        return this.house.hasPolicy(text);
      default:
        return false;
    }
  }

  private textOrNumber(part: Part, i: number): void {
    const { line } = this;
    if (part.is === 'code' && line.bytes[line.at] === QUOTE) return this.text(part, i);
    this.from[i] = -1;
    if (part.is === 'code') this.numbers[i] = this.signed();
    else this.numbers[i] = line.peek(NULL) ? UNKNOWN : line.whole();
  }

  private signed(): number {
    const { line } = this;
    const isNegative = line.bytes[line.at] === MINUS;
    if (isNegative) line.at += 1;
    const value = line.whole();
    if (isNegative && value === 0) line.ok = false;
    return isNegative ? -value : value;
  }

  private list(part: Part, i: number): void {
    const { line } = this;
    line.byte(OPEN_LIST);
    this.from[i] = line.at;
    if (line.bytes[line.at] !== CLOSE_LIST) {
      this.element(part);
      while (line.ok && line.bytes[line.at] === COMMA) {
        line.at += 1;
        this.element(part);
      }
    }
    this.to[i] = line.at;
    line.byte(CLOSE_LIST);
  }

  private element(part: Part): void {
    if (part.is === 'cards') this.card(part);
    else if (part.is === 'some-of') this.oneOf(part);
    else {
      this.line.byte(QUOTE);
      this.line.name();
      this.line.byte(QUOTE);
    }
  }

  /** Reads JSON that is written as JSON.stringify writes it. */
  private object(part: Part, i: number): void {
    const { line } = this;
    const from = line.at;
    const to = endOfObject(line.bytes, from);
    if (to < 0) {
      line.ok = false;
      return;
    }
    line.at = to;
    this.from[i] = from;
    this.to[i] = to;
    const text = line.text(from, to);
    const value = parsed(text);
    if (value === undefined || !isAsWritten(value, text)) line.ok = false;
    else if (part.is === 'limits' && !this.areLimits(value)) line.ok = false;
  }

  private areLimits(limits: object): boolean {
    return Object.entries(limits).every(([bet, limit]) => this.house.hasBet(bet) && isLimit(limit));
  }

  /** Returns the data that was read, of a type with this grammar. */
  data(type: EventType, grammar: Grammar): EventData[EventType] {
    if (this.has === 0) return NOTHING;
    const data = this.usual(type, grammar);
    if (data !== undefined) return data;
    const any: Record<string, unknown> = {};
    for (let i = 0; i < grammar.length; i += 1)
      if ((this.has & (1 << i)) !== 0) {
        const part = grammar[i] as Part;
        any[part.name] = this.value(part, i);
      }
    return any;
  }

  /**
   * Returns the data of the types that make up nearly all of a log, if it has no rare part: an
   * object that is written out is made several times as fast as one whose fields are named.
   */
  private usual(type: EventType, grammar: Grammar): object | undefined {
    const { has, numbers, betIds } = this;
    const first = numbers[0] as number;
    const second = numbers[1] as number;
    const third = numbers[2] as number;
    switch (type) {
      case 'card-drawn':
        if (has !== 0b11) return undefined;
        return { card: CARDS[first] ?? null, to: grammar[1]?.values[second] };
      case 'bet-placed':
        return { seat: first, bet: betIds[second], amount: third };
      case 'bet-settled':
        if (has !== 0b1111) return undefined;
        return {
          seat: first,
          bet: betIds[second],
          stake: grammar[2]?.values[third],
          paid: numbers[3],
        };
      case 'coup-opened':
        return has === 0b1 ? { coup: first } : undefined;
      case 'hand-called':
        return { hand: grammar[0]?.values[first], total: second };
      default:
        return undefined;
    }
  }

  /** Returns the value of a part that the data has. */
  value(part: Part, i: number): unknown {
    const number = this.numbers[i] as number;
    switch (part.reads) {
      case 'value':
        return part.values[number];
      case 'number':
        return number;
      case 'card':
        return number === UNREAD_CARD ? null : CARDS[number];
      case 'bet':
        return this.betIds[number];
      case 'list':
        return this.elements(i);
      case 'json':
        return JSON.parse(this.textAt(i));
      case 'text or number':
        if (this.from[i] !== -1) return flat(this.textAt(i));
        return number === UNKNOWN && part.is === 'count-or-unknown' ? null : number;
      case 'text':
        return flat(this.textAt(i));
    }
  }

  /** Returns whether the data has a part. */
  hasPart(i: number): boolean {
    return (this.has & (1 << i)) !== 0;
  }

  /**
   * Returns the number of a part that the data has: a whole number, the place of a value in the
   * part's list, or of a card in `CARDS`.
   */
  numberAt(i: number): number {
    return this.numbers[i] as number;
  }

  /** Returns the number of a part; 0 if the data does not have it. */
  amountAt(i: number): number {
    return this.hasPart(i) ? (this.numbers[i] as number) : 0;
  }

  /** Returns the id of a part that is a bet. */
  betAt(i: number): string {
    return this.betIds[this.numbers[i] as number] as string;
  }

  /** Returns a part that is a text, or the elements of one that is a list, as they are written. */
  textAt(i: number): string {
    return this.line.text(this.from[i] as number, this.to[i] as number);
  }

  /** Returns the elements of a part that is a list. */
  elements(i: number): string[] {
    const from = (this.from[i] as number) + 1;
    const to = (this.to[i] as number) - 1;
    return to < from ? [] : this.line.text(from, to).split('","');
  }
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    // the explaining path says why
    return undefined;
  }
}

function isLimit(limit: unknown): boolean {
  if (typeof limit !== 'object' || limit === null) return false;
  const { min, max } = limit as { readonly min?: unknown; readonly max?: unknown };
  return Object.keys(limit).join() === 'min,max' && isAmount(min) && isAmount(max);
}

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Returns the position behind the JSON object of printable ASCII without escapes that begins at
 * `from`; -1 if there is none. What lies within it need not be JSON.
 */
function endOfObject(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== OPEN_OBJECT) return -1;
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
      if (at < 0) return -1;
    } else if (!isPlain(byte)) return -1;
    else if (byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_OBJECT && (depth -= 1) === 0) return at + 1;
  }
  return -1;
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});
/** Stands for an unknown count. */
const UNKNOWN = -1;
const CLOSE_OBJECT = 0x7d;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const NULL = literal('null');

/**
 * The places of cards in `CARDS`, plus one, by both bytes, so that no byte above 0x7f counts as a
 * suit.
 */
const CARD_AT = new Uint8Array(1 << 16);
CARDS.forEach((card: Card, i) => {
  CARD_AT[(card.charCodeAt(0) << 8) | card.charCodeAt(1)] = i + 1;
});
