import { due, type Card, type Hands, type Rules } from '#baccarat';
import type { Hand } from '../../events/events.js';
import type { Random } from '../random.js';

/** A drawn card of a coup: where it went, and what was unusual about it. */
export interface Draw {
  readonly card: Card;
  readonly to: Hand | null;
  exposed?: boolean;
  unread?: boolean;
  byPerson?: boolean;
  /** Left the shoe outside the game, so it lies on neither hand. */
  readonly out?: boolean;
  /** Drawn when the coup was already over, so it lies on neither hand. */
  readonly afterCoup?: boolean;
}

/** A coup's cards as they were dealt, lawfully or not. */
export class Dealing implements Hands {
  readonly draws: Draw[] = [];
  readonly player: Card[] = [];
  readonly banker: Card[] = [];
  /** Whether the coup reached no result because a due card never came. */
  unfinished = false;
  /** The draw that the coup's fault is about, and the hand to which that card belongs. */
  faultyDraw: number | null = null;
  belongsTo: Hand | undefined;

  /** `top`: the next cards of the shoe. */
  constructor(private readonly top: readonly Card[]) {}

  get isOutOfCards(): boolean {
    return this.draws.length >= this.top.length;
  }

  /** Draws the next card to a hand, or to none. Returns `false` if the shoe is empty. */
  lay(to: Hand | null, how: Omit<Draw, 'card' | 'to'> = {}): boolean {
    const card = this.top[this.draws.length];
    if (card === undefined) return false;
    this.draws.push({ card, to, ...how });
    if (to !== null && !how.afterCoup) this[to].push(card);
    return true;
  }

  /** Marks the last draw as the one that the fault is about. */
  blameLast(belongsTo?: Hand): this {
    this.faultyDraw = this.draws.length - 1;
    this.belongsTo = belongsTo;
    return this;
  }

  /** Returns the hands after draw `at`. */
  handsAfter(at: number): Hands {
    const laid = this.draws.slice(0, at + 1).filter(({ afterCoup }) => !afterCoup);
    const of = (hand: Hand): Card[] => laid.filter(({ to }) => to === hand).map(({ card }) => card);
    return { player: of('player'), banker: of('banker') };
  }
}

/** Deals a coup as the rules require. In an optional cell, a hand draws or stands at random. */
export const dealLawfully = (top: readonly Card[], rules: Rules, random: Random): Dealing =>
  dealOn(new Dealing(top), rules, random);

/** Continues a coup as the rules require, from the hands as they lie. */
export function dealOn(coup: Dealing, rules: Rules, random: Random): Dealing {
  let stood = false;
  for (;;) {
    const next = due(coup, rules, stood);
    if (next.step === 'outcome') return coup;
    if (next.optional && (coup.isOutOfCards || random.chance(50))) {
      if (next.to === 'banker') return coup;
      stood = true;
    } else if (!coup.lay(next.to)) {
      coup.unfinished = true;
      return coup;
    }
  }
}
