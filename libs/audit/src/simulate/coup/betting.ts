import { factsOf, resultOf, scale, type Bet, type Hands, type Result, type Rules } from '#baccarat';
import type { CoupKind, EventData } from '../../events/events.js';
import type { Random } from '../random.js';
import type { Setting } from '../setting.js';

/** A seat's bet in one coup. `amount` is in minor units. */
export interface PlannedWager {
  readonly seat: number;
  readonly bet: string;
  readonly amount: number;
}

/** The data of a settlement. */
export type Settlement = EventData['bet-settled'];

/**
 * Returns the bets of the table's patrons on one coup, going through the document's bets in turn.
 * At least one.
 */
export function chooseWagers(setting: Setting, random: Random): PlannedWager[] {
  const ids = [...setting.rules.bets.keys()];
  const main = ids.filter((id) => id === 'player' || id === 'banker');
  const wagers: PlannedWager[] = [];
  for (let seat = 1; seat <= setting.seats; seat += 1) {
    const bets = new Set<string>();
    if (main.length > 0 && random.chance(75)) bets.add(random.pick(main));
    if (random.chance(40)) bets.add(random.pick(ids));
    for (const bet of bets) wagers.push({ seat, bet, amount: chooseAmount(setting, bet, random) });
  }
  if (wagers.length === 0) {
    const bet = random.pick(ids);
    wagers.push({ seat: 1, bet, amount: chooseAmount(setting, bet, random) });
  }
  return wagers;
}

/**
 * Returns an amount within the limits of a bet: usually whole hundreds, sometimes an amount that
 * needs rounding.
 */
export function chooseAmount({ limits }: Setting, bet: string, random: Random): number {
  const { min, max } = limits[bet] as { min: number; max: number };
  const step = random.chance(80) ? 500 : 5;
  return Math.min(
    max,
    min + step * random.below(random.chance(90) ? 100 : Math.floor((max - min) / step)),
  );
}

/** Returns the result of a bet on these hands. */
export const resultOfBet = (bet: Bet, hands: Hands): Result => resultOf(bet, factsOf(hands), hands);

/**
 * Returns the settlement that the rules require of a wager: stake, winnings, and commission taken
 * or marked as the document says. If there is nothing to settle (the coup is not normal, or does
 * not have two hands), the stake is returned unpaid.
 */
export function lawfulSettlement(
  rules: Rules,
  { seat, bet: id, amount }: PlannedWager,
  hands: Hands,
  kind: CoupKind,
): Settlement {
  const bet = rules.bets.get(id);
  const returned: Settlement = { seat, bet: id, stake: 'returned', paid: 0 };
  if (!bet || kind !== 'normal' || hands.player.length < 2 || hands.banker.length < 2)
    return returned;
  const result = resultOfBet(bet, hands);
  if (result.result === 'push') return returned;
  if (result.result === 'lose') return { seat, bet: id, stake: 'taken', paid: 0 };
  const paid = scale(amount, result.odds.profit, rules.payoutRounding);
  return withCommission(
    rules,
    { seat, bet: id, stake: 'returned', paid },
    bet.commission ? commissionOn(rules, paid) : 0,
  );
}

/**
 * Returns the document's commission on the winnings of a bet that bears it, or 0 if it has none.
 */
export function commissionOn({ commission }: Rules, paid: number): number {
  return commission && paid > 0
    ? Math.max(commission.minimum, scale(paid, commission.rate, commission.rounding))
    : 0;
}

/**
 * Returns a settlement with `amount` of commission, taken or marked as the document says, or marked
 * if it has no commission.
 */
export function withCommission(
  { commission }: Rules,
  { seat, bet, stake, paid }: Settlement,
  amount: number,
): Settlement {
  const plain = { seat, bet, stake, paid };
  if (amount === 0) return plain;
  return commission?.when === 'taken'
    ? { ...plain, commissionTaken: amount }
    : { ...plain, commissionMarked: amount };
}
