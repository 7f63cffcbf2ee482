import { scale, type Rational } from '#baccarat';
import { referenceOf } from '../events/events.js';
import type { Coup, Shoe, Wager } from '../state.js';
import type { Impact } from '../findings/finding.js';

/**
 * What was done about a wager, over all its settlements: amounts are added up, and the last stake
 * counts.
 */
export interface Settled {
  readonly stake: 'returned' | 'taken';
  readonly paid: number;
  /** Commission taken and marked together. */
  readonly commission: number;
  /** References of the settlements, for a finding about them. */
  readonly events: () => string[];
}

/** A wager, and its settlement. */
export interface SettledWager {
  readonly wager: Wager;
  readonly settled: Settled;
}

/** Returns a seat's wager on a bet of a coup, and adds it if it is new. */
export function wagerOf(coup: Coup, seat: number, bet: string): Wager {
  const known = coup.wagers.find((wager) => wager.seat === seat && wager.bet === bet);
  if (known) return known;
  const fresh: Wager = { seat, bet, moves: [], settlements: [], tooClose: false };
  coup.wagers.push(fresh);
  return fresh;
}

/** Returns the fields of a finding that name a wager. */
export const ofWager = ({ seat, bet }: Wager): Pick<Wager, 'seat' | 'bet'> => ({ seat, bet });

/** Returns what was done about a wager, or `null` if it was never settled. */
export function settledOf({ settlements }: Wager): Settled | null {
  const last = settlements.at(-1);
  if (!last) return null;
  let paid = 0;
  let commission = 0;
  for (const { data } of settlements) {
    paid += data.paid;
    commission += (data.commissionTaken ?? 0) + (data.commissionMarked ?? 0);
  }
  return { stake: last.data.stake, paid, commission, events: () => settlements.map(referenceOf) };
}

/**
 * Returns a wager's stake, and what was staked on it too late to count. Call it once late moves are
 * marked.
 */
export function stakesOf({ moves }: Wager): { stands: number; late: number } {
  let stands = 0;
  let late = 0;
  for (const move of moves) {
    const { amount } = move.event.data;
    if (move.event.type === 'bet-placed') {
      if (move.late) late += amount;
      else stands += amount;
    } else if (!move.late) stands -= amount;
  }
  return { stands: Math.max(0, stands), late };
}

/**
 * Returns what a winning stake is paid before commission, in minor units, rounded as the document
 * says.
 */
export const winnings = (shoe: Shoe, stake: number, profit: Rational): number =>
  scale(stake, profit, shoe.rules.payoutRounding);

/** Returns the impact of the money by which the patron has more (above 0) or less than is due. */
export const impact = (shoe: Shoe, more: number): Impact => ({
  amount: Math.abs(more),
  currency: shoe.currency,
  favours: more > 0 ? 'patron' : 'house',
});
