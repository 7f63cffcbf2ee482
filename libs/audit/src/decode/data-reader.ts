import { CARDS, type Card } from '#baccarat';
import type { EventData, EventType } from '../events/events.js';
import type { LineReader } from './line-reader.js';
import { literal, QUOTE, wordOf, type Literal } from './literal.js';
import { flat } from '../events/names.js';

/**
 * The event types that make up nearly all of a log. Their canonical data is read directly from the
 * bytes.
 */
export const FAST: readonly EventType[] = [
  'card-drawn',
  'coup-opened',
  'coup-closed',
  'bet-placed',
  'bet-withdrawn',
  'betting-closed',
  'bet-settled',
  'outcome-declared',
  'hand-called',
  'dealer-signed-on',
  'dealer-relieved',
  'commission-collected',
  'seat-left',
];

type Writable<D> = { -readonly [field in keyof D]: D[field] };

/**
 * Reads the data of the fast types, in exactly their canonical form: field by field, in the order
 * of contract section 2.
 */
export class DataReader {
  private readonly bets: { readonly id: string; readonly quoted: Literal }[] = [];

  /** `hasBet`: whether an id is that of a bet. */
  constructor(
    private readonly line: LineReader,
    private readonly hasBet: (id: string) => boolean,
  ) {}

  /** Returns the data of an event of a fast type, and skips its closing brace. */
  data(type: EventType): EventData[EventType] {
    switch (type) {
      case 'card-drawn':
        return this.cardDrawn();
      case 'coup-opened':
        return this.coupOpened();
      case 'bet-placed':
      case 'bet-withdrawn':
        return this.stake();
      case 'bet-settled':
        return this.settled();
      case 'outcome-declared':
        return this.outcome();
      case 'hand-called':
        return this.called();
      case 'dealer-signed-on':
      case 'dealer-relieved':
        return this.duty();
      case 'commission-collected':
        return this.closed(this.collected());
      case 'seat-left':
        return this.closed(this.left());
      default:
        return this.closed(NOTHING);
    }
  }

  private closed<D>(data: D): D {
    this.line.byte(CLOSE);
    return data;
  }

  /** Reads the data of more than half of a log: `"card":"9S","to":"player"}`. */
  private cardDrawn(): EventData['card-drawn'] {
    const { view, at } = this.line;
    const named =
      at + 17 <= this.line.bytes.length &&
      view.getInt32(at, true) === CARD_1 &&
      view.getInt32(at + 4, true) === CARD_2 &&
      view.getInt32(at + 10, true) === TO_1 &&
      view.getInt32(at + 13, true) === TO_2;
    if (!named) return this.cardNotNamed();
    const card =
      CARD_AT[((this.line.bytes[at + 8] as number) << 8) | (this.line.bytes[at + 9] as number)];
    if (card === undefined) this.line.ok = false;
    this.line.at = at + 17;
    return this.cardTo(card as Card);
  }

  private cardNotNamed(): EventData['card-drawn'] {
    this.line.literal(CARD_UNREAD);
    return this.cardTo(null);
  }

  private cardTo(card: Card | null): EventData['card-drawn'] {
    const to = this.line.peek(PLAYER)
      ? 'player'
      : this.line.peek(BANKER)
        ? 'banker'
        : this.line.peek(BURN)
          ? 'burn'
          : this.line.peek(OUT)
            ? 'out'
            : null;
    if (to === null) this.line.literal(NULL);
    if (this.line.bytes[this.line.at] === CLOSE) {
      this.line.at += 1;
      return { card, to };
    }
    const exposed = this.line.peek(EXPOSED_TRUE);
    if (!exposed) this.line.literal(EXPOSED_FALSE);
    this.line.byte(CLOSE);
    return { card, to, exposed };
  }

  private coupOpened(): EventData['coup-opened'] {
    this.line.literal(COUP);
    return this.closed({ coup: this.line.whole(1) });
  }

  private stake(): EventData['bet-placed'] {
    const { seat, bet } = this.seatAndBet();
    this.line.literal(AMOUNT);
    return this.closed({ seat, bet, amount: this.line.whole(0) });
  }

  private settled(): EventData['bet-settled'] {
    const { seat, bet } = this.seatAndBet();
    this.line.literal(STAKE);
    const stake = this.line.peek(RETURNED) ? 'returned' : 'taken';
    if (stake === 'taken') this.line.literal(TAKEN);
    this.line.literal(PAID);
    const data: Writable<EventData['bet-settled']> = { seat, bet, stake, paid: this.line.whole(0) };
    if (this.line.peek(COMMISSION_TAKEN)) data.commissionTaken = this.line.whole(0);
    if (this.line.peek(COMMISSION_MARKED)) data.commissionMarked = this.line.whole(0);
    return this.closed(data);
  }

  private outcome(): EventData['outcome-declared'] {
    this.line.literal(OUTCOME);
    const outcome = this.line.peek(PLAYER) ? 'player' : this.line.peek(BANKER) ? 'banker' : 'tie';
    if (outcome === 'tie') this.line.literal(TIE);
    const data: Writable<EventData['outcome-declared']> = { outcome, by: 'dealer' };
    if (this.line.peek(PLAYER_TOTAL)) data.player = this.total();
    if (this.line.peek(BANKER_TOTAL)) data.banker = this.total();
    if (this.line.peek(SPECIALS)) data.specials = this.listOfNames();
    this.line.literal(BY);
    if (!this.line.peek(DEALER)) {
      this.line.literal(DEVICE);
      data.by = 'device';
    }
    return this.closed(data);
  }

  private total(): number {
    const total = this.line.whole(0);
    if (total > 9) this.line.ok = false;
    return total;
  }

  private listOfNames(): string[] {
    const names: string[] = [];
    if (this.line.bytes[this.line.at] !== CLOSE_LIST) {
      do {
        this.line.byte(QUOTE);
        names.push(this.line.string());
        this.line.byte(QUOTE);
      } while (this.line.ok && this.line.bytes[this.line.at] === COMMA && (this.line.at += 1) > 0);
    }
    this.line.byte(CLOSE_LIST);
    return names;
  }

  private called(): EventData['hand-called'] {
    this.line.literal(HAND);
    const hand = this.line.peek(PLAYER) ? 'player' : 'banker';
    if (hand === 'banker') this.line.literal(BANKER);
    this.line.literal(TOTAL);
    return this.closed({ hand, total: this.total() });
  }

  private duty(): EventData['dealer-signed-on'] {
    this.line.literal(DEALER_NAME);
    const dealer = flat(this.line.string());
    this.line.literal(ROLE);
    const role = this.line.peek(DEALER) ? 'dealer' : 'caller';
    if (role === 'caller') this.line.literal(CALLER);
    return this.closed({ dealer, role });
  }

  private seatAndBet(): { seat: number; bet: string } {
    this.line.literal(SEAT);
    const seat = this.line.whole(1);
    this.line.literal(BET);
    return { seat, bet: this.bet() };
  }

  /** Reads a bet id with its closing quote. Ids seen before are compared and not looked up. */
  private bet(): string {
    for (const { id, quoted } of this.bets) if (this.line.peek(quoted)) return id;
    const id = this.line.string();
    if (!this.line.ok || !this.hasBet(id)) this.line.ok = false;
    else this.bets.push({ id: flat(id), quoted: literal(`${id}"`) });
    this.line.byte(QUOTE);
    return id;
  }

  private collected(): EventData['commission-collected'] {
    const { seat } = this.left();
    this.line.literal(AMOUNT);
    return { seat, amount: this.line.whole(0) };
  }

  private left(): EventData['seat-left'] {
    this.line.literal(SEAT);
    return { seat: this.line.whole(1) };
  }
}

/** The byte of a closing brace. */
export const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

const CARD_1 = wordOf('"car');
const CARD_2 = wordOf('d":"');
const TO_1 = wordOf('","t');
const TO_2 = wordOf('to":');
const CARD_UNREAD = literal('"card":null,"to":');
const NULL = literal('null');
const PLAYER = literal('"player"');
const BANKER = literal('"banker"');
const BURN = literal('"burn"');
const OUT = literal('"out"');
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

/** Cards by both bytes, so that no byte above 0x7f counts as a suit. */
const CARD_AT: (Card | undefined)[] = Array.from({ length: 1 << 16 });
for (const card of CARDS) CARD_AT[(card.charCodeAt(0) << 8) | card.charCodeAt(1)] = card;
