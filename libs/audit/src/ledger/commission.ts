import { roundingsOf, scale, type Bet, type Commission, type Result } from '#baccarat';
import { markSums } from '../changes.js';
import type { FindingCode } from '../findings/catalogue.js';
import { referenceOf, type EventOf } from '../events/events.js';
import { leftOpen, raise } from '../findings/findings.js';
import { judgeSigner } from '../judges/signer.js';
import type { SeatAccount, Coup, LedgerLine, Shoe } from '../state.js';
import { impact, ofWager, winnings, type Settled, type SettledWager } from '../coup/wagers.js';

/** Returns a seat's account in a shoe, to change; a new one is empty. */
const accountOf = ({ ledger }: Shoe, seat: number): SeatAccount => ledger.own(seat);

/** Returns the account of each seat as it is now, which the lane of a shoe may know ahead of it. */
export const ledgerOf = ({
  lane,
  ledger,
}: Shoe): Iterable<readonly [number, Readonly<SeatAccount>]> =>
  lane?.isAhead ? lane.ledger : ledger;

const outstanding = ({ marked, collected, waived }: Readonly<SeatAccount>): number =>
  marked - collected - waived;

/** Returns a seat's line of the ledger. */
export function ledgerRow(
  { table, name }: Shoe,
  seat: number,
  account: Readonly<SeatAccount>,
): LedgerLine {
  return {
    table,
    shoe: name,
    seat,
    ...account,
    outstanding: outstanding(account),
  };
}

/** Enters the commission that a settlement took and marked into the ledger, as recorded. */
export function enterCommission(
  shoe: Shoe,
  coup: Coup | null,
  event: EventOf<'bet-settled'>,
): void {
  const { data } = event;
  const taken = data.commissionTaken ?? 0;
  const marked = data.commissionMarked ?? 0;
  if (taken === 0 && marked === 0) return;
  const account = accountOf(shoe, data.seat);
  account.taken += taken;
  account.marked += marked;
  if (coup) coup.entries.push({ seat: data.seat, due: 0, taken, marked });
  else
    shoe.takings.push({
      seat: data.seat,
      dealer: shoe.duty.dealer,
      time: event.time,
      amounts: { taken, marked },
    });
  markSums(shoe);
}

/**
 * Reverses a coup's entries in the ledger. `all`: the coup was voided, so it contributes no due or
 * marked commission. `due`: it can no longer be judged, so it contributes no due commission.
 * Commission already taken stays.
 */
export function reverseEntries(shoe: Shoe, coup: Coup, what: 'all' | 'due'): void {
  for (const entry of coup.entries) {
    const account = accountOf(shoe, entry.seat);
    account.due -= entry.due;
    entry.due = 0;
    if (what === 'all') {
      account.marked -= entry.marked;
      entry.marked = 0;
    }
    markSums(shoe);
  }
}

/**
 * The bet behind a settlement, and the results that it can have. `isNetted`: the payout was less by
 * exactly the commission.
 */
export interface Bearing {
  readonly bet: Bet;
  readonly stands: number;
  readonly possible: readonly { readonly result: Result; readonly isNetted: boolean }[];
}

interface Charge {
  readonly due: number;
  readonly code: FindingCode | undefined;
}

/**
 * Judges the commission on one settled wager (CM-01 to CM-04), taken and marked together, and
 * enters what is due into the ledger. `bearing` is `null` if there was no bet, so that nothing is
 * due.
 */
export function judgeCommission(
  shoe: Shoe,
  coup: Coup,
  { wager, settled }: SettledWager,
  bearing: Bearing | null,
): void {
  const charges = bearing
    ? bearing.possible.map((each) => chargeOn(shoe, bearing, each, settled))
    : [chargeOf(shoe, settled.commission, NOTHING_OWED)];
  const isOpen = bearing ? coup.readings?.areComplete === false : coup.short === 'some';
  if (isOpen) charges.push({ due: 0, code: undefined });
  const [first] = charges as [Charge];
  if (first.due > 0 && charges.every(({ due }) => due === first.due)) {
    accountOf(shoe, wager.seat).due += first.due;
    coup.entries.push({ seat: wager.seat, due: first.due, taken: 0, marked: 0 });
    markSums(shoe);
  }
  if (charges.some(({ code }) => code !== first.code)) {
    const open = charges.flatMap(({ code }) => (code === undefined ? [] : [code]));
    leftOpen(shoe, coup, open);
  } else if (first.code) {
    const dues = [...new Set(charges.map(({ due }) => due))];
    raiseCharge(shoe, coup, { wager, settled }, { code: first.code, dues });
  }
}

function chargeOn(
  shoe: Shoe,
  { bet, stands }: Bearing,
  { result, isNetted }: Bearing['possible'][number],
  settled: Settled,
): Charge {
  const { commission } = shoe.rules;
  if (!bet.commission || !commission || result.result !== 'win' || settled.paid === 0)
    return chargeOf(shoe, settled.commission, NOTHING_OWED);
  const won = winnings(shoe, stands, result.odds.profit);
  const due = Math.max(commission.minimum, scale(won, commission.rate, commission.rounding));
  if (isNetted && settled.commission === 0) return { due, code: undefined };
  return chargeOf(shoe, settled.commission, { due, commission, won });
}

/** The commission that is due on winnings, and the rule that it is due by, if any. */
interface Owed {
  readonly due: number;
  readonly commission: Commission | undefined;
  readonly won: number;
}
const NOTHING_OWED: Owed = { due: 0, commission: undefined, won: 0 };

function chargeOf(shoe: Shoe, charged: number, { due, commission, won }: Owed): Charge {
  if (charged === due) return { due, code: undefined };
  if (!commission) return { due, code: 'CM-04' };
  if (charged === 0) return { due, code: shoe.reports.commission ? 'CM-01' : undefined };
  return { due, code: amountsOf(commission, won).includes(charged) ? 'CM-03' : 'CM-02' };
}

/** Returns the amounts that the commission would be under any rounding, and its minimum. */
const amountsOf = ({ rate, rounding, minimum }: Commission, won: number): number[] => [
  ...roundingsOf(won, rate, rounding.unit),
  ...(minimum > 0 ? [minimum] : []),
];

const CHARGED_WRONG: Partial<Record<FindingCode, string>> = {
  'CM-01': 'paid without commission',
  'CM-02': 'charged a wrong commission',
  'CM-03': 'charged a commission that was rounded another way than the rules say',
  'CM-04': 'charged commission where none is owed',
};

function raiseCharge(
  shoe: Shoe,
  coup: Coup,
  { wager, settled }: SettledWager,
  { code, dues }: { readonly code: FindingCode; readonly dues: readonly number[] },
): void {
  const [due = 0, other] = dues;
  raise(shoe, coup, code, {
    ...ofWager(wager),
    events: settled.events(),
    expected: dues.join(' or '),
    observed: String(settled.commission),
    ...(other === undefined && { impact: impact(shoe, due - settled.commission) }),
    message: `Seat ${wager.seat}'s ${wager.bet} bet was ${CHARGED_WRONG[code]}.`,
  });
}

/**
 * Records commission collected from a seat or waived. Raises CM-06 if it is more than is
 * outstanding, CM-08 for a waiver without authority, and PR-10 for one in another's name.
 */
export function takeCommission(
  shoe: Shoe,
  event: EventOf<'commission-collected'> | EventOf<'commission-waived'>,
): void {
  const { seat, amount } = event.data;
  const account = accountOf(shoe, seat);
  const owed = outstanding(account);
  shoe.balances.push({ at: shoe.at, seat });
  const how = event.type === 'commission-collected' ? 'collected' : 'waived';
  const reference = referenceOf(event);
  if (amount > owed) {
    raise(shoe, null, 'CM-06', {
      event: reference,
      seat,
      events: [reference],
      expected: `at most ${Math.max(0, owed)}`,
      observed: String(amount),
      impact: impact(
        shoe,
        how === 'collected' ? Math.max(0, owed) - amount : amount - Math.max(0, owed),
      ),
      message: `${amount} of commission was ${how} at seat ${seat}; ${Math.max(0, owed)} was outstanding.`,
    });
  }
  account[how] += amount;
  shoe.takings.push({
    seat,
    dealer: shoe.duty.dealer,
    time: event.time,
    amounts: { [how]: amount },
  });
  markSums(shoe);
  if (event.type === 'commission-waived') judgeWaiver(shoe, event, reference);
}

function judgeWaiver(shoe: Shoe, event: EventOf<'commission-waived'>, reference: string): void {
  judgeSigner(shoe, null, event);
  const { data } = event;
  const fault = !data.by
    ? 'without saying by whom'
    : !data.reason
      ? 'without a reason'
      : shoe.dealersOfShoe.includes(data.by)
        ? 'by the dealer who dealt'
        : undefined;
  if (fault === undefined) return;
  raise(shoe, null, 'CM-08', {
    event: reference,
    seat: data.seat,
    events: [reference],
    expected: 'waived with a reason, by somebody other than the dealer',
    observed: fault,
    message: `Commission of ${data.amount} at seat ${data.seat} was waived ${fault}.`,
  });
}

/** Judges what a seat that leaves still owes. */
export function leaveSeat(shoe: Shoe, event: EventOf<'seat-left'>): void {
  const { seat } = event.data;
  shoe.balances.push({ at: shoe.at, seat });
  judgeOutstanding(shoe, seat, referenceOf(event));
}

/** Raises CM-05 if commission is still outstanding when a seat leaves or the shoe closes. */
export function judgeOutstanding(shoe: Shoe, seat: number, because: string): void {
  const account = shoe.ledger.get(seat);
  if (!account || !shoe.reports.commission || outstanding(account) <= 0) return;
  raise(shoe, null, 'CM-05', {
    seat,
    events: [because],
    expected: '0 outstanding',
    observed: `${outstanding(account)} outstanding`,
    impact: impact(shoe, outstanding(account)),
    message: `Seat ${seat} still owed ${outstanding(account)} of commission.`,
  });
}
