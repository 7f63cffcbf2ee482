import { scale, type Bet, type Result, type Rules } from '#baccarat';
import { needsBets, type CoupFault } from './fault.js';
import { onWager } from './faulty-wager.js';
import {
  beyondDoubtMs,
  insertBefore,
  isOf,
  placeOf,
  settlementStep,
  planStep,
  type PlannedStep,
} from '../coup/script.js';
import { FAULT_SEATS, type Setting } from '../setting.js';

const isSpecial = (result: Result): boolean => result.result !== 'lose' && result.special;
const wins = (result: Result): boolean => result.result === 'win';

/**
 * Returns whether even money is too much for the result: a special push, or a special payout that
 * is not even money.
 */
const isWronglyPaidEvenMoney = (result: Result): boolean =>
  isSpecial(result) &&
  (result.result === 'push' ||
    (result.result === 'win' && result.odds.profit.num !== result.odds.profit.den));

const hasSpecialPayout = ({ rules }: Setting): string | undefined =>
  [...rules.bets.values()].some(({ pays, pushes }) =>
    [...pays, ...pushes].some(({ special }) => special),
  )
    ? undefined
    : `${rules.ref} has no special push or half-pay`;

const hasPush = ({ rules }: Setting): string | undefined =>
  [...rules.bets.values()].some(({ pushes }) => pushes.some(({ special }) => !special))
    ? undefined
    : `no bet of ${rules.ref} is ever returned on a tie`;

/**
 * Returns a wrong payment of a winner: one unit too much, as if "to" were read as "for", or the
 * other way round.
 */
function paidWrongly(rules: Rules, amount: number, paid: number, result: Result): number {
  if (result.result !== 'win') return paid + amount;
  const { num, den } = result.odds.profit;
  const other = scale(
    amount,
    { num: result.odds.notation === 'to' ? num + den : Math.max(0, num - den), den },
    rules.payoutRounding,
  );
  return other === paid || other === 0 ? paid + amount : other;
}

/** The faults of payouts that can be simulated, by the code that finds them. */
export const FAULTS_OF_PAYMENT = {
  'PY-01': onWager({
    suits: (_bet, result) => wins(result),
    settle: ({ seat, bet }, { play }) =>
      play.random.chance(50) ? { seat, bet, stake: 'taken', paid: 0 } : undefined,
  }),
  'PY-02': onWager({
    suits: (_bet, { result }) => result === 'lose',
    settle: ({ seat, bet }, { play }) =>
      play.random.chance(50) ? { seat, bet, stake: 'returned', paid: 0 } : undefined,
  }),
  'PY-03': onWager({
    suits: (_bet, result) => wins(result) && !isSpecial(result),
    settle: (lawful, { wager, result, play }) => ({
      ...lawful,
      paid: paidWrongly(play.setting.rules, wager.amount, lawful.paid, result),
    }),
  }),
  'PY-04': onWager({
    impossible: (setting) => needsBets(setting) ?? hasPush(setting),
    suits: (_bet, result) => result.result === 'push' && !isSpecial(result),
    settle: ({ seat, bet }) => ({ seat, bet, stake: 'taken', paid: 0 }),
  }),
  'PY-05': onWager({
    impossible: (setting) => needsBets(setting) ?? hasSpecialPayout(setting),
    suits: (_bet: Bet, result) => isWronglyPaidEvenMoney(result),
    settle: (lawful, { wager }) => ({ ...lawful, stake: 'returned', paid: wager.amount }),
  }),
  'PY-06': {
    at: 'coup',
    impossible: needsBets,
    spoil: (play) => {
      const { setting, random } = play;
      const bet = random.pick([...setting.rules.bets.keys()]);
      const unfounded = planStep(
        'terminal',
        'bet-settled',
        {
          seat: setting.seats + FAULT_SEATS.newcomer,
          bet,
          stake: 'returned',
          paid: 100 * random.between(5, 50),
        },
        1500,
      );
      insertBefore(play, isOf('coup-closed'), unfounded);
    },
  },
  'PY-07': onWager({
    suits: () => true,
    also: (play, wager) => {
      const settlement = settlementStep(play, wager);
      play.steps.splice(play.steps.indexOf(settlement), 1);
      const outcome = play.steps[placeOf(play, isOf('outcome-declared'))] as PlannedStep;
      outcome.waitMs = beyondDoubtMs(play);
      insertBefore(play, (each) => each === outcome, settlement);
    },
  }),
  'PY-10': onWager({
    suits: () => true,
    also: ({ steps }, { seat, bet }, { stake }) =>
      steps.push(planStep('terminal', 'bet-settled', { seat, bet, stake, paid: 0 }, 4000)),
  }),
} as const satisfies Record<string, CoupFault>;
