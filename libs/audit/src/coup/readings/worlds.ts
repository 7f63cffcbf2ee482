import type { HandTotals } from '#baccarat';
import type { Hand } from '../../events/events.js';

/** A hand as one world fills it. One object serves all worlds of a pass. */
export class HandRead implements HandTotals {
  cards = 0;
  two = 0;
  third: number | null = null;
  total = 0;

  /** Reads the digits of one hand. */
  read(digits: number): void {
    const two = ((digits & 15) + ((digits >> 4) & 15)) % 10;
    const third = (digits >> 8) & 15;
    this.two = two;
    this.third = this.cards > 2 ? third : null;
    this.total = (two + third + ((digits >> 12) & 15)) % 10;
  }
}

/** What a pass over worlds found: the marks of some world, new there, and those seen in each. */
export interface Seen {
  some: number;
  every: number;
}

/** Returns the marks that a pass sees in a world. A number: it sees the same in all of them. */
export type Look = number | ((player: HandRead, banker: HandRead, marks: number) => number);

/** Returns where a hand's card has its digit: the first three have one each, the rest one together. */
export const digitOf = (hand: Hand, index: number): number =>
  (hand === 'player' ? 0 : 16) + 4 * Math.min(index, 3);

const DIGITS_OF_HAND = 0xffff;

/**
 * Ways to read the unread cards of a coup, as far as later judgments can tell them apart. A world
 * has a digit of four bits for each card of the two hands (`digitOf`), and marks: which codes were
 * raised in it.
 */
export class Worlds {
  private constructor(
    private values: Int32Array,
    private marks: Int32Array,
    private readonly player = new HandRead(),
    private readonly banker = new HandRead(),
  ) {}

  /** Returns the one world of a coup in which every card was read. */
  static one(marks: number): Worlds {
    return new Worlds(Int32Array.of(0), Int32Array.of(marks));
  }

  get count(): number {
    return this.values.length;
  }

  /** Adds a card that was read to every world. */
  add(digit: number, value: number): void {
    const { values } = this;
    for (let i = 0; i < values.length; i += 1)
      values[i] = addToDigit(values[i] as number, digit, value);
  }

  /** Adds a card that was not read: each world becomes ten. */
  expand(digit: number): void {
    const { values, marks } = this;
    const [more, theirs] = [new Int32Array(10 * values.length), new Int32Array(10 * values.length)];
    for (let i = 0, at = 0; i < values.length; i += 1) {
      const without = (values[i] as number) & ~(15 << digit);
      for (let value = 0; value < 10; value += 1, at += 1) {
        more[at] = without | (value << digit);
        theirs[at] = marks[i] as number;
      }
    }
    [this.values, this.marks] = [more, theirs];
  }

  /** Replaces the digits of every world, and drops worlds that are then equal. */
  replace(by: (value: number) => number): void {
    const { values, marks } = this;
    const size = 1 << (33 - Math.clz32(values.length));
    // A hash table of indexes: a Set of numbers takes several times as long.
    const table = new Int32Array(size).fill(-1);
    let kept = 0;
    for (let i = 0; i < values.length; i += 1) {
      const value = by(values[i] as number);
      const mark = marks[i] as number;
      let at = (Math.imul(value ^ Math.imul(mark, 0x85ebca6b), 0x9e3779b1) >>> 7) & (size - 1);
      let known = table[at] as number;
      while (known >= 0 && !(values[known] === value && marks[known] === mark)) {
        at = (at + 1) & (size - 1);
        known = table[at] as number;
      }
      if (known >= 0) continue;
      table[at] = kept;
      values[kept] = value;
      marks[kept] = mark;
      kept += 1;
    }
    [this.values, this.marks] = [values.slice(0, kept), marks.slice(0, kept)];
  }

  /** Replaces the digits of one hand, and drops worlds that are then equal. */
  replaceHand(hand: Hand, by: (digits: number) => number): void {
    const shift = hand === 'player' ? 0 : 16;
    const others = ~(DIGITS_OF_HAND << shift);
    this.replace((value) => (value & others) | (by((value >>> shift) & DIGITS_OF_HAND) << shift));
  }

  /** Looks at every world, with so many cards on its hands, and marks it. */
  mark(cards: Readonly<Record<Hand, number>>, look: Look, seen: Seen): void {
    const { values, marks, player, banker } = this;
    if (typeof look === 'number') return this.markAll(look, seen);
    player.cards = cards.player;
    banker.cards = cards.banker;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] as number;
      const before = marks[i] as number;
      player.read(value & DIGITS_OF_HAND);
      banker.read((value >>> 16) & DIGITS_OF_HAND);
      const here = look(player, banker, before);
      seen.every &= here;
      seen.some |= here & ~before;
      marks[i] = before | here;
    }
  }

  private markAll(here: number, seen: Seen): void {
    const { marks } = this;
    seen.every &= here;
    if (here === 0) return;
    for (let i = 0; i < marks.length; i += 1) {
      const before = marks[i] as number;
      seen.some |= here & ~before;
      marks[i] = before | here;
    }
  }

  /** Calls `see` for each world's digits, those of the player hand in the lower half. */
  forEach(see: (value: number) => void): void {
    for (const value of this.values) see(value);
  }

  /** Returns whether every world has one of these marks. */
  haveAll(mask: number): boolean {
    return this.marks.every((mark) => (mark & mask) !== 0);
  }

  /** Returns the worlds of each kind, by the number of the kind. */
  split(
    cards: Readonly<Record<Hand, number>>,
    kindOf: (player: HandRead, banker: HandRead) => number,
  ): Map<number, Worlds> {
    const kinds = new Map<number, number[]>();
    let at = 0;
    const see: Look = (player, banker) => {
      const kind = kindOf(player, banker);
      const known = kinds.get(kind);
      if (known) known.push(at);
      else kinds.set(kind, [at]);
      at += 1;
      return 0;
    };
    this.mark(cards, see, { some: 0, every: 0 });
    if (kinds.size === 1) return new Map([...kinds.keys()].map((kind) => [kind, this]));
    const pick = (from: Int32Array, those: readonly number[]): Int32Array =>
      Int32Array.from(those, (i) => from[i] as number);
    return new Map(
      [...kinds].map(([kind, those]) => [
        kind,
        new Worlds(pick(this.values, those), pick(this.marks, those)),
      ]),
    );
  }

  /** Adds the worlds of another set. */
  join(other: Worlds): void {
    const both = (ours: Int32Array, theirs: Int32Array): Int32Array => {
      const joined = new Int32Array(ours.length + theirs.length);
      joined.set(ours);
      joined.set(theirs, ours.length);
      return joined;
    };
    this.values = both(this.values, other.values);
    this.marks = both(this.marks, other.marks);
    this.replace((value) => value);
  }
}

/** Returns the digits with a value added to one of them. */
export const addToDigit = (digits: number, digit: number, value: number): number =>
  (digits & ~(15 << digit)) | (((((digits >>> digit) & 15) + value) % 10) << digit);
