import { CARDS, type Card } from '#baccarat';
import type { Random } from '../random.js';

/** A coup looks at no more cards than these: six, one too many, and one after it. */
const COUP_CARDS_MAX = 8;
/**
 * How many arrangements to try for a wanted coup. The rarest one that a fault needs comes once in
 * some fifty.
 */
const TRIES_MAX = 20_000;

/** The cards of a shoe, shuffled, in the order in which they will be drawn. */
export class CardsOfShoe {
  private readonly cards: Card[];
  private next = 0;
  /** A card whose copies stay before `keptWithin` while coups are arranged. */
  private kept: Card | null = null;
  private keptWithin = 0;

  constructor(
    readonly decks: number,
    private readonly random: Random,
  ) {
    this.cards = random.shuffle(Array.from({ length: decks }, () => CARDS).flat());
  }

  get left(): number {
    return this.cards.length - this.next;
  }

  /** Returns the cards that have not been drawn, in order. */
  get remaining(): readonly Card[] {
    return this.cards.slice(this.next);
  }

  get keptCard(): Card | null {
    return this.kept;
  }

  /** Draws the next `count` cards, or as many as there are. */
  draw(count: number): Card[] {
    const drawn = this.cards.slice(this.next, this.next + count);
    this.next += drawn.length;
    return drawn;
  }

  /**
   * Returns the first dealing of the next cards that `deal` accepts. While `deal` rejects them,
   * they are exchanged for others of the shoe. Returns `undefined` if nothing suits. The accepted
   * cards are not drawn yet.
   */
  arrange<D>(deal: (top: readonly Card[]) => D | undefined): D | undefined {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const dealt = deal(this.cards.slice(this.next, this.next + COUP_CARDS_MAX));
      if (dealt !== undefined) return dealt;
      for (let i = 0; i < COUP_CARDS_MAX && i < this.left; i += 1)
        this.swap(this.next + i, this.next + this.random.below(this.left));
    }
    return undefined;
  }

  /**
   * Moves every copy of some card among the next `within` cards and keeps it there. Returns the
   * card.
   */
  gatherCopies(within: number): Card {
    const card = this.random.pick(CARDS);
    const early = this.random
      .shuffle(Array.from({ length: within }, (_, i) => this.next + i))
      .filter((at) => this.cards[at] !== card);
    for (let at = this.next + within; at < this.cards.length; at += 1)
      if (this.cards[at] === card) this.swap(at, early.pop() as number);
    this.kept = card;
    this.keptWithin = this.next + within;
    return card;
  }

  /** Replaces the next card, like a stray card of another deck. */
  replaceNext(card: Card): void {
    this.cards[this.next] = card;
  }

  private swap(one: number, other: number): void {
    const [a, b] = [this.cards[one] as Card, this.cards[other] as Card];
    if (
      this.kept !== null &&
      (a === this.kept || b === this.kept) &&
      Math.max(one, other) >= this.keptWithin
    )
      return;
    this.cards[one] = b;
    this.cards[other] = a;
  }
}
