import { BET_IDS } from '../../events/house.js';
import { chooseAmount, type PlannedWager } from '../coup/betting.js';
import { needsBets, type CoupFault } from './fault.js';
import { insertBefore, isOf, placeOf, planStep } from '../coup/script.js';
import { FAULT_SEATS, type Setting } from '../setting.js';
import { cancelCoup } from '../coup/voiding.js';

const notOffered = ({ rules }: Setting): string[] =>
  [...BET_IDS].filter((id) => !rules.bets.has(id));
const newcomer = ({ seats }: Setting): number => seats + FAULT_SEATS.newcomer;

/** A fault: one wager of the coup has an amount outside its limits. It is settled in full. */
const outsideLimits = (
  amountOf: (limit: { readonly min: number; readonly max: number }) => number,
): CoupFault => ({
  at: 'coup',
  impossible: needsBets,
  bet: (wagers, { setting, random }) => {
    const wrong = random.pick(wagers);
    const limit = setting.limits[wrong.bet] as { min: number; max: number };
    return wagers.map((wager) => (wager === wrong ? { ...wager, amount: amountOf(limit) } : wager));
  },
});

/** The faults of bets that can be simulated, by the code that finds them. */
export const FAULTS_OF_BETS = {
  'BT-01': {
    at: 'coup',
    impossible: needsBets,
    spoil: (play) => {
      const { setting, random, steps } = play;
      const bet = random.pick([...setting.rules.bets.keys()]);
      const late: PlannedWager = {
        seat: newcomer(setting),
        bet,
        amount: chooseAmount(setting, bet, random),
      };
      steps.splice(
        placeOf(play, isOf('card-drawn')) + 1,
        0,
        planStep('terminal', 'bet-placed', { ...late }, 900),
      );
      insertBefore(
        play,
        isOf('coup-closed'),
        planStep(
          'terminal',
          'bet-settled',
          { seat: late.seat, bet, stake: 'returned', paid: 0 },
          1500,
        ),
      );
    },
  },
  'BT-02': outsideLimits(({ min }) => Math.floor(min / 2)),
  'BT-03': outsideLimits(({ min, max }) => max + min),
  // Only one bet, so that there is only one finding: each bet on such a coup is one.
  'BT-07': {
    at: 'coup',
    impossible: needsBets,
    kind: 'dummy',
    needsCoupBefore: true,
    earliest: () => 2,
    bet: (wagers) => wagers.slice(0, 1),
  },
  'BT-08': {
    at: 'coup',
    impossible: needsBets,
    spoil: (play) => cancelCoup(play, { reason: 'cards disputed', by: play.supervisor }, 1),
  },
  'BT-10': {
    at: 'coup',
    impossible: (setting) =>
      needsBets(setting) ??
      (notOffered(setting).length > 0
        ? undefined
        : `${setting.rules.ref} has every bet that an event can name`),
    spoil: (play) => {
      const { setting, random } = play;
      const seat = newcomer(setting);
      const bet = random.pick(notOffered(setting));
      insertBefore(
        play,
        isOf('betting-closed'),
        planStep('terminal', 'bet-placed', { seat, bet, amount: 2500 }, 900),
      );
      insertBefore(
        play,
        isOf('coup-closed'),
        planStep('terminal', 'bet-settled', { seat, bet, stake: 'returned', paid: 0 }, 1500),
      );
    },
  },
} as const satisfies Record<string, CoupFault>;
