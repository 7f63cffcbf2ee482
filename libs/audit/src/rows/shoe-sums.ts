import { ledgerOf } from '../ledger/commission.js';
import type { PlayAhead } from '../lane/play-ahead.js';
import { dealerOf, type CoupPlay } from './audited-coup.js';
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
export function shoeSums(shoe: Shoe, dayOf: DayOf): ShoeSums {
  const ahead = playAheadOf(shoe);
  const sums = coupSums(shoe, ahead.coups, dayOf);
  for (const { seat, dealer, time, amounts } of [...shoe.takings, ...ahead.takings])
    addCommission(sumsOf(sums, dealer, dayOf(time)), seat, amounts);
  const ledger = ledgerOf(shoe);
  // by day and dealer: the order of the coups changes where one is opened that has no amounts
  const all = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => of);
  return {
    ledger: [...ledger].sort(([a], [b]) => a - b).map(([seat, account]) => ({ seat, ...account })),
    commission: withoutIdle(all.flatMap(({ commission }) => [...commission.values()])),
    dealt: all.flatMap(({ dealt }) => (dealt.coups > 0 ? [dealt] : [])),
    bets: all.flatMap(({ bets }) => [...bets.values()]),
  };
}

/** Returns the gaming day of an event's time. */
type DayOf = (time: string) => string;

/** The sums of a shoe's first coups. */
interface Running {
  readonly dayOf: DayOf;
  readonly coups: (Coup | CountedCoup)[];
  readonly sums: Map<string, SumsOf>;
}

/**
 * What was added up of a shoe: all its coups but the last one, as long as none of them changes. So
 * a long shoe costs no more than a short one.
 */
const RUNNING = new WeakMap<Shoe, Running>();

/** Forgets what was added up of a shoe if one of its coups that changed is part of it. */
export function coupsChanged(shoe: Shoe, changed: readonly Coup[]): void {
  const running = RUNNING.get(shoe);
  if (running && changed.some((coup) => running.coups.includes(coup))) RUNNING.delete(shoe);
}

/** Returns the sums of a shoe's coups, those that only its lane has seen included. */
function coupSums(shoe: Shoe, ahead: readonly CountedCoup[], dayOf: DayOf): Map<string, SumsOf> {
  const coups = [...shoe.coups, ...ahead];
  const last = coups.pop();
  let running = RUNNING.get(shoe);
  if (running?.dayOf !== dayOf || running.coups.some((coup, i) => coup !== coups[i])) {
    running = { dayOf, coups: [], sums: new Map() };
    RUNNING.set(shoe, running);
  }
  for (const coup of coups.slice(running.coups.length)) {
    addPlay(running.sums, coup, dayOf);
    running.coups.push(coup);
  }
  const sums = new Map([...running.sums].map(([key, of]) => [key, copyOf(of)]));
  if (last) addPlay(sums, last, dayOf);
  return sums;
}

function addPlay(sums: Map<string, SumsOf>, play: Coup | CountedCoup, dayOf: DayOf): void {
  const coup = 'wagers' in play ? countedOf(play) : play;
  const of = sumsOf(sums, coup.dealer, dayOf(coup.openedAt));
  for (const entry of coup.entries) addCommission(of, entry.seat, entry);
  if (coup.state !== 'open') addCoup(of, coup);
}

/** What the sums of a shoe count of a coup. */
interface CountedCoup extends Pick<CoupPlay, 'dealer' | 'openedAt' | 'state' | 'entries'> {
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

/** Returns what only the lane of a shoe has seen. */
function playAheadOf({ lane }: Shoe): Pick<PlayAhead, 'coups' | 'takings'> {
  if (!lane?.isAhead) return { coups: [], takings: [] };
  lane.play.read(lane.tail.count);
  return lane.play;
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

const copyOf = ({ by, commission, dealt, bets }: SumsOf): SumsOf => ({
  by,
  commission: new Map([...commission].map(([seat, line]) => [seat, { ...line }])),
  dealt: { ...dealt },
  bets: new Map([...bets].map(([bet, line]) => [bet, { ...line }])),
});

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

function addCoup({ by, dealt, bets }: SumsOf, coup: CountedCoup): void {
  dealt.coups += 1;
  // a card carried over counts in the coup in which it was drawn
  for (const { carried } of coup.cards) if (!carried) dealt.cards += 1;
  if (coup.state === 'void') return;
  for (const { bet, stands, settled } of coup.bets) {
    if (!settled) continue;
    const of = lineOf(bets, bet, () => ({ bet, ...by, bets: 0, staked: 0, paid: 0, taken: 0 }));
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
