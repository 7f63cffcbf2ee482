import { cardIndex, CARDS, permittedBurns, rankOf, type Card } from '#baccarat';
import { UNREAD_CARD } from '../decode/data-reader.js';
import { blockOf, type Decoder } from '../decode/decode.js';
import type { Line } from '../decode/line.js';
import type { Scanner } from '../decode/scan.js';
import type { AnyEvent, EventData, EventOf } from '../events/events.js';
import { flat } from '../events/names.js';
import { PlaySums, type DayOf } from '../rows/play-sums.js';
import { UNCHANGED, type Duty, type Receipt, type SeatAccount, type Shoe } from '../state.js';
import { changeDuty } from '../step.js';
import { CoupLane } from './coup-lane.js';
import {
  BET,
  CALLED,
  CALLED_PLAYER,
  CARD,
  COLLECTED,
  DECLARED,
  NORMAL,
  OPENED,
  OUTCOME,
  RETURNED,
  SETTLED,
  TO,
} from './fields.js';
import { PlayAhead, type DueAhead } from './play-ahead.js';
import { DUE, RuleTables } from './rule-tables.js';
import { Tail, type SavedTail } from './tail.js';
import { STAKE, WagersLane } from './wagers.js';

const NEWLINE = 0x0a;

/** When the cut card appeared: the coup in which it did, or the last one before. */
interface CutCardSeen {
  readonly coup: number | null;
  readonly inside: boolean;
  readonly drawn: number;
}

/** What the lines of a lane did, from the one with this index up to another. */
export interface ChangesAhead {
  /** Of the shoe's own row. */
  readonly mark: number;
  readonly sums: boolean;
  readonly play: PlayAhead;
  readonly from: number;
  readonly to: number;
}

type Closing = Readonly<EventData['shoe-closed']> & { readonly time: string };

/**
 * The lane of one shoe: its play from a moment between two coups on, in small integers. It only
 * answers whether an event is lawful, and if so follows it: it knows no codes, words or ids. All
 * checks of an event come before its first change, so that a refused event leaves everything as it
 * was.
 */
export class ShoeLane {
  /** The account of each seat. */
  readonly ledger = new Map<number, SeatAccount>();
  /** The lines that it took. */
  readonly tail = new Tail();
  readonly copies: Uint16Array;
  /** The cards burned before the first coup; null for one that was not read. */
  readonly burned: (Card | null)[];
  drawn: number;
  coups: number;
  /** How many coups may still be opened; null before the cut card. */
  coupsLeft: number | null;
  /** When the cut card appeared, if the lane took it. */
  cutCard: CutCardSeen | null = null;
  /** The event that closed the shoe, if the lane took it. */
  closing: Closing | null = null;
  isClosed = false;
  isCoupOpen = false;
  /** The mark of the last event that changed the shoe's own row. */
  mark = UNCHANGED;
  /** Whether the ledger or what its coups add up to changed. */
  sums = false;
  /** The commission due on each bet of a coup that is over, in order. */
  readonly dues: DueAhead[] = [];
  /** Whether a coup changed. */
  private hasCoups = false;
  /** How many lines it had when its changes were last taken. */
  private linesTaken = 0;
  private followed: PlayAhead | null = null;
  private readonly rules: RuleTables;
  private readonly coup: CoupLane;
  private readonly wagers: WagersLane;
  private lastNumber: number;
  /** The last coup in which a card was drawn; null if there is none. */
  private lastWithCards: number | null;
  private isBettingClosed = false;
  private isDeclared = false;

  /** Takes over from a shoe between two coups with nothing outstanding. */
  constructor(readonly shoe: Shoe) {
    this.rules = RuleTables.of(shoe.rules);
    this.coup = new CoupLane(this.rules);
    const { limits } = shoe.opening.data;
    const bets = limits ? [...shoe.rules.bets.keys()] : [];
    this.wagers = new WagersLane(
      this.rules,
      bets.map((bet) => (limits && Object.hasOwn(limits, bet) ? limits[bet] : undefined)),
    );
    this.copies = Uint16Array.from(shoe.copies);
    this.burned = shoe.burned.map(({ card }) => card);
    this.drawn = shoe.drawn;
    this.coups = shoe.coups.length;
    this.coupsLeft = shoe.coupsLeft;
    this.lastNumber = shoe.lastNumber;
    this.lastWithCards = shoe.coups.findLast(({ cards }) => cards.length > 0)?.number ?? null;
    for (const [seat, account] of shoe.ledger) this.ledger.set(seat, { ...account });
  }

  /** Whether it has taken lines that the shoe has not stepped through. */
  get isAhead(): boolean {
    return this.tail.count > 0;
  }

  /** Whether lines since its changes were last taken change a row of the shoe. */
  get hasChanged(): boolean {
    return this.isAhead && (this.mark !== UNCHANGED || this.sums || this.hasCoups);
  }

  /** The number of lines whose changes were taken. */
  get taken(): number {
    return this.linesTaken;
  }

  /** What its lines did. Once it was asked for, it follows them. */
  get play(): PlayAhead {
    return (this.followed ??= new PlayAhead(this));
  }

  /** Adds up its coups from now on as they end: so it need not keep them. */
  addUp(dayOf: DayOf): void {
    this.followed = new PlayAhead(this, new PlaySums(dayOf));
  }

  /** Takes the changes of its lines. The lane no longer keeps them. */
  takeChanges(): ChangesAhead | null {
    if (!this.isAhead) return null;
    const { mark, sums, play, linesTaken: from } = this;
    const to = this.tail.count;
    this.forgetChanges(to);
    return { mark, sums, play, from, to };
  }

  private forgetChanges(lines: number): void {
    this.linesTaken = lines;
    this.mark = UNCHANGED;
    this.sums = this.hasCoups = false;
  }

  /**
   * Takes the event that the scanner has read, and returns true; or returns false, and changes
   * nothing, if judging it may have more to say than that it is lawful. `duty` says who is on duty
   * at the table. The event names this shoe, which is not closed, or none.
   */
  take(scanner: Scanner, duty: Duty, receipt: Receipt): boolean {
    const wasCoupOpen = this.isCoupOpen;
    if (!this.follow(scanner, duty, receipt)) return false;
    // whatever happens in a coup is on its row
    this.hasCoups ||= wasCoupOpen || this.isCoupOpen;
    return true;
  }

  /** Keeps the line that it took, which the scanner has just read. */
  add(line: Line, scanner: Scanner, receipt: Receipt): void {
    this.tail.add(line, receipt);
    this.followed?.follow(scanner, this.tail.count, receipt.mark);
  }

  private follow(scanner: Scanner, duty: Duty, { mark }: Receipt): boolean {
    switch (scanner.type) {
      case 'card-drawn':
        return this.card(scanner, duty) && this.marked(mark);
      case 'hand-called':
        return this.call(scanner);
      case 'outcome-declared':
        return this.declare(scanner);
      case 'coup-opened':
        return this.openCoup(scanner) && this.marked(mark);
      case 'coup-closed':
        return this.closeCoup();
      case 'cut-card-drawn':
        return this.showCutCard(mark);
      case 'dealer-signed-on':
      case 'dealer-relieved':
        return this.changeDealer(scanner, duty);
      case 'shoe-closed':
        return this.close(scanner) && this.marked(mark);
      default:
        return this.takeMoney(scanner);
    }
  }

  private takeMoney(scanner: Scanner): boolean {
    switch (scanner.type) {
      case 'bet-placed':
      case 'bet-withdrawn':
        return this.bet(scanner);
      case 'bet-settled':
        return this.settle(scanner);
      case 'betting-closed':
        return this.closeBetting();
      case 'commission-collected':
        return this.collect(scanner);
      case 'seat-left':
        return this.owesNothing(scanner.data.numberAt(0));
      case 'supervisor-called':
      case 'surveillance-notified':
      case 'device-error':
      case 'device-error-cleared':
      case 'device-setting-changed':
        return true; // no judge asks about them
      default:
        return false;
    }
  }

  /**
   * Takes the lines of a tail that was saved, whose changes were taken. Throws if one of them is
   * not lawful.
   */
  resume({ lines, positions }: SavedTail, decoder: Decoder): void {
    const bytes = new TextEncoder().encode(lines);
    const block = blockOf(bytes, lines);
    const duty = { ...this.shoe.duty };
    let from = 0;
    for (const position of positions) {
      const end = bytes.indexOf(NEWLINE, from);
      const to = end < 0 ? bytes.length : end;
      const receipt = { mark: 0, received: null, ...(position !== null && { position }) };
      const scanner = decoder.scanned(block, from, to);
      if (!scanner || !this.take(scanner, duty, receipt))
        throw new Error(`a saved line is not lawful: ${lines.slice(from, to)}`);
      this.add({ decoder, block, from, to }, scanner, receipt);
      from = to + 1;
    }
    this.forgetChanges(this.tail.count);
  }

  private marked(mark: number): boolean {
    this.mark = mark;
    return true;
  }

  private card({ data, origin }: Scanner, duty: Duty): boolean {
    const card = data.numberAt(CARD.card);
    if (card === UNREAD_CARD || data.hasPart(CARD.exposed) || origin.source.startsWith('person/'))
      return false;
    if ((this.copies[card] as number) >= this.shoe.decks) return false;
    const to = data.numberAt(CARD.to);
    if (to === TO.burn) {
      if (this.coups === 0) this.burned.push(CARDS[card] as Card);
    } else if (this.isCoupOpen) {
      if (!this.mayLay(to, duty)) return false;
      this.coup.lay(card);
      this.lastWithCards = this.lastNumber;
    } else if (to !== TO.out) return false;
    this.copies[card] = (this.copies[card] as number) + 1;
    this.drawn += 1;
    return true;
  }

  private changeDealer(scanner: Scanner, duty: Duty): boolean {
    // the coup would have another dealer
    if (this.isCoupOpen && scanner.type === 'dealer-signed-on') return false;
    changeDuty(duty, scanner.event() as EventOf<'dealer-signed-on' | 'dealer-relieved'>);
    return true;
  }

  private mayLay(to: number, { dealer }: Duty): boolean {
    const { due } = this.coup;
    const isDue =
      (to === TO.player && due === DUE.player) || (to === TO.banker && due === DUE.banker);
    return isDue && (dealer !== null || !this.shoe.reports.dealers);
  }

  private openCoup({ data }: Scanner): boolean {
    const number = data.numberAt(OPENED.coup);
    const isNormal = !data.hasPart(OPENED.kind) || data.numberAt(OPENED.kind) === NORMAL;
    if (!isNormal || this.isCoupOpen || number !== this.lastNumber + 1) return false;
    if (this.coupsLeft !== null && this.coupsLeft < 1) return false;
    if (this.coups === 0 && !this.isBurnLawful()) return false;
    if (this.coupsLeft !== null) this.coupsLeft -= 1;
    this.isCoupOpen = true;
    this.lastNumber = number;
    this.coups += 1;
    this.isBettingClosed = this.isDeclared = false;
    this.coup.clear();
    return true;
  }

  private isBurnLawful(): boolean {
    const { burned, shoe } = this;
    if (!shoe.reports.burns) return true;
    const [first] = burned;
    if (first === null) return false;
    const rank = first === undefined ? undefined : rankOf(first);
    const { counts, byFirstCard } = permittedBurns(shoe.rules.document.burn, shoe.decks, rank);
    return counts.includes(burned.length) || byFirstCard.includes(burned.length - 1);
  }

  private bet({ type, data }: Scanner): boolean {
    const bet = this.rules.numberOf(data.betAt(BET.bet));
    if (bet < 0 || (this.isCoupOpen && (this.isBettingClosed || this.coup.hasCards))) return false;
    const [seat, amount] = [data.numberAt(BET.seat), data.numberAt(BET.amount)];
    return type === 'bet-placed'
      ? this.wagers.place(seat, bet, amount)
      : this.wagers.withdraw(seat, bet, amount);
  }

  private closeBetting(): boolean {
    if (!this.isCoupOpen || this.isBettingClosed || this.coup.hasCards) return false;
    if (!this.wagers.areWithinLimits()) return false;
    this.isBettingClosed = true;
    return true;
  }

  private call({ data }: Scanner): boolean {
    const { player, banker } = this.coup;
    const hand = data.numberAt(CALLED.hand) === CALLED_PLAYER ? player : banker;
    return this.isCoupOpen && hand.count > 0 && data.numberAt(CALLED.total) === hand.total;
  }

  private declare({ data }: Scanner): boolean {
    const { coup } = this;
    if (!this.isCoupOpen || !coup.isDealt) return false;
    if (!this.isDeclared && this.wagers.isAnySettled) return false;
    const [player, banker] = [coup.player.total, coup.banker.total];
    const made = player > banker ? OUTCOME.player : banker > player ? OUTCOME.banker : OUTCOME.tie;
    if (data.numberAt(DECLARED.outcome) !== made) return false;
    if (data.hasPart(DECLARED.player) && data.numberAt(DECLARED.player) !== player) return false;
    if (data.hasPart(DECLARED.banker) && data.numberAt(DECLARED.banker) !== banker) return false;
    if (data.hasPart(DECLARED.specials)) {
      const names = (): string[] => data.elements(DECLARED.specials);
      if (!this.rules.areSpecials(data.textAt(DECLARED.specials), names, coup)) return false;
    }
    this.isDeclared = true;
    return true;
  }

  private settle({ data }: Scanner): boolean {
    const bet = this.rules.numberOf(data.betAt(SETTLED.bet));
    if (bet < 0 || !this.isCoupOpen) return false;
    const [taken, marked] = [data.amountAt(SETTLED.taken), data.amountAt(SETTLED.marked)];
    const seat = data.numberAt(SETTLED.seat);
    const stake = data.numberAt(SETTLED.stake) === RETURNED ? STAKE.returned : STAKE.taken;
    const paid = data.numberAt(SETTLED.paid);
    if (!this.wagers.settle(seat, bet, { stake, paid, charged: taken + marked })) return false;
    if (taken === 0 && marked === 0) return true;
    const account = this.account(seat);
    account.taken += taken;
    account.marked += marked;
    this.sums = true;
    return true;
  }

  private closeCoup(): boolean {
    const { reports } = this.shoe;
    const { wagers, coup } = this;
    if (!this.isCoupOpen || !coup.isDealt) return false;
    if (reports.outcomes && !this.isDeclared) return false;
    if (!wagers.areWithinLimits()) return false;
    if (reports.bets) {
      if (!wagers.areSettled(coup, reports)) return false;
      this.enterDues();
    }
    wagers.clear();
    this.isCoupOpen = false;
    this.sums = true;
    return true;
  }

  private enterDues(): void {
    const { seats, dues, size } = this.wagers;
    for (let i = 0; i < size; i += 1) {
      const due = dues[i] as number;
      if (due === 0) continue;
      const seat = seats[i] as number;
      this.account(seat).due += due;
      this.dues.push({ coup: this.coups, seat, due });
    }
  }

  private showCutCard(mark: number): boolean {
    if (this.coupsLeft !== null) return true; // only its first showing counts
    const { insideCoup, betweenCoups } = this.shoe.rules.document.cutCard;
    if (this.isCoupOpen && !this.coup.hasCards) return false;
    this.coupsLeft = this.isCoupOpen ? insideCoup : betweenCoups;
    this.cutCard = { coup: this.lastWithCards, inside: this.isCoupOpen, drawn: this.drawn };
    return this.marked(mark);
  }

  private collect({ data }: Scanner): boolean {
    const [seat, amount] = [data.numberAt(COLLECTED.seat), data.numberAt(COLLECTED.amount)];
    const known = this.ledger.get(seat);
    if (amount > (known ? outstanding(known) : 0)) return false;
    this.account(seat).collected += amount;
    this.sums = true;
    return true;
  }

  private owesNothing(seat: number): boolean {
    const account = this.ledger.get(seat);
    return !account || !this.shoe.reports.commission || outstanding(account) <= 0;
  }

  private account(seat: number): SeatAccount {
    let account = this.ledger.get(seat);
    if (!account)
      this.ledger.set(seat, (account = { due: 0, taken: 0, marked: 0, collected: 0, waived: 0 }));
    return account;
  }

  private close(scanner: Scanner): boolean {
    if (this.isCoupOpen || this.wagers.size > 0) return false;
    const { data, time } = scanner.event() as Extract<AnyEvent, { type: 'shoe-closed' }>;
    if (data.reason === undefined || !this.areCardsWhole(data)) return false;
    for (const seat of this.ledger.keys()) if (!this.owesNothing(seat)) return false;
    this.closing = { ...data, time: flat(time) };
    this.isClosed = true;
    this.shoe.closed = true; // what another shoe's opening asks
    return true;
  }

  private areCardsWhole({ remaining, remainingCards }: EventData['shoe-closed']): boolean {
    const { drawn, shoe } = this;
    const left = 52 * shoe.decks - drawn;
    if (remaining !== undefined && remaining !== left) return false;
    if (remainingCards === undefined) return true;
    if (remainingCards.length !== left) return false;
    const copies = this.copies.slice();
    for (const card of remainingCards) {
      const at = cardIndex(card);
      copies[at] = (copies[at] as number) + 1;
    }
    return copies.every((count) => count === shoe.decks);
  }

  /** Forgets what the shoe has stepped through. */
  caughtUp(): void {
    this.followed?.read(this.linesTaken); // rows that were taken may be drawn later
    this.followed = null;
    this.tail.clear();
    this.dues.length = 0;
    this.cutCard = null;
    this.closing = null;
    this.forgetChanges(0);
  }
}

const outstanding = ({ marked, collected, waived }: SeatAccount): number =>
  marked - collected - waived;
