import { due, type Card, type Hands, type Rules } from '#baccarat';
import type { Hand } from '../events/events.js';
import type { Random } from './random.js';

/** A card of a coup: where it went, and what was peculiar about it. */
export interface Draw {
  readonly card: Card;
  readonly to: Hand | null;
  exposed?: boolean;
  unread?: boolean;
  byPerson?: boolean;
  /** Drawn when the coup was over already: it lies on no hand of it. */
  readonly afterCoup?: boolean;
}

/** A coup's cards as they were dealt, lawfully or not. */
export class Dealing implements Hands {
  readonly draws: Draw[] = [];
  readonly player: Card[] = [];
  readonly banker: Card[] = [];
  /** No result was reached: a card that was due never came. */
  unfinished = false;
  /** The draw that the coup's fault is about, and the hand where that card belongs. */
  faultyDraw: number | null = null;
  belongsTo: Hand | undefined;

  /** `top`: the cards that come next from the shoe. */
  constructor(private readonly top: readonly Card[]) {}

  get isOutOfCards(): boolean {
    return this.draws.length >= this.top.length;
  }

  /** Draws the next card to a hand, or to none; `false` where the shoe is empty. */
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

  /** The hands as they were when draw `at` had been laid. */
  handsAfter(at: number): Hands {
    const laid = this.draws.slice(0, at + 1).filter(({ afterCoup }) => !afterCoup);
    const of = (hand: Hand): Card[] => laid.filter(({ to }) => to === hand).map(({ card }) => card);
    return { player: of('player'), banker: of('banker') };
  }
}

/** Deals a coup as the rules require; where they leave the choice, a hand draws or stands by chance. */
export const dealLawfully = (top: readonly Card[], rules: Rules, random: Random): Dealing =>
  dealOn(new Dealing(top), rules, random);

/** Goes on with a coup as the rules require of its hands as they lie. */
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
