import type { Reported, ReportedEvent } from '../observation.js';

/** A card that a hand draws. */
type GameCard = Extract<ReportedEvent, { readonly type: 'card-drawn' }> & {
  readonly data: { readonly to: 'player' | 'banker' };
};

/** Returns whether an event is a card of a hand. */
export const isGameCard = (event: ReportedEvent): event is GameCard =>
  event.type === 'card-drawn' && (event.data.to === 'player' || event.data.to === 'banker');

/** The highest index of a card. After it, the index begins with 1 again. */
const INDEX_MAX = 15;

/**
 * Counts the cards of each hand and of the burn, as a shoe of `angel-eye-ii-ex` does: from 1, and
 * from 1 again in each coup or burn.
 */
export class CardIndexes {
  private readonly last = { player: 0, banker: 0, burn: 0 };

  /** Returns the index of the next card. */
  next(to: keyof CardIndexes['last']): number {
    this.last[to] = (this.last[to] % INDEX_MAX) + 1;
    return this.last[to];
  }

  /** Begins both hands again. */
  beginHands(): void {
    Object.assign(this.last, { player: 0, banker: 0 });
  }
}

/** Returns whether an event ends a coup at the shoe, so that the next card begins another. */
export const endsHands = ({ type }: { readonly type: keyof Reported }): boolean =>
  type === 'outcome-declared' || type === 'coup-voided';
