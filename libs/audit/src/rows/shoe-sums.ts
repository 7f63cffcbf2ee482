import { accountOf } from '../ledger/commission.js';
import { dealerOf } from './audited-coup.js';
import type { SeatAccount, Coup, Shoe } from '../state.js';
import { settledOf, stakesOf } from '../coup/wagers.js';

/**
 * A seat's commission by dealer and gaming day. Commission of a coup counts for the dealer and the
 * day of the coup. Other commission counts for the dealer on duty and its own day.
 */
interface CommissionLine extends SeatAccount {
  readonly seat: number;
  /** Empty if nobody was signed on. */
  readonly dealer: string;
  readonly gamingDay: string;
}

/**
 * What a dealer dealt from a shoe on a gaming day: coups that are over, including void ones, and
 * the cards drawn in them.
 */
interface DealtLine {
  readonly dealer: string;
  readonly gamingDay: string;
  coups: number;
  cards: number;
}

/** Bets settled in coups that are over and not void. `taken` is the sum of the stakes taken. */
interface BetLine {
  readonly bet: string;
  readonly dealer: string;
  readonly gamingDay: string;
  bets: number;
  staked: number;
  paid: number;
  taken: number;
}

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
export function shoeSums(shoe: Shoe, dayOf: (time: string) => string): ShoeSums {
  const sums = new Map<string, SumsOf>();
  for (const coup of shoe.coups) {
    const of = sumsOf(sums, dealerOf(coup), dayOf(coup.opening.time));
    for (const entry of coup.entries) addCommission(of, entry.seat, entry);
    if (coup.state !== 'open') addCoup(of, coup);
  }
  for (const { seat, dealer, time, amounts } of shoe.takings)
    addCommission(sumsOf(sums, dealer, dayOf(time)), seat, amounts);
  // by day and dealer: the order of the coups changes where one is opened that has no amounts
  const all = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => of);
  return {
    ledger: [...shoe.ledger.keys()].sort((a, b) => a - b).map((seat) => accountLine(shoe, seat)),
    commission: withoutIdle(all.flatMap(({ commission }) => [...commission.values()])),
    dealt: all.flatMap(({ dealt }) => (dealt.coups > 0 ? [dealt] : [])),
    bets: all.flatMap(({ bets }) => [...bets.values()]),
  };
}

interface By {
  readonly dealer: string;
  readonly gamingDay: string;
}

/** The sums of a dealer's coups on a gaming day: seats by number, bets by name. */
interface SumsOf {
  readonly by: By;
  readonly commission: Map<number, CommissionLine>;
  readonly dealt: DealtLine;
  readonly bets: Map<string, BetLine>;
}

function sumsOf(sums: Map<string, SumsOf>, dealer: string | null, gamingDay: string): SumsOf {
  return lineOf(sums, `${gamingDay} ${dealer ?? ''}`, () => {
    const by = { dealer: dealer ?? '', gamingDay };
    return { by, commission: new Map(), dealt: { ...by, coups: 0, cards: 0 }, bets: new Map() };
  });
}

const AMOUNTS = ['due', 'taken', 'marked', 'collected', 'waived'] as const;

/**
 * Returns the lines with an amount. A seat without any, for example after a void, keeps its first
 * line by day and dealer, because it is in the ledger too.
 */
function withoutIdle(lines: readonly CommissionLine[]): CommissionLine[] {
  const listed = new Set<number>();
  const holding = lines.filter((line) => AMOUNTS.some((name) => line[name] !== 0));
  for (const { seat } of holding) listed.add(seat);
  const idle = lines.filter(({ seat }) => !listed.has(seat) && listed.add(seat));
  return [...holding, ...idle];
}

const accountLine = (shoe: Shoe, seat: number): SeatAccount & { readonly seat: number } => ({
  seat,
  ...accountOf(shoe, seat),
});

function addCommission(
  { by, commission }: SumsOf,
  seat: number,
  { due = 0, taken = 0, marked = 0, collected = 0, waived = 0 }: Partial<SeatAccount>,
): void {
  const line = lineOf(commission, seat, () => ({
    seat,
    ...by,
    due: 0,
    taken: 0,
    marked: 0,
    collected: 0,
    waived: 0,
  }));
  line.due += due;
  line.taken += taken;
  line.marked += marked;
  line.collected += collected;
  line.waived += waived;
}

function addCoup({ by, dealt, bets }: SumsOf, coup: Coup): void {
  dealt.coups += 1;
  // a card carried over counts in the coup in which it was drawn
  for (const { carried } of coup.cards) if (!carried) dealt.cards += 1;
  if (coup.state === 'void') return;
  for (const wager of coup.wagers) {
    const settled = settledOf(wager);
    if (!settled) continue;
    const { stands } = stakesOf(wager);
    const of = lineOf(bets, wager.bet, () => ({
      bet: wager.bet,
      ...by,
      bets: 0,
      staked: 0,
      paid: 0,
      taken: 0,
    }));
    of.bets += 1;
    of.staked += stands;
    of.paid += settled.paid;
    if (settled.stake === 'taken') of.taken += stands;
  }
}

function lineOf<K, T>(lines: Map<K, T>, key: K, fresh: () => T): T {
  let line = lines.get(key);
  if (line === undefined) lines.set(key, (line = fresh()));
  return line;
}
