import { isNatural, type Tableau } from '#baccarat';
import type { Hand } from '../../events/events.js';
import type { Coup, Laid } from '../../state.js';
import type { Dealt, Third } from '../draws.js';
import { digitOf, addToDigit, type HandRead, type Look, type Seen, type Worlds } from './worlds.js';

/** From so many worlds on, those that later judgments cannot tell apart are merged. */
const MERGE_FROM = 1000;
/**
 * Worlds of a coup, in all its fillings together. Before there are more, even those are merged that
 * only a bet on single cards could tell apart. Moves among many unread cards, or hands dealt out of
 * order, can still lead to more, which are not followed.
 */
export const WORLDS_MAX = 10_000;

/** What later judgments look at. `singleCards`: some bet of the rules asks for single cards. */
export interface JudgedBy {
  readonly tableau: Tableau;
  readonly singleCards: boolean;
}

/** A third card whose value differs between worlds. */
interface ThirdRead extends Third {
  value: number;
}

/**
 * One way in which the cards of a coup can lie on its hands, and the worlds in which they lie so.
 * There are several if unread cards leave open to which hand an unnamed card went.
 */
export class Filling {
  /** Hands whose first two cards are known only by their total, or not even by that. */
  private readonly merged = { player: false, banker: false };
  /** Hands whose total, natural and pair are all that later judgments need. */
  private readonly closed = { player: false, banker: false };

  /** A card was moved: drawing is judged again, so worlds are not merged by what is left to judge. */
  private wasMoved = false;
  /** In no world is another card due, as the cards lie. */
  isDone = false;
  /** It would have more than `WORLDS_MAX` worlds. Those that it has are not all. */
  isBeyond = false;
  /** A hand had fewer than two cards when an outcome was declared or the coup ended. */
  isShort = false;

  constructor(
    readonly hands: Readonly<Record<Hand, Laid[]>>,
    /** The cards on both hands, in the order in which they were laid. */
    private order: Laid[],
    public worlds: Worlds,
    /** The first declaration that no draw or move has followed. */
    public current: number,
  ) {}

  /** Returns the cards of a coup as they lie, with one world. */
  static of(
    { player, banker, declarations, handVersion }: Coup,
    worlds: Worlds,
    asked: JudgedBy,
  ): Filling {
    const order = [...player, ...banker].sort((a, b) => a.serial - b.serial);
    const stale = declarations.findLastIndex((each) => each.handVersion !== handVersion);
    const filling = new Filling({ player: [], banker: [] }, [], worlds, 0);
    for (const laid of order) filling.lay(laid, player.includes(laid) ? 'player' : 'banker', asked);
    filling.current = stale + 1;
    return filling;
  }

  get counts(): Readonly<Record<Hand, number>> {
    return { player: this.hands.player.length, banker: this.hands.banker.length };
  }

  get isComplete(): boolean {
    return this.hands.player.length >= 2 && this.hands.banker.length >= 2;
  }

  /** Merges worlds, if there are many, once the drawing of both hands was judged. */
  compact(asked: JudgedBy): void {
    const { player, banker } = this.hands;
    if (player.length > 2 && banker.length > 2 && !this.closed.banker)
      if (this.worlds.count > MERGE_FROM && !asked.singleCards && !this.wasMoved)
        this.merge(asked, true);
  }

  /** Returns whether a card lies on one of the hands. */
  has(laid: Laid): boolean {
    return this.order.includes(laid);
  }

  /** Marks every world with what `look` sees in it. */
  mark(look: Look, seen: Seen): void {
    this.worlds.mark(this.counts, look, seen);
  }

  /** Returns a copy with these of its worlds. */
  with(worlds: Worlds): Filling {
    const { player, banker } = this.hands;
    const copy = new Filling(
      { player: [...player], banker: [...banker] },
      [...this.order],
      worlds,
      this.current,
    );
    Object.assign(copy.merged, this.merged);
    Object.assign(copy.closed, this.closed);
    copy.isShort = this.isShort;
    copy.isBeyond = this.isBeyond;
    copy.wasMoved = this.wasMoved;
    return copy;
  }

  /** Returns whether the cards lie as in another filling. */
  isLike(other: Filling): boolean {
    return (
      this.current === other.current &&
      this.isShort === other.isShort &&
      this.order.length === other.order.length &&
      this.order.every(
        (laid, i) =>
          laid === other.order[i] &&
          this.hands.player.includes(laid) === other.hands.player.includes(laid),
      )
    );
  }

  /** Adds the worlds of a filling that is like this one. */
  join(other: Filling): void {
    for (const hand of ['player', 'banker'] as const) {
      this.merged[hand] ||= other.merged[hand];
      this.closed[hand] ||= other.closed[hand];
    }
    this.wasMoved ||= other.wasMoved;
    this.isBeyond ||= other.isBeyond;
    this.isDone &&= other.isDone;
    this.worlds.join(other.worlds);
  }

  /** Lays a card on a hand. Merges worlds first if there would be many. */
  lay(laid: Laid, hand: Hand, asked: JudgedBy): void {
    const digit = digitOf(hand, this.hands[hand].length);
    if (laid.value >= 0) this.worlds.add(digit, laid.value);
    else {
      const count = this.worlds.count * 10;
      if (count > MERGE_FROM)
        this.merge(asked, !this.wasMoved && (!asked.singleCards || count > WORLDS_MAX));
      // Any value makes any total, so what a fourth card is added to does not matter.
      if (this.hands[hand].length > 3 || this.closed[hand])
        this.worlds.replace((value) => value & ~(15 << digit));
      if (this.worlds.count * 10 > WORLDS_MAX) this.isBeyond = true;
      else this.worlds.expand(digit);
    }
    this.put(laid, hand);
  }

  private put(laid: Laid, hand: Hand): void {
    this.isDone = false;
    this.hands[hand].push(laid);
    this.order.push(laid);
  }

  /**
   * Moves a card to a hand, or off the hands (`null`). A value that was merged with others is
   * unknown again: every value counts.
   */
  move(laid: Laid, to: Hand | null, asked: JudgedBy): void {
    this.wasMoved = true;
    for (const hand of ['player', 'banker'] as const)
      if (this.closed[hand]) this.forget(hand, asked);
    const from = this.handOf(laid);
    if (!from) {
      if (to) this.lay(laid, to, asked);
      return;
    }
    const at = this.hands[from].indexOf(laid);
    const isKnown = this.isKnownAt(from, at, laid);
    const digit = digitOf(from, at);
    const beyond = this.hands[from].slice(3);
    this.hands[from].splice(at, 1);
    this.isDone = false;
    this.order = this.order.filter((each) => each !== laid);
    if (!isKnown) {
      this.forget(from, asked);
      if (to) this.lay(laid, to, asked);
      return;
    }
    const target = to && digitOf(to, this.hands[to].length);
    this.worlds.replace((value) => {
      const own =
        at < 3 && laid.value < 0 ? (value >>> digit) & 15 : valueIn(laid, beyond, value, from);
      const without = takenOff(
        value,
        digit,
        own,
        beyond.length > 1 ? valueIn(beyond[0] as Laid, beyond, value, from) : null,
      );
      return target === null ? without : addToDigit(without, target, own);
    });
    if (to) this.put(laid, to);
  }

  private handOf(laid: Laid): Hand | null {
    const { player, banker } = this.hands;
    return player.includes(laid) ? 'player' : banker.includes(laid) ? 'banker' : null;
  }

  /**
   * Returns whether every world has the value of this card by itself, and of the one that takes its
   * place. Cards beyond the third share a digit, so one of them may be unread.
   */
  private isKnownAt(hand: Hand, at: number, laid: Laid): boolean {
    if (this.merged[hand] && at < 2) return false;
    const beyond = this.hands[hand].slice(3);
    const needed = at < 3 ? beyond[0] : laid;
    return !needed || needed.value >= 0 || beyond.filter(({ value }) => value < 0).length === 1;
  }

  /** Gives the unread cards of a hand every value again. */
  private forget(hand: Hand, asked: JudgedBy): void {
    const cards = this.hands[hand].splice(0);
    this.merged[hand] = this.closed[hand] = false;
    this.worlds.replaceHand(hand, () => 0);
    const { order } = this;
    for (const laid of cards) this.lay(laid, hand, asked);
    this.order = order;
  }

  /**
   * Merges worlds that no later judgment can tell apart: the first two cards of a hand, once both
   * lie, count by their total and pair. Once their drawing is judged, they count by their natural
   * and pair, and with the third card by the total.
   */
  private merge({ tableau }: JudgedBy, mayClose: boolean): void {
    const { player, banker } = this.hands;
    const isFull = player.length > 2 && banker.length > 2;
    const thirds = isFull ? ALL_ALIKE : thirdsAlike(tableau);
    const ofPlayer = this.merging('player', mayClose && (isFull || player.length > 3), thirds);
    const ofBanker = this.merging('banker', mayClose && isFull, thirds);
    if (ofPlayer ?? ofBanker)
      this.worlds.replace(
        (value) =>
          (ofPlayer?.(value & 0xffff) ?? value & 0xffff) |
          ((ofBanker?.(value >>> 16) ?? value >>> 16) << 16),
      );
  }

  /** Returns how to replace the digits of a hand to merge its worlds, or `null`. */
  private merging(
    hand: Hand,
    closes: boolean,
    thirds: readonly number[],
  ): ((digits: number) => number) | null {
    const [first, second] = this.hands[hand];
    if (!first || !second) return null;
    if (first.value < 0 && second.value < 0) this.merged[hand] = true;
    if (closes) this.closed[hand] = true;
    const [closed, merged] = [this.closed[hand], this.merged[hand]];
    if (!closed) return merged ? toSum : null;
    const twos = twosAlike(first, second);
    return (digits) => {
      const sum = ((digits & 15) + ((digits >> 4) & 15)) % 10;
      const third = (digits >> 8) & 15;
      const [two, kept] = [twos[sum] as number, thirds[third] as number];
      const rest = ((digits >> 12) & 15) + (sum - two) + (third - kept) + 20;
      return (two << 4) | (kept << 8) | ((rest % 10) << 12);
    };
  }

  /** Returns what the drawing rules look at, for a pass that sets its values in each world. */
  dealt(): (player: HandRead, banker: HandRead) => Dealt {
    const thirdOf = (hand: Hand): ThirdRead | null => {
      const laid = this.hands[hand][2];
      if (!laid) return null;
      const initial = laid.ordinal >= 0 && laid.ordinal < 4 && !laid.moved;
      return { value: 0, serial: this.order.indexOf(laid), initial };
    };
    const [playerThird, bankerThird] = [thirdOf('player'), thirdOf('banker')];
    const dealt = { player: 0, banker: 0, playerThird, bankerThird };
    return (player, banker) => {
      dealt.player = player.two;
      dealt.banker = banker.two;
      if (playerThird) playerThird.value = player.third as number;
      return dealt;
    };
  }

  /** Returns whether the drawing of a hand was judged before its worlds were merged. */
  isClosed(hand: Hand): boolean {
    return this.closed[hand];
  }

  /**
   * Returns whether the first two cards of a hand have a value each in every world. Otherwise only
   * their total counts, unless a card was moved: what was dealt then need not lie first any more.
   */
  isApart(hand: Hand): boolean {
    return this.wasMoved && !this.merged[hand] && !this.closed[hand];
  }

  /** Returns whether two totals of a hand's first two cards were merged. */
  areAlike(hand: Hand, two: number, other: number): boolean {
    if (!this.closed[hand]) return two === other;
    const twos = twosAlike(this.hands[hand][0] as Laid, this.hands[hand][1] as Laid);
    return twos[two] === twos[other];
  }
}

/**
 * Returns the value in a world of a card that was read, or of the only unread one beyond the third
 * of its hand.
 */
function valueIn(laid: Laid, beyond: readonly Laid[], world: number, hand: Hand): number {
  if (laid.value >= 0) return laid.value;
  const together = (world >>> digitOf(hand, 3)) & 15;
  const read = beyond.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return (together - (read % 10) + 10) % 10;
}

/**
 * Returns the digits without one, those after it one place to the left. `fourth`: the value of the
 * hand's fourth card if there are more, which share its digit.
 */
function takenOff(value: number, digit: number, own: number, fourth: number | null): number {
  const last = digit < 16 ? 12 : 28;
  if (digit === last) return addToDigit(value, digit, 10 - own);
  if (fourth !== null) {
    const rest = addToDigit(value, last, 10 - fourth) & (15 << last);
    const moved = takenOff(value & ~(15 << last), digit, own, null);
    return moved | (fourth << (last - 4)) | rest;
  }
  const hand = digit < 16 ? 0 : 16;
  const digits = (value >>> hand) & 0xffff;
  const at = digit - hand;
  const before = digits & ((1 << at) - 1);
  const after = (digits >>> (at + 4)) << at;
  return (value & ~(0xffff << hand)) | ((before | after) << hand);
}

/** Replaces the values of the first two cards by their total. */
const toSum = (digits: number): number =>
  (digits & ~255) | ((((digits & 15) + ((digits >> 4) & 15)) % 10) << 4);

/** For each value the one that stands for it, if all are alike. */
const ALL_ALIKE: readonly number[] = Array<number>(10).fill(0);

/** Returns for each total of two cards the one that stands for all with its natural and its pairs. */
function twosAlike(first: Laid, second: Laid): readonly number[] {
  const known = [first, second].flatMap(({ value }) => (value < 0 ? [] : [value]));
  const [one] = known;
  return ALL_ALIKE.map((_, two) => {
    if (known.length === 2 || isNatural(2, two)) return two;
    if (one === undefined) return two % 2;
    return two === (2 * one) % 10 ? two : 1;
  });
}

/** Returns for each value of the player's third card the least that has the same rules. */
const thirdsAlike = ({ banker }: Tableau): readonly number[] =>
  ALL_ALIKE.map((_, third) => {
    for (let least = 0; least < third; least += 1)
      if (banker.every((row) => row[least] === row[third])) return least;
    return third;
  });
