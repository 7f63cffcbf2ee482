import { ledgerRow } from '../ledger/commission.js';
import { dealerOf } from './audited-coup.js';
import type { Account, Coup, Shoe } from '../state.js';
import { settledOf, standing } from '../coup/wagers.js';

/**
 * Amounts of commission under whoever dealt, on the gaming day of the coup; of money taken by
 * itself, whoever was on duty, and its own day.
 */
interface CommissionLine extends Account {
  readonly seat: number;
  /** '' where nobody had signed on. */
  readonly dealer: string;
  readonly gamingDay: string;
}

/**
 * What a dealer dealt of a shoe on a gaming day: coups that are over, void ones too, and the cards
 * drawn in them.
 */
interface DealtLine {
  readonly dealer: string;
  readonly gamingDay: string;
  coups: number;
  cards: number;
}

/** Bets settled in coups that are over and not void; `taken` are the stakes taken. */
interface BetLine {
  readonly bet: string;
  readonly dealer: string;
  readonly gamingDay: string;
  bets: number;
  staked: number;
  paid: number;
  taken: number;
}

/** What a shoe comes to. */
export interface ShoeSums {
  /** A line for each seat that ever had one, by seat. */
  readonly ledger: readonly (Account & { readonly seat: number })[];
  /** The lines of a seat add up to its line of the ledger. */
  readonly commission: readonly CommissionLine[];
  readonly dealt: readonly DealtLine[];
  readonly bets: readonly BetLine[];
}

/**
 * Adds a shoe up as it stands. `dayOf` gives the gaming day of an event's time: a coup and all that
 * was settled in it count on the day, and for the dealer, of the coup.
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
  const all = [...sums.values()];
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

/** What a dealer's coups of a gaming day come to: seats by number, bets by name. */
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
 * The lines that hold an amount; of a seat that has none any more, as after a void, its first: it
 * is in the ledger too.
 */
function withoutIdle(lines: readonly CommissionLine[]): CommissionLine[] {
  const told = new Set<number>();
  const holding = lines.filter((line) => AMOUNTS.some((name) => line[name] !== 0));
  for (const { seat } of holding) told.add(seat);
  const idle = lines.filter(({ seat }) => !told.has(seat) && told.add(seat));
  return [...holding, ...idle];
}

function accountLine(shoe: Shoe, at: number): Account & { readonly seat: number } {
  const { seat, due, taken, marked, collected, waived } = ledgerRow(shoe, at);
  return { seat, due, taken, marked, collected, waived };
}

function addCommission(
  { by, commission }: SumsOf,
  seat: number,
  { due = 0, taken = 0, marked = 0, collected = 0, waived = 0 }: Partial<Account>,
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
  // one carried over counts where it was drawn
  for (const { carried } of coup.cards) if (!carried) dealt.cards += 1;
  if (coup.state === 'void') return;
  for (const wager of coup.wagers) {
    const settled = settledOf(wager);
    if (!settled) continue;
    const { stands } = standing(wager);
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
