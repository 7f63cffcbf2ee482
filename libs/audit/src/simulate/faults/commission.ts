import { scale, type Bet, type Commission, type Result } from '#baccarat';
import { commissionOn, withCommission, type Settlement } from '../coup/betting.js';
import { needsBets, needsCommission, type CoupFault } from './fault.js';
import { onWager } from './faulty-wager.js';
import { planStep, senderOf } from '../coup/script.js';
import { FAULT_SEATS, type Setting } from '../setting.js';

const bears = (bet: Bet, { result }: Result): boolean => bet.commission && result === 'win';

/**
 * Returns the commission under each other rounding, to the minor unit or to the document's, and
 * with the minimum.
 */
const asSomebodyMightRound = ({ rate, rounding, minimum }: Commission, paid: number): number[] => [
  ...[1, rounding.unit].flatMap((unit) =>
    (['down', 'up', 'half-up', 'half-down'] as const).map((mode) =>
      scale(paid, rate, { unit, mode }),
    ),
  ),
  minimum,
];

/**
 * Returns a commission that only another rounding explains, or `undefined` if every rounding is the
 * same.
 */
function roundedOtherwise(setting: Setting, paid: number): number | undefined {
  const { commission } = setting.rules;
  if (!commission) return undefined;
  const due = commissionOn(setting.rules, paid);
  return asSomebodyMightRound(commission, paid).find((other) => other !== due && other > 0);
}

/** Returns the least amount whose commission depends on the rounding. */
function amountToRound(bet: Bet, result: Result, setting: Setting): number | undefined {
  if (result.result !== 'win') return undefined;
  const { min, max } = setting.limits[bet.id] as { min: number; max: number };
  for (let amount = min; amount <= max && amount < min + 10_000; amount += 1) {
    if (
      roundedOtherwise(setting, scale(amount, result.odds.profit, setting.rules.payoutRounding)) !==
      undefined
    )
      return amount;
  }
  return undefined;
}

/** Returns whether the rounding changes some winner's commission. */
const canRoundOtherwise = (setting: Setting): string | undefined => {
  const found = [...setting.rules.bets.values()].some(
    (bet) =>
      bet.commission &&
      bet.pays.some(
        ({ odds }, tier) =>
          amountToRound(bet, { result: 'win', odds, tier, special: false }, setting) !== undefined,
      ),
  );
  return found
    ? undefined
    : `every commission of ${setting.rules.ref} comes out the same however it is rounded`;
};

/** Returns an amount that no rounding could explain. */
const wrongAmount = ({ rules }: Setting, paid: number): number => {
  const { commission } = rules;
  return commission
    ? Math.max(...asSomebodyMightRound(commission, paid)) + 2 * commission.rounding.unit
    : 0;
};

const marked = ({ seat, bet, stake, paid }: Settlement, amount: number): Settlement => ({
  seat,
  bet,
  stake,
  paid,
  commissionMarked: amount,
});

/** The faults of commission that can be simulated, by the code that finds them. */
export const FAULTS_OF_COMMISSION = {
  'CM-01': onWager({
    impossible: needsCommission,
    suits: bears,
    settle: ({ seat, bet, stake, paid }) => ({ seat, bet, stake, paid }),
  }),
  'CM-02': onWager({
    impossible: needsCommission,
    suits: bears,
    settle: (lawful, { play: { setting } }) =>
      withCommission(setting.rules, lawful, wrongAmount(setting, lawful.paid)),
  }),
  'CM-03': onWager({
    impossible: (setting) => needsCommission(setting) ?? canRoundOtherwise(setting),
    suits: bears,
    amount: amountToRound,
    settle: (lawful, { play: { setting } }) =>
      withCommission(setting.rules, lawful, roundedOtherwise(setting, lawful.paid) as number),
  }),
  'CM-04': onWager({
    impossible: needsBets,
    suits: (bet, result) => result.result === 'win' && !bears(bet, result),
    settle: (lawful, { play: { setting, random } }) =>
      withCommission(setting.rules, lawful, 25 * random.between(1, 20)),
  }),
  // Marked even if it should be taken at once, and never collected.
  'CM-05': onWager({
    impossible: needsCommission,
    suits: bears,
    seat: 'neverCollected',
    part: 'commission left owing',
    settle: (lawful, { play: { setting } }) =>
      marked(lawful, commissionOn(setting.rules, lawful.paid)),
  }),
  'CM-06': {
    at: 'coup',
    impossible: needsBets,
    spoil: ({ steps, setting, random }) =>
      void steps.push(
        planStep(
          'terminal',
          'commission-collected',
          { seat: setting.seats + FAULT_SEATS.overcollected, amount: 25 * random.between(1, 20) },
          6000,
        ),
      ),
  },
  'CM-08': onWager({
    impossible: needsCommission,
    suits: bears,
    seat: 'waived',
    settle: (lawful, { play: { setting } }) =>
      marked(lawful, commissionOn(setting.rules, lawful.paid)),
    also: ({ steps, random, dealer, supervisor }, { seat }, { commissionMarked }) => {
      const waiver = random.pick([
        { by: supervisor },
        { reason: 'goodwill' },
        { by: dealer, reason: 'goodwill' },
      ]);
      steps.push(
        planStep(
          senderOf(waiver),
          'commission-waived',
          { seat, amount: commissionMarked as number, ...waiver },
          6000,
        ),
      );
    },
  }),
} as const satisfies Record<string, CoupFault>;
