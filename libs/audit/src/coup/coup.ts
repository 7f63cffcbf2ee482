import { dueOfReadings, readCards, type Hands } from '#baccarat';
import type { Third } from './draws.js';
import {
  referenceOf,
  type AnyEvent,
  type CoupKind,
  type EventOf,
  type Hand,
} from '../events/events.js';
import { UNCHANGED, type Coup, type Duty, type Laid, type Shoe } from '../state.js';
import { timeOf } from '../events/time.js';

/** Returns the kind of the coup that an event opens. */
export const kindOf = ({ data }: EventOf<'coup-opened'>): CoupKind => data.kind ?? 'normal';

/** Returns a coup that has just opened, at index `from` of the journal. */
export const newCoup = (
  opening: EventOf<'coup-opened'>,
  from: number,
  { dealer, caller }: Readonly<Duty>,
): Coup => ({
  opening,
  ref: referenceOf(opening),
  number: opening.data.coup,
  kind: kindOf(opening),
  from,
  to: Number.POSITIVE_INFINITY,
  state: 'open',
  lost: 0,
  playLost: null,
  showsCutCardFirst: false,
  unseen: [],
  short: 'none',
  readings: null,
  cards: [],
  player: [],
  banker: [],
  ordinals: 0,
  serials: 0,
  handVersion: 0,
  drawCodes: 0,
  dealers: dealer === null ? [] : [dealer],
  callers: caller === null ? [] : [caller],
  withoutDealer: false,
  bettingClosed: null,
  firstCard: null,
  wagers: [],
  declarations: [],
  outcomeAt: null,
  entries: [],
  owesReturn: false,
  correctedToDummy: false,
  reachedBy: [],
  changed: UNCHANGED,
});

/** Returns the cards that lie on a hand. */
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

/** Returns the hand to which the next card of a coup without unread cards is due, or `null`. */
export function dueHand(coup: Coup, shoe: Shoe): Hand | null {
  const [due] = dueOfReadings(coup, shoe.rules.tableau);
  return due?.step === 'card' ? due.to : null;
}

/** Returns whether every card of a shoe is out. */
export const isOut = ({ drawn, decks }: Shoe): boolean => drawn >= 52 * decks;

/**
 * Returns whether a coup without unread cards must have another card: one that a hand must take,
 * not one that it may take.
 */
export const isCardDue = (coup: Coup, shoe: Shoe): boolean =>
  dueOfReadings(coup, shoe.rules.tableau, 'stood').some(
    (due) => due.step === 'card' && !due.optional,
  );

/** Returns a hand's third card as the drawing rules see it. */
export const thirdOf = (laid: Laid | undefined): Third | null =>
  laid
    ? { value: laid.value, serial: laid.serial, initial: laid.ordinal < 4 && !laid.moved }
    : null;

/** Returns the unread cards of a coup. */
export const unreadOf = (coup: Coup): Laid[] => coup.cards.filter((laid) => laid.card === null);

/** Returns the two hands for the game's library, without their unread cards. */
export const handsOf = ({ player, banker }: Coup): Hands => ({
  player: readCards(player),
  banker: readCards(banker),
});

/** Renders cards as a person writes them: `9S 4D 8C`, with `??` for an unread one. */
export const cardsText = (cards: readonly Laid[]): string =>
  cards.map(({ card }) => card ?? '??').join(' ');

/**
 * Returns whether the order of two events in the log, `earlier` first, may count against somebody:
 * they have one source, or their clocks agree by more than the tolerance.
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
