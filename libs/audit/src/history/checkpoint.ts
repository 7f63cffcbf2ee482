import { noShoeChanges, noTableChanges } from '../changes.js';
import { ByCoup } from '../findings/by-coup.js';
import type { SeatLedger } from '../ledger/seat-ledger.js';
import type { Prefix, Checkpoint, Coup, SeatAccount, Shoe } from '../state.js';

/** Returns a checkpoint of a shoe where the event at this index of the order of play begins a stretch. */
export function newCheckpoint(shoe: Shoe, at: number): Checkpoint {
  const before = shoe.checkpoints.at(-1);
  const index = shoe.checkpoints.length;
  return {
    at,
    earliest: index,
    latest: index,
    duty: { ...shoe.duty },
    lastNumber: shoe.lastNumber,
    drawn: shoe.drawn,
    coupsLeft: shoe.coupsLeft,
    lost: shoe.lost,
    hidden: shoe.hidden,
    openingLost: shoe.openingLost,
    ahead: { between: [...shoe.ahead.between], after: [...shoe.ahead.after] },
    away: shoe.away,
    dealers: { list: shoe.dealersOfShoe, count: shoe.dealersOfShoe.length },
    carried: [...shoe.carried],
    betweenCoups: [...shoe.betweenCoups],
    copies: [...shoe.copies],
    unread: shoe.unread,
    ledger: before?.ledger.isSame(shoe.ledger) === true ? before.ledger : shoe.ledger.copy(),
    takings: shoe.takings.length,
    loose: shoe.loose.length,
    balances: shoe.balances.length,
  };
}

/** Returns the index of the stretch in which the event at this index of the order of play lies. */
export function stretchAt(checkpoints: readonly Checkpoint[], at: number): number {
  let [low, high] = [0, checkpoints.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((checkpoints[middle] as Checkpoint).at <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the coup that was open when the event at this index of the order of play came. */
export function coupAt({ checkpoints, coups }: Shoe, at: number): Coup | null {
  const coup = coups[stretchAt(checkpoints, at) - 1];
  return coup && at <= coup.to ? coup : null;
}

/** Stops a shoe that is judged again from a stretch when an event reaches an earlier one. */
export class ReachesBack extends Error {
  constructor(readonly stretch: number) {
    super(`stretch ${stretch} must be judged again too`);
  }
}

/**
 * Records that the event folded now is about to change what came of the event at this index. Throws
 * `ReachesBack` if that lies before the stretch from which the shoe is judged again.
 */
export function touch({ checkpoints, resumedAt }: Shoe, at: number): void {
  const now = checkpoints.length - 1;
  const then = stretchAt(checkpoints, at);
  if (then === now) return;
  if (then < resumedAt) throw new ReachesBack(then);
  const [here, there] = [checkpoints[now], checkpoints[then]] as [Checkpoint, Checkpoint];
  here.earliest = Math.min(here.earliest, then);
  there.latest = Math.max(there.latest, now);
}

/**
 * Returns a shoe as it was at the beginning of a stretch, with no findings, to be judged again from
 * there. It shares with `shoe` everything that came before, which must not change.
 */
export function resumed(shoe: Shoe, stretch: number): Shoe {
  const point = shoe.checkpoints[stretch] as Checkpoint;
  return {
    ...shoe,
    duty: { ...point.duty },
    lastNumber: point.lastNumber,
    drawn: point.drawn,
    coupsLeft: point.coupsLeft,
    lost: point.lost,
    hidden: point.hidden,
    openingLost: point.openingLost,
    ahead: { between: [...point.ahead.between], after: [...point.ahead.after] },
    away: point.away,
    dealersOfShoe: point.dealers.list.slice(0, point.dealers.count),
    carried: [...point.carried],
    betweenCoups: [...point.betweenCoups],
    copies: [...point.copies],
    unread: point.unread,
    ledger: point.ledger.copy(),
    draws: shoe.draws.slice(0, point.drawn),
    takings: shoe.takings.slice(0, point.takings),
    loose: shoe.loose.slice(0, point.loose),
    balances: shoe.balances.slice(0, point.balances),
    burned: stretch === 0 ? [] : shoe.burned,
    coups: shoe.coups.slice(0, coupsBefore(stretch)),
    coup: null,
    closed: false,
    owing: 0,
    obligations: [],
    lane: null,
    changes: noShoeChanges(noTableChanges()),
    found: new ByCoup(),
    unjudgeable: new ByCoup(),
    checkpoints: [
      ...shoe.checkpoints.slice(0, stretch),
      { ...point, earliest: stretch, latest: stretch },
    ],
    resumedAt: stretch,
  };
}

/** Returns how many coups opened before a stretch. */
export const coupsBefore = (stretch: number): number => Math.max(0, stretch - 1);

/**
 * Returns whether play continues alike from two checkpoints of one shoe at the same event. What
 * gaps hid and how many cards were drawn does not change between the two.
 */
export const isSameProgress = (a: Checkpoint, b: Checkpoint): boolean =>
  a.duty.dealer === b.duty.dealer &&
  a.duty.caller === b.duty.caller &&
  a.duty.lost === b.duty.lost &&
  a.coupsLeft === b.coupsLeft &&
  a.carried.length + b.carried.length === 0 &&
  isSamePrefix(a.dealers, b.dealers) &&
  a.betweenCoups.length === b.betweenCoups.length &&
  a.betweenCoups.every((event, i) => event.data === b.betweenCoups[i]?.data);

const isSamePrefix = (a: Prefix, b: Prefix): boolean => {
  if (a.count !== b.count) return false;
  if (a.list === b.list) return true;
  for (let i = 0; i < a.count; i += 1) if (a.list[i] !== b.list[i]) return false;
  return true;
};

const ZERO: Readonly<SeatAccount> = { due: 0, taken: 0, marked: 0, collected: 0, waived: 0 };

const difference = (from: Readonly<SeatAccount>, to: Readonly<SeatAccount>): SeatAccount => ({
  due: to.due - from.due,
  taken: to.taken - from.taken,
  marked: to.marked - from.marked,
  collected: to.collected - from.collected,
  waived: to.waived - from.waived,
});

const isNoChange = ({ due, taken, marked, collected, waived }: SeatAccount): boolean =>
  due === 0 && taken === 0 && marked === 0 && collected === 0 && waived === 0;

/** By how much what stretches add up to changed. */
export interface Shift {
  /** Cards by index, with the change of their copies. */
  readonly copies: readonly (readonly [card: number, more: number])[];
  readonly unread: number;
  readonly seats: ReadonlyMap<number, Readonly<SeatAccount>>;
  readonly takings: number;
  readonly loose: number;
  readonly balances: number;
}

/** Returns by how much two checkpoints of one shoe at the same event differ. */
export function shiftBetween(from: Checkpoint, to: Checkpoint): Shift {
  const seats = new Map<number, SeatAccount>();
  if (from.ledger !== to.ledger)
    for (const seat of new Set([...from.ledger.keys(), ...to.ledger.keys()])) {
      const change = difference(from.ledger.get(seat) ?? ZERO, to.ledger.get(seat) ?? ZERO);
      const isNew = from.ledger.has(seat) !== to.ledger.has(seat);
      if (isNew || !isNoChange(change)) seats.set(seat, change);
    }
  const copies: (readonly [number, number])[] = [];
  for (let card = 0; card < to.copies.length; card += 1) {
    const more = (to.copies[card] as number) - (from.copies[card] as number);
    if (more !== 0) copies.push([card, more]);
  }
  return {
    copies,
    unread: to.unread - from.unread,
    seats,
    takings: to.takings - from.takings,
    loose: to.loose - from.loose,
    balances: to.balances - from.balances,
  };
}

/** Shifts the sums of checkpoints, and of the shoe as it is now, after an earlier stretch changed. */
export function shiftSums(shoe: Shoe, later: readonly Checkpoint[], shift: Shift): void {
  const shifted = new Map<Checkpoint['ledger'], Checkpoint['ledger']>();
  for (const point of later) {
    shiftCards(point, shift);
    point.takings += shift.takings;
    point.loose += shift.loose;
    point.balances += shift.balances;
    if (shift.seats.size === 0) continue;
    const { ledger } = point;
    if (!shifted.has(ledger)) {
      const copy = ledger.copy();
      shiftLedger(copy, shift);
      shifted.set(ledger, copy);
    }
    point.ledger = shifted.get(ledger) as Checkpoint['ledger'];
  }
  shiftCards(shoe, shift);
  shiftLedger(shoe.ledger, shift);
}

function shiftCards(sums: Pick<Checkpoint, 'copies' | 'unread'>, shift: Shift): void {
  for (const [card, more] of shift.copies) sums.copies[card] = (sums.copies[card] as number) + more;
  sums.unread += shift.unread;
}

function shiftLedger(ledger: SeatLedger, { seats }: Shift): void {
  for (const [seat, by] of seats) {
    const account = ledger.own(seat);
    account.due += by.due;
    account.taken += by.taken;
    account.marked += by.marked;
    account.collected += by.collected;
    account.waived += by.waived;
  }
}
