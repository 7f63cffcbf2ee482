import { ledgerOf } from '../ledger/commission.js';
import type { PlayAhead } from '../lane/play-ahead.js';
import type { SeatAccount, Coup, Shoe } from '../state.js';
import {
  PlaySums,
  type BetLine,
  type CommissionLine,
  type CountedCoup,
  type DayOf,
  type DealtLine,
} from './play-sums.js';

/** The sums of a shoe. */
export interface ShoeSums {
  /** A line for each seat that ever had one, by seat. */
  readonly ledger: readonly (SeatAccount & { readonly seat: number })[];
  /** The lines of a seat add up to its line of the ledger. */
  readonly commission: readonly CommissionLine[];
  readonly dealt: readonly DealtLine[];
  readonly bets: readonly BetLine[];
}

/**
 * Returns the sums of a shoe as it is now. `dayOf` returns the gaming day of an event's time. A
 * coup and everything settled in it count for the day and the dealer of the coup.
 */
export function shoeSums(shoe: Shoe, dayOf: DayOf): ShoeSums {
  const ahead = playAheadOf(shoe);
  const sums = coupSums(shoe, ahead, dayOf);
  for (const taking of [...shoe.takings, ...ahead.takings]) sums.addTaking(taking);
  const ledger = ledgerOf(shoe);
  return {
    ledger: [...ledger].sort(([a], [b]) => a - b).map(([seat, account]) => ({ seat, ...account })),
    ...sums.lines(),
  };
}

/** The sums of a shoe's first coups. */
interface Running {
  readonly coups: (Coup | CountedCoup)[];
  readonly sums: PlaySums;
}

/**
 * What was added up of a shoe: all its coups but the last one, as long as none of them changes. So
 * a long shoe costs no more than a short one.
 */
const RUNNING = new WeakMap<Shoe, Running>();

/** Forgets what was added up of a shoe if one of its coups that changed is part of it. */
export function coupsChanged(shoe: Shoe, changed: readonly Coup[]): void {
  const running = RUNNING.get(shoe);
  if (running && changed.some((coup) => running.coups.includes(coup))) RUNNING.delete(shoe);
}

/** Returns the sums of a shoe's coups, those that only its lane has seen included. */
function coupSums(shoe: Shoe, { coups: unseen, over }: Ahead, dayOf: DayOf): PlaySums {
  if (over === null) return sumsOf(shoe, [...shoe.coups, ...unseen], dayOf);
  if (over.dayOf !== dayOf) throw new Error('the coups of a lane were added up by other days');
  const sums = sumsOf(shoe, [...shoe.coups], dayOf);
  sums.add(over);
  for (const coup of unseen) sums.addCoup(coup);
  return sums;
}

/** Returns the sums of coups, and keeps those of all but the last. */
function sumsOf(shoe: Shoe, coups: (Coup | CountedCoup)[], dayOf: DayOf): PlaySums {
  const last = coups.pop();
  let running = RUNNING.get(shoe);
  if (running?.sums.dayOf !== dayOf || running.coups.some((coup, i) => coup !== coups[i])) {
    running = { coups: [], sums: new PlaySums(dayOf) };
    RUNNING.set(shoe, running);
  }
  for (const coup of coups.slice(running.coups.length)) {
    running.sums.addCoup(coup);
    running.coups.push(coup);
  }
  const sums = running.sums.copy();
  if (last) sums.addCoup(last);
  return sums;
}

type Ahead = Pick<PlayAhead, 'coups' | 'over' | 'takings'>;

/** Returns what only the lane of a shoe has seen. */
function playAheadOf({ lane }: Shoe): Ahead {
  if (!lane?.isAhead) return { coups: [], over: null, takings: [] };
  lane.play.read(lane.tail.count);
  return lane.play;
}
