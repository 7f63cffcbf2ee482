import { type Bet, type Result, type Rules } from '#baccarat';
import { chooseAmount, resultOfBet, type Settlement, type PlannedWager } from '../coup/betting.js';
import { dealLawfully, type Dealing } from '../coup/dealing.js';
import { needsBets, type CoupFault } from './fault.js';
import type { Random } from '../random.js';
import { settlementStep, type Play } from '../coup/script.js';
import { FAULT_SEATS, type Setting } from '../setting.js';

/** A wrong in the settlement of one wager. */
interface FaultySettlement {
  readonly impossible?: (setting: Setting) => string | undefined;
  /** Returns whether it can be done to a bet with this result. */
  readonly suits: (bet: Bet, result: Result, rules: Rules) => boolean;
  /** A seat that only this fault uses. An ordinary seat if absent. */
  readonly seat?: keyof typeof FAULT_SEATS;
  /** Returns an amount that the fault needs, or `undefined` for any amount. */
  readonly amount?: (bet: Bet, result: Result, setting: Setting) => number | undefined;
  /** Returns the faulty settlement, from the lawful one, or `undefined` for none. */
  readonly settle?: (
    lawful: Settlement,
    wrong: {
      readonly bet: Bet;
      readonly wager: PlannedWager;
      readonly result: Result;
      readonly play: Play;
    },
  ) => Settlement | undefined;
  /** Does the rest of the fault. */
  readonly also?: (play: Play, wager: PlannedWager, settled: Settlement) => void;
  readonly entails?: CoupFault['entails'];
  readonly part?: string;
}

const suitable = (fault: FaultySettlement, { rules }: Setting, dealing: Dealing): Bet[] =>
  [...rules.bets.values()].filter((bet) => fault.suits(bet, resultOfBet(bet, dealing), rules));

/**
 * Returns a fault about one wager. The cards are such that some bet suits, and a seat has that bet,
 * as the coup's first wager.
 */
export function onWager(fault: FaultySettlement): CoupFault {
  const { part, entails } = fault;
  return {
    at: 'coup',
    impossible: (setting) => fault.impossible?.(setting) ?? needsBets(setting),
    ...(part !== undefined && { part }),
    ...(entails && { entails }),
    deal: (top, setting, random) => {
      const dealing = dealLawfully(top, setting.rules, random);
      return !dealing.unfinished && suitable(fault, setting, dealing).length > 0
        ? dealing
        : undefined;
    },
    bet: (wagers, { setting, dealing, random }) => {
      const wrong = chooseWrong(fault, setting, dealing, random);
      return [wrong, ...wagers.filter(({ seat, bet }) => seat !== wrong.seat || bet !== wrong.bet)];
    },
    spoil: (play) => {
      const wager = play.wagers[0] as PlannedWager;
      const at = settlementStep(play, wager);
      const lawful = at.data as Settlement;
      const bet = play.setting.rules.bets.get(wager.bet) as Bet;
      const settled = fault.settle
        ? fault.settle(lawful, { bet, wager, result: resultOfBet(bet, play.dealing), play })
        : lawful;
      if (settled) at.data = settled;
      else play.steps.splice(play.steps.indexOf(at), 1);
      fault.also?.(play, wager, settled ?? lawful);
    },
  };
}

function chooseWrong(
  fault: FaultySettlement,
  setting: Setting,
  dealing: Dealing,
  random: Random,
): PlannedWager {
  const bet = random.pick(suitable(fault, setting, dealing));
  const seat = fault.seat
    ? setting.seats + FAULT_SEATS[fault.seat]
    : random.between(1, setting.seats);
  return {
    seat,
    bet: bet.id,
    amount:
      fault.amount?.(bet, resultOfBet(bet, dealing), setting) ??
      chooseAmount(setting, bet.id, random),
  };
}
