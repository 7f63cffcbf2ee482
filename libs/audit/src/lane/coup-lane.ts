import { CARDS, RANKS, rankOf, type Card, type Hands } from '#baccarat';
import { DUE, NO_THIRD, VALUES, type HandsDealt, type RuleTables } from './rule-tables.js';

/** The place of each card's rank in `RANKS`, by its place in `CARDS`. */
const RANK = Uint8Array.from(CARDS, (card) => RANKS.indexOf(rankOf(card)));

/** The cards of a hand, by their places in `CARDS`. */
class HandLane {
  readonly cards = new Uint8Array(3);
  count = 0;
  total = 0;

  clear(): void {
    this.count = 0;
    this.total = 0;
  }

  lay(card: number): void {
    this.cards[this.count] = card;
    this.count += 1;
    this.total = (this.total + (VALUES[card] as number)) % 10;
  }

  /** 0 for no pair, 1 for a pair of rank, 2 for one of rank and suit. */
  get pair(): number {
    const [first, second] = this.cards as unknown as [number, number];
    if (first === second) return 2;
    return RANK[first] === RANK[second] ? 1 : 0;
  }

  all(): Card[] {
    return Array.from(this.cards.subarray(0, this.count), (card) => CARDS[card] as Card);
  }
}

/** The hands of the coup that is open, while every card came where it was due. */
export class CoupLane implements HandsDealt {
  readonly player = new HandLane();
  readonly banker = new HandLane();
  /** The hand to which the next card is due, as in `DUE`. */
  due: number = DUE.player;
  /** The player's total on two cards. */
  private playerTwo = 0;

  constructor(private readonly rules: RuleTables) {}

  clear(): void {
    this.player.clear();
    this.banker.clear();
    this.due = DUE.player;
  }

  get hasCards(): boolean {
    return this.player.count > 0;
  }

  /** Whether both hands have two cards and no card is due. */
  get isDealt(): boolean {
    return this.due === DUE.none;
  }

  /** Lays the card that is due. */
  lay(card: number): void {
    const { player, banker, rules } = this;
    if (this.due === DUE.player) {
      player.lay(card);
      if (player.count < 3) this.due = DUE.banker;
      else this.due = rules.due(this.playerTwo, banker.total, VALUES[card] as number);
      return;
    }
    banker.lay(card);
    if (banker.count === 1) this.due = DUE.player;
    else if (banker.count === 2) {
      this.playerTwo = player.total;
      this.due = rules.due(player.total, banker.total, NO_THIRD);
    } else this.due = DUE.none;
  }

  get key(): number {
    const { player, banker } = this;
    const totals = player.total * 10 + banker.total;
    const counts = (player.count - 2) * 2 + banker.count - 2;
    return ((totals * 4 + counts) * 3 + player.pair) * 3 + banker.pair;
  }

  hands(): Hands {
    return { player: this.player.all(), banker: this.banker.all() };
  }
}
