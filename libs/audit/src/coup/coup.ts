import { due, outcomeOf, type Card, type Outcome } from '#baccarat';
import type { Third } from './draws.js';
import { referenceOf, type AnyEvent, type EventOf, type Hand } from '../events/events.js';
import type { Coup, CoupRow, Laid, Shoe } from '../state.js';
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

const DIGITS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The totals that these cards can have: one, or all ten where any of them was not read. */
export function totals(cards: readonly Laid[]): readonly number[] {
  let sum = 0;
  for (const { value } of cards) {
    if (value < 0) return DIGITS;
    sum += value;
  }
  return ONE[sum % 10] as readonly number[];
}
const ONE: readonly (readonly number[])[] = DIGITS.map((digit) => [digit]);

/** The hand to which the next card is due, `null` for none. `sure` is false where unread cards leave it open. */
export const dueHand = (coup: Coup, shoe: Shoe): { hand: Hand | null; sure: boolean } =>
  handDueNext(coup, shoe, 'may draw');

/** `free`: what a hand that is free to draw or stand does, if it is asked again. */
function handDueNext(
  { player, banker }: Coup,
  { rules }: Shoe,
  free: 'may draw' | 'stands',
): { hand: Hand | null; sure: boolean } {
  const initial = initialHandDue({ player, banker });
  if (initial) return { hand: initial, sure: true };
  const hands = new Set<Hand | null>();
  for (const p of totals(player.slice(0, 2))) {
    for (const b of totals(banker.slice(0, 2))) {
      for (const t of player[2] ? totals([player[2]]) : (ONE[0] as readonly number[])) {
        const lying = {
          player: standIn(p, player.length, t),
          banker: standIn(b, banker.length, 0),
        };
        let next = due(lying, rules);
        if (free === 'stands' && next.step === 'card' && next.optional && next.to === 'player')
          next = due(lying, rules, true);
        hands.add(next.step === 'card' && !(free === 'stands' && next.optional) ? next.to : null);
      }
    }
  }
  const hand = hands.has('player') ? 'player' : hands.has('banker') ? 'banker' : null;
  return { hand, sure: hands.size === 1 };
}

/** The hand to which the next of the first four cards goes, `null` once both hands have two. */
export function initialHandDue({ player, banker }: Pick<Coup, 'player' | 'banker'>): Hand | null {
  if (player.length < 2 && player.length <= banker.length) return 'player';
  if (banker.length < 2) return 'banker';
  return player.length < 2 ? 'player' : null;
}

/** A hand of `length` cards whose first two total `total` and whose third counts `third`. */
function standIn(total: number, length: number, third: number): Card[] {
  const cards: Card[] = [cardOf(total), cardOf(0)];
  for (let i = 2; i < length; i += 1) cards.push(cardOf(i === 2 ? third : 0));
  return cards;
}
const cardOf = (value: number): Card => `${'TA23456789'.charAt(value)}S` as Card;

/** Whether a card is certainly due, whatever the unread ones were: one that a hand must have, not one that it is free to take. */
export function isCardDue(coup: Coup, shoe: Shoe): boolean {
  const { hand, sure } = handDueNext(coup, shoe, 'stands');
  return hand !== null && sure;
}

/** The third card of a hand as the drawing rules see it, if its value is `value`. */
export const thirdOf = (laid: Laid | undefined, value: number): Third | null =>
  laid ? { value, serial: laid.serial, initial: laid.ordinal < 4 && !laid.moved } : null;

/** Every outcome that the cards as they lie can have. */
export function outcomes(coup: Coup): readonly Outcome[] {
  const [player, banker] = [totals(coup.player), totals(coup.banker)];
  if (player.length === 1 && banker.length === 1)
    return ONE_OUTCOME[outcomeOf(player[0] as number, banker[0] as number)];
  return [...new Set(player.flatMap((p) => banker.map((b) => outcomeOf(p, b))))];
}
const ONE_OUTCOME: Readonly<Record<Outcome, readonly Outcome[]>> = {
  player: ['player'],
  banker: ['banker'],
  tie: ['tie'],
};

export const unreadOf = (coup: Coup): Laid[] => coup.cards.filter((laid) => laid.card === null);

/** Cards as a person writes them: `9S 4D 8C`, an unread one `??`. */
export const cardsText = (cards: readonly Laid[]): string =>
  cards.map(({ card }) => card ?? '??').join(' ');

/** Tells of a coup as it stands, for those who want to see it. */
export const tellCoup = (shoe: Shoe, coup: Coup): void =>
  void shoe.news.push(new CoupTold(shoe, coup));

/** Most readers of a log look at few of its coups: the row is drawn for those who do. */
class CoupTold {
  readonly is = 'coup';

  constructor(
    private readonly of: Shoe,
    private readonly coup: Coup,
  ) {}

  get ref(): string {
    return this.coup.ref;
  }
  get shoe(): string {
    return this.of.name;
  }
  get row(): CoupRow {
    return coupRow(this.of, this.coup);
  }
}

/** A coup as it stands. */
export function coupRow(shoe: Shoe, coup: Coup): CoupRow {
  const found = coup.player.length >= 2 && coup.banker.length >= 2 ? outcomes(coup) : [];
  return {
    table: shoe.table,
    shoe: shoe.name,
    coup: coup.number,
    ref: coup.ref,
    kind: coup.kind,
    void: coup.state === 'void',
    cards: coup.cards.map((laid) => ({
      ref: referenceOf(laid.event),
      card: laid.card,
      to: laid.place,
      moved: laid.moved,
      exposed: laid.exposed,
      carried: laid.carried,
    })),
    declared: coup.declarations.map(({ event }) => ({
      outcome: event.data.outcome,
      by: event.data.by,
    })),
    outcome: found.length === 1 ? (found[0] as Outcome) : null,
  };
}

/** Whether the log's order of two events, `earlier` first, may be held against somebody: one source, or clocks that agree by more than the tolerance. */
export function inOrder(earlier: AnyEvent, later: AnyEvent, shoe: Shoe): boolean {
  if (earlier.source === later.source) return true;
  const [before, after] = [timeOf(earlier.time), timeOf(later.time)];
  return (
    before !== undefined &&
    after !== undefined &&
    after - before > shoe.rules.document.clockTolerance * 1000
  );
}
