import { dueOfReadings, readCards, type Hands } from '#baccarat';
import type { Third } from './draws.js';
import { referenceOf, type AnyEvent, type EventOf, type Hand } from '../events/events.js';
import { UNCHANGED, type Coup, type Laid, type Shoe } from '../state.js';
import { timeOf } from '../events/time.js';

export const newCoup = (
  opening: EventOf<'coup-opened'>,
  from: number,
  dealer: string | null,
): Coup => ({
  opening,
  ref: referenceOf(opening),
  number: opening.data.coup,
  kind: opening.data.kind ?? 'normal',
  from,
  to: Number.POSITIVE_INFINITY,
  state: 'open',
  gapped: false,
  short: false,
  unplaced: false,
  cards: [],
  player: [],
  banker: [],
  ordinals: 0,
  serials: 0,
  handVersion: 0,
  drawCodes: 0,
  dealers: dealer === null ? [] : [dealer],
  withoutDealer: false,
  bettingClosed: null,
  firstCard: null,
  wagers: [],
  declarations: [],
  outcomeAt: null,
  entries: [],
  owesReturn: false,
  correctedToDummy: false,
  changed: UNCHANGED,
});

/** The cards that lie on a hand. */
export const cardsOn = (coup: Coup, hand: Hand): Laid[] =>
  hand === 'player' ? coup.player : coup.banker;

/** Lays a game card on a hand. */
export function lay(coup: Coup, laid: Laid, hand: Hand): void {
  laid.place = hand;
  laid.serial = coup.serials;
  coup.serials += 1;
  coup.handVersion += 1;
  cardsOn(coup, hand).push(laid);
}

/** Takes a card off the hand on which it lies, if it lies on one. */
export function takeUp(coup: Coup, laid: Laid): void {
  for (const hand of [coup.player, coup.banker]) {
    const at = hand.indexOf(laid);
    if (at >= 0) {
      hand.splice(at, 1);
      coup.handVersion += 1;
    }
  }
}

/**
 * The hand to which the next card is due, `null` for none. `sure` is false where unread cards leave
 * it open.
 */
export const dueHand = (coup: Coup, shoe: Shoe): { hand: Hand | null; sure: boolean } =>
  handOf(
    dueOfReadings(coup, shoe.rules.tableau).map((due) => (due.step === 'card' ? due.to : null)),
  );

/**
 * Whether a card is certainly due, whatever the unread ones were: one that a hand must have, not
 * one that it is free to take.
 */
export function isCardDue(coup: Coup, shoe: Shoe): boolean {
  const dues = dueOfReadings(coup, shoe.rules.tableau, 'stood');
  const { hand, sure } = handOf(
    dues.map((due) => (due.step === 'card' && !due.optional ? due.to : null)),
  );
  return hand !== null && sure;
}

function handOf(dues: readonly (Hand | null)[]): { hand: Hand | null; sure: boolean } {
  const hand = dues.includes('player') ? 'player' : dues.includes('banker') ? 'banker' : null;
  return { hand, sure: dues.every((each) => each === hand) };
}

/** The third card of a hand as the drawing rules see it, if its value is `value`. */
export const thirdOf = (laid: Laid | undefined, value: number): Third | null =>
  laid ? { value, serial: laid.serial, initial: laid.ordinal < 4 && !laid.moved } : null;

export const unreadOf = (coup: Coup): Laid[] => coup.cards.filter((laid) => laid.card === null);

/** The two hands as the game's library takes them, without their unread cards. */
export const handsOf = ({ player, banker }: Coup): Hands => ({
  player: readCards(player),
  banker: readCards(banker),
});

/** Cards as a person writes them: `9S 4D 8C`, an unread one `??`. */
export const cardsText = (cards: readonly Laid[]): string =>
  cards.map(({ card }) => card ?? '??').join(' ');

/**
 * Whether the log's order of two events, `earlier` first, may be held against somebody: one source,
 * or clocks that agree by more than the tolerance.
 */
export function inOrder(earlier: AnyEvent, later: AnyEvent, shoe: Shoe): boolean {
  if (earlier.source === later.source) return true;
  const [before, after] = [timeOf(earlier.time), timeOf(later.time)];
  return (
    before !== undefined &&
    after !== undefined &&
    after - before > shoe.rules.document.clockTolerance * 1000
  );
}
