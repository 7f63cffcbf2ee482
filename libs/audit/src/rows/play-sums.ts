import { settledOf, stakesOf } from '../coup/wagers.js';
import type { Coup, SeatAccount, Taking } from '../state.js';
import { dealerOf, type CoupPlay } from './audited-coup.js';

/**
 * A seat's commission by dealer and gaming day. Commission of a coup counts for the dealer and the
 * day of the coup. Other commission counts for the dealer on duty and its own day.
 */
export interface CommissionLine extends SeatAccount {
  readonly seat: number;
  /** Empty if nobody was signed on. */
  readonly dealer: string;
  readonly gamingDay: string;
}

/**
 * What a dealer dealt from a shoe on a gaming day: coups that are over, including void ones, and
 * the cards drawn in them.
 */
export interface DealtLine {
  readonly dealer: string;
  readonly gamingDay: string;
  coups: number;
  cards: number;
}

/** Bets settled in coups that are over and not void. `taken` is the sum of the stakes taken. */
export interface BetLine {
  readonly bet: string;
  readonly dealer: string;
  readonly gamingDay: string;
  bets: number;
  staked: number;
  paid: number;
  taken: number;
}

/** Returns the gaming day of an event's time. */
export type DayOf = (time: string) => string;

/** What the sums of a shoe count of a coup. */
export interface CountedCoup extends Pick<CoupPlay, 'dealer' | 'openedAt' | 'state' | 'entries'> {
  readonly cards: readonly Pick<CoupPlay['cards'][number], 'carried'>[];
  readonly bets: readonly CountedBet[];
}

interface CountedBet {
  readonly bet: string;
  readonly stands: number;
  readonly settled: { readonly stake: 'returned' | 'taken'; readonly paid: number } | null;
}

const countedOf = (coup: Coup): CountedCoup => ({
  dealer: dealerOf(coup),
  openedAt: coup.opening.time,
  state: coup.state,
  entries: coup.entries,
  cards: coup.cards,
  bets: coup.wagers.map((wager) => ({
    bet: wager.bet,
    stands: stakesOf(wager).stands,
    settled: settledOf(wager),
  })),
});

/**
 * What coups, and commission without a coup, add up to by dealer and gaming day. A coup and
 * everything settled in it count for the day and the dealer of the coup.
 */
export class PlaySums {
  private readonly sums = new Map<string, SumsOf>();

  constructor(readonly dayOf: DayOf) {}

  /** Adds a coup, with its cards and bets if it is over. */
  addCoup(play: Coup | CountedCoup): void {
    const coup = 'wagers' in play ? countedOf(play) : play;
    const of = this.of(coup.dealer, this.dayOf(coup.openedAt));
    for (const entry of coup.entries) addCommission(of, entry.seat, entry);
    if (coup.state !== 'open') addPlay(of, coup);
  }

  /** Adds commission that entered the ledger without a coup. */
  addTaking({ seat, dealer, time, amounts }: Taking): void {
    addCommission(this.of(dealer, this.dayOf(time)), seat, amounts);
  }

  /** Adds what others come to, as if they had been added here. */
  add(others: PlaySums): void {
    for (const { by, commission, dealt, bets } of others.sums.values()) {
      const of = this.of(by.dealer, by.gamingDay);
      for (const [seat, line] of commission) addCommission(of, seat, line);
      of.dealt.coups += dealt.coups;
      of.dealt.cards += dealt.cards;
      for (const line of bets.values()) addBets(of, line);
    }
  }

  /** Returns the same sums, to be added to by themselves. */
  copy(): PlaySums {
    const copy = new PlaySums(this.dayOf);
    copy.add(this);
    return copy;
  }

  /** Returns the lines by day and dealer: the order of the coups changes where one has no amounts. */
  lines() {
    const all = [...this.sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => of);
    return {
      commission: withoutIdle(all.flatMap(({ commission }) => [...commission.values()])),
      dealt: all.flatMap(({ dealt }) => (dealt.coups > 0 ? [dealt] : [])),
      bets: all.flatMap(({ bets }) => [...bets.values()]),
    };
  }

  private of(dealer: string | null, gamingDay: string): SumsOf {
    return lineOf(this.sums, `${gamingDay} ${dealer ?? ''}`, () => {
      const by = { dealer: dealer ?? '', gamingDay };
      return { by, commission: new Map(), dealt: { ...by, coups: 0, cards: 0 }, bets: new Map() };
    });
  }
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

function addPlay(of: SumsOf, coup: CountedCoup): void {
  const { dealt } = of;
  dealt.coups += 1;
  // a card carried over counts in the coup in which it was drawn
  for (const { carried } of coup.cards) if (!carried) dealt.cards += 1;
  if (coup.state === 'void') return;
  for (const { bet, stands, settled } of coup.bets) {
    if (!settled) continue;
    const taken = settled.stake === 'taken' ? stands : 0;
    addBets(of, { bet, bets: 1, staked: stands, paid: settled.paid, taken });
  }
}

function addBets(
  { by, bets: lines }: SumsOf,
  { bet, bets, staked, paid, taken }: Omit<BetLine, keyof By>,
): void {
  const line = lineOf(lines, bet, () => ({ bet, ...by, bets: 0, staked: 0, paid: 0, taken: 0 }));
  line.bets += bets;
  line.staked += staked;
  line.paid += paid;
  line.taken += taken;
}

function lineOf<K, T>(lines: Map<K, T>, key: K, fresh: () => T): T {
  let line = lines.get(key);
  if (line === undefined) lines.set(key, (line = fresh()));
  return line;
}
