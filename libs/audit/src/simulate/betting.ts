import { factsOf, resultOf, scale, type Bet, type Hands, type Result, type Rules } from '#baccarat';
import type { CoupKind, EventData } from '../events/events.js';
import type { Random } from './random.js';
import type { Setting } from './setting.js';

/** A seat's bet in one coup; `amount` in minor units. */
export interface Wager {
  readonly seat: number;
  readonly bet: string;
  readonly amount: number;
}

export type Settlement = EventData['bet-settled'];

/** The bets that the table's patrons make on one coup, every bet of the document in its turn. At least one. */
export function chooseWagers(setting: Setting, random: Random): Wager[] {
  const ids = [...setting.rules.bets.keys()];
  const main = ids.filter((id) => id === 'player' || id === 'banker');
  const wagers: Wager[] = [];
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

/** An amount within the limits of a bet: whole hundreds as a rule, now and then one that needs rounding. */
export function chooseAmount({ limits }: Setting, bet: string, random: Random): number {
  const { min, max } = limits[bet] as { min: number; max: number };
  const step = random.chance(80) ? 500 : 5;
  return Math.min(
    max,
    min + step * random.below(random.chance(90) ? 100 : Math.floor((max - min) / step)),
  );
}

/** What the rules make of a bet on these hands. */
export const resultOfBet = (bet: Bet, hands: Hands): Result => resultOf(bet, factsOf(hands), hands);

/**
 * The settlement that the rules require of a wager: stake, winnings, and commission taken or marked as the document says.
 * Where there is nothing to settle on (a coup that is not a normal one, or has no two hands) the stake goes back unpaid.
 */
export function lawfulSettlement(
  rules: Rules,
  { seat, bet: id, amount }: Wager,
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

/** The commission that the document asks on winnings of a bet that bears it; 0 where it has none. */
export function commissionOn({ commission }: Rules, paid: number): number {
  return commission && paid > 0
    ? Math.max(commission.minimum, scale(paid, commission.rate, commission.rounding))
    : 0;
}

/** A settlement with `amount` of commission, taken or marked as the document has it; marked where it has no commission. */
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
