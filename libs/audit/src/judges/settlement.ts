import {
  isExact,
  factsOf,
  resultOf,
  roundingsOf,
  scale,
  type Bet,
  type Facts,
  type Result,
} from '#baccarat';
import { hides, type FindingCode } from '../findings/catalogue.js';
import { judgeCommission } from '../ledger/commission.js';
import { handsOf, inOrder } from '../coup/coup.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { TOO_CLOSE } from '../findings/finding.js';
import { leftOpen, raise, unjudgeable, type Wrong } from '../findings/findings.js';
import type { Coup, Shoe, Wager } from '../state.js';
import type { Slip } from '../findings/finding.js';
import { impact, ofWager, settledOf, stakesOf, winnings, type Settled } from '../coup/wagers.js';

/** Raises a finding about money, or lists it if in some readings a hand is short (DL-04). */
function raiseUnlessShort(shoe: Shoe, coup: Coup, code: FindingCode, wrong: Wrong): void {
  if (coup.short === 'some') leftOpen(shoe, coup, [code]);
  else raise(shoe, coup, code, wrong);
}

/** Raises PY-07 for every settlement that came before the outcome. */
export function noteOutcome(shoe: Shoe, coup: Coup, outcome: AnyEvent): void {
  if (coup.kind !== 'normal') return; // its stakes are returned whatever the outcome
  for (const wager of coup.wagers) {
    if (!shoe.rules.bets.has(wager.bet)) continue; // BT-10: its settlement is not judged
    for (const settlement of wager.settlements) {
      const events = [referenceOf(settlement), referenceOf(outcome)];
      if (coup.short === 'all') continue;
      if (!inOrder(settlement, outcome, shoe))
        unjudgeable(shoe, coup, { codes: ['PY-07'], events, cause: TOO_CLOSE });
      else {
        raiseUnlessShort(shoe, coup, 'PY-07', {
          ...ofWager(wager),
          events,
          expected: 'settled after the outcome',
          observed: 'settled before it',
          message: `Seat ${wager.seat}'s ${wager.bet} bet was settled before the outcome was declared.`,
        });
      }
    }
  }
}

/**
 * Judges the settlement of a finished coup on its final hands: PY-01 to PY-06 and the commission on
 * what was paid.
 */
export function judgeSettlement(shoe: Shoe, coup: Coup): void {
  if (!shoe.reports.bets || coup.short === 'all' || coup.state === 'void') return;
  if (hides(coup.lost, 'PY-01')) return;
  const judgeable = coup.readings || (coup.player.length >= 2 && coup.banker.length >= 2);
  const resultsOf = resultsIn(coup);
  for (const wager of coup.wagers) {
    const bet = shoe.rules.bets.get(wager.bet);
    if (!bet) continue; // BT-10: its settlement is not judged
    const staked = stakesOf(wager);
    const { stands } = staked;
    if (coup.kind !== 'normal' || stands === 0) judgeUnfounded(shoe, coup, wager, staked);
    else if (judgeable) judgeWager(shoe, coup, wager, { bet, stands, results: resultsOf(bet) });
  }
}

/**
 * Raises PY-06 for a settlement without a bet, or for a late stake that was not returned unpaid.
 */
function judgeUnfounded(
  shoe: Shoe,
  coup: Coup,
  wager: Wager,
  { stands, late }: ReturnType<typeof stakesOf>,
): void {
  const settled = settledOf(wager);
  if (settled && settled.commission > 0) judgeCommission(shoe, coup, { wager, settled }, null);
  // BT-07 covers a bet on a dummy, demonstration or free coup, BT-08 a stake not returned.
  if (stands > 0 || (late > 0 && coup.kind !== 'normal')) return;
  const fault =
    late > 0 ? lateStakeKept(shoe, wager, settled, late) : settledWithoutBet(wager, settled);
  if (!fault) return;
  raiseUnlessShort(shoe, coup, 'PY-06', {
    ...ofWager(wager),
    events: settled?.events() ?? wager.moves.map(({ event }) => referenceOf(event)),
    expected: fault.expected,
    observed: settled ? settledText(settled) : 'not settled',
    impact: impact(shoe, fault.amount),
    message: fault.message,
  });
}

interface Unfounded {
  readonly expected: string;
  readonly message: string;
  /** What the patron has and should not have; negative for the reverse. */
  readonly amount: number;
}

function lateStakeKept(
  shoe: Shoe,
  { seat, bet }: Wager,
  settled: Settled | null,
  late: number,
): Unfounded | undefined {
  const fault = {
    expected: `the late stake of ${late} returned unpaid`,
    message: `Seat ${seat}'s ${bet} bet came too late to count, and its stake was not simply returned.`,
  };
  if (!settled) return shoe.reports.settlements ? { ...fault, amount: -late } : undefined;
  const { stake, paid } = settled;
  if (stake === 'returned' && paid === 0) return undefined;
  return { ...fault, amount: paid - (stake === 'taken' ? late : 0) };
}

const settledWithoutBet = ({ seat, bet }: Wager, settled: Settled | null): Unfounded | undefined =>
  settled
    ? {
        expected: 'no settlement',
        message: `Seat ${seat}'s ${bet} was settled, but no bet stood there.`,
        amount: settled.paid,
      }
    : undefined;

interface Standing {
  readonly bet: Bet;
  readonly stands: number;
  readonly results: readonly Result[];
}

/** What is wrong with one wager's settlement under one reading of the cards. */
interface Verdict {
  readonly code: FindingCode;
  readonly expected: string;
  /** What the patron should have in hand, stake and winnings together. */
  readonly lawful: number | null;
  readonly slip?: Slip;
}

/** A bet to judge: what stood on it, and how it was settled. */
interface Judged {
  readonly shoe: Shoe;
  readonly bet: Bet;
  readonly stake: number;
  readonly settled: Settled | null;
}

type Win = Extract<Result, { result: 'win' }>;

/** Judges a wager by every result that its bet can have. */
function judgeWager(
  shoe: Shoe,
  coup: Coup,
  wager: Wager,
  { bet, stands, results }: Standing,
): void {
  const settled = settledOf(wager);
  const verdicts = results.map((result) =>
    verdictOn({ shoe, bet, stake: stands, settled }, result),
  );
  if (coup.readings && !coup.readings.areComplete) verdicts.push(undefined);
  const [verdict] = verdicts;
  if (verdicts.some((each) => each?.code !== verdict?.code)) {
    const open = verdicts.flatMap((each) => (each ? [each.code] : []));
    leftOpen(shoe, coup, open);
  } else if (verdict)
    raiseSettlement(shoe, coup, wager, {
      ...together(verdicts.filter((each) => each !== undefined)),
      settled,
      stake: stands,
    });
  if (settled) {
    const possible = results.map((result, i) => ({
      result,
      isNetted: verdicts[i]?.slip === 'commission-netted',
    }));
    judgeCommission(shoe, coup, { wager, settled }, { bet, stands, possible });
  }
}

/** Returns one verdict for several of one code. Amounts that differ are not known. */
function together(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts as [Verdict, ...Verdict[]];
  if (others.length === 0) return first;
  const { slip, ...verdict } = first;
  return {
    ...verdict,
    expected: [...new Set(verdicts.map(({ expected }) => expected))].join(' or '),
    lawful: others.every(({ lawful }) => lawful === first.lawful) ? first.lawful : null,
    ...(slip && others.every((each) => each.slip === slip) && { slip }),
  };
}

/**
 * Returns a function that returns the distinct results that a bet can have in a coup: more than one
 * only if cards are unread.
 */
function resultsIn(coup: Coup): (bet: Bet) => readonly Result[] {
  const { readings } = coup;
  if (!readings) {
    const hands = handsOf(coup);
    let facts: Facts | undefined;
    return (bet) => [resultOf(bet, (facts ??= factsOf(hands)), hands)];
  }
  return (bet) => readings.facts.resultsOf(bet);
}

/** Returns the first of PY-01, PY-02, PY-05, PY-04 and PY-03 that fits. */
function verdictOn(judged: Judged, result: Result): Verdict | undefined {
  const { shoe, settled } = judged;
  if (!settled && !shoe.reports.settlements) return undefined;
  const returned = settled?.stake === 'returned';
  const paid = settled?.paid ?? 0;
  switch (result.result) {
    case 'win':
      return verdictOnWin(judged, result);
    case 'push':
      if (returned && paid === 0) return undefined;
      return {
        code: result.special ? 'PY-05' : 'PY-04',
        expected: 'stake returned, nothing paid',
        lawful: judged.stake,
      };
    case 'lose':
      if (settled && !returned && paid === 0) return undefined;
      return { code: 'PY-02', expected: 'stake taken, nothing paid', lawful: 0 };
  }
}

function verdictOnWin(judged: Judged, result: Win): Verdict | undefined {
  const { shoe, stake, settled } = judged;
  const { odds, special } = result;
  const returned = settled?.stake === 'returned';
  const paid = settled?.paid ?? 0;
  const due = winnings(shoe, stake, odds.profit);
  if (returned && paid === due) return undefined;
  const wanted = { expected: `paid ${due} (${odds.text}), stake returned`, lawful: stake + due };
  const unpaid = paid === 0 && due > 0;
  if (unpaid || (!special && !returned)) return { code: 'PY-01', ...wanted };
  if (special) return { code: 'PY-05', ...wanted };
  const slip = slipOf(judged, result, paid);
  return { code: 'PY-03', ...wanted, ...(slip && { slip }) };
}

/** Returns the known slip that explains a wrong amount, the first that fits. */
function slipOf({ shoe, bet, stake }: Judged, { odds, tier }: Win, paid: number): Slip | undefined {
  const { profit } = odds;
  const pays = (num: number): boolean =>
    num >= 0 && winnings(shoe, stake, { num, den: profit.den }) === paid;
  if (odds.notation === 'to' ? pays(profit.num - profit.den) : pays(profit.num + profit.den))
    return 'odds-read-as-for';
  if (bet.pays.some((other, i) => i !== tier && winnings(shoe, stake, other.odds.profit) === paid))
    return 'wrong-tier';
  const { commission, payoutRounding } = shoe.rules;
  const due = winnings(shoe, stake, profit);
  if (
    bet.commission &&
    commission &&
    paid === due - Math.max(commission.minimum, scale(due, commission.rate, commission.rounding))
  )
    return 'commission-netted';
  const { unit } = payoutRounding;
  if (!isExact(stake, profit, unit) && roundingsOf(stake, profit, unit).includes(paid))
    return 'wrong-rounding';
  return pays(profit.num + profit.den) ? 'stake-counted-as-winnings' : undefined;
}

const settledText = ({ stake, paid }: Settled): string => `stake ${stake}, paid ${paid}`;

const SETTLED_WRONG: Partial<Record<FindingCode, string>> = {
  'PY-01': 'won and was not paid',
  'PY-02': 'lost and was not collected',
  'PY-03': 'won and was paid another amount than is due',
  'PY-04': 'was to be returned, and was not simply returned',
  'PY-05': 'fell under a special payout of these rules, which was not made',
};

function raiseSettlement(
  shoe: Shoe,
  coup: Coup,
  wager: Wager,
  verdict: Verdict & { settled: Settled | null; stake: number },
): void {
  const { settled, stake, slip } = verdict;
  const inHand = settled ? settled.paid + (settled.stake === 'returned' ? stake : 0) : stake;
  raise(shoe, coup, verdict.code, {
    ...ofWager(wager),
    events: settled?.events() ?? wager.moves.map(({ event }) => referenceOf(event)),
    expected: verdict.expected,
    observed: settled ? settledText(settled) : 'not settled',
    ...(verdict.lawful !== null && { impact: impact(shoe, inHand - verdict.lawful) }),
    ...(slip && { explainedBy: slip }),
    message: `Seat ${wager.seat}'s ${wager.bet} bet of ${stake} ${SETTLED_WRONG[verdict.code]}.`,
  });
}

/** Raises PY-10 for a settlement made after its coup had closed. */
export function raiseLateSettlement(shoe: Shoe, coup: Coup, event: EventOf<'bet-settled'>): void {
  raiseUnlessShort(shoe, coup, 'PY-10', {
    event: referenceOf(event),
    seat: event.data.seat,
    bet: event.data.bet,
    events: [referenceOf(event)],
    expected: 'settled before the coup closed',
    observed: 'settled after it',
    message: `Seat ${event.data.seat}'s ${event.data.bet} bet was settled after the coup had closed.`,
  });
}
