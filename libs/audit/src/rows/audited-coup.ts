import { outcomesOfReadings, type Card, type SeenHands } from '#baccarat';
import { referenceOf, type AnyEvent } from '../events/events.js';
import type { Coup, Entry, Laid, Place, Shoe } from '../state.js';
import { stakesOf } from '../coup/wagers.js';
import { msSince } from '../events/time.js';

/** When something happened in a coup, by the clock of the source that reported it. */
export interface Timed {
  /**
   * Whole milliseconds since the coup's opening: negative for a carried card, or if that clock is
   * behind. Null if the times cannot be compared.
   */
  readonly ms: number | null;
}

/** A card of a coup: where it lies now, and how it came there. */
export interface CardRow extends Timed {
  /** The reference of its event. */
  readonly ref: string;
  /** Null if unread. */
  readonly card: Card | null;
  readonly to: Place;
  readonly moved: boolean;
  readonly exposed: boolean;
  readonly carried: boolean;
}

/** All settlements of a bet: amounts are added up, and stake and time are those of the last. */
interface SettledRow extends Timed {
  readonly stake: 'returned' | 'taken';
  readonly paid: number;
  readonly commissionTaken: number;
  readonly commissionMarked: number;
}

/** A seat's bet in a coup. `settled` is null if it was not settled. */
export interface BetRow {
  readonly seat: number;
  readonly bet: string;
  readonly stands: number;
  /** Staked too late to count. */
  readonly late: number;
  readonly settled: SettledRow | null;
}

/** A declared outcome. */
export interface DeclaredRow extends Timed {
  readonly outcome: string;
  readonly by: string;
}

/** A seat's commission of one coup, as the ledger has it. */
interface CoupCommissionRow {
  readonly seat: number;
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
}

/** What a coup consists of: who called it, its cards, declarations, bets and commission. */
interface CoupDetail {
  /** Who was on duty in it as caller, in order. */
  readonly callers: readonly string[];
  readonly cards: readonly CardRow[];
  /** The first closing of betting; null if there was none. */
  readonly bettingClosed: Timed | null;
  readonly declared: readonly DeclaredRow[];
  readonly bets: readonly BetRow[];
  readonly commission: readonly CoupCommissionRow[];
}

/**
 * What a coup consists of, as far as its row and the sums of its shoe show it. It comes from a coup
 * that was stepped through, or from the lines that only the lane of its shoe has seen.
 */
export interface CoupPlay
  extends
    Pick<Coup, 'ref' | 'number' | 'kind' | 'state'>,
    Omit<CoupDetail, 'commission'>,
    SeenHands {
  /** The last dealer; null if no dealer was signed on. */
  readonly dealer: string | null;
  readonly openedAt: string;
  /** The time of the event that ended it; null while it is open. */
  readonly endedAt: string | null;
  readonly entries: readonly Readonly<Coup['entries'][number]>[];
}

/** A coup with everything that is kept of it. Times are those of the events. */
export type AuditedCoup = Readonly<ReturnType<typeof coupRow>>;

/** Returns the row of a coup. */
export function coupRow(play: CoupPlay) {
  const { ref, number, kind, state, dealer, openedAt, endedAt } = play;
  return {
    /** The reference of its opening. */
    ref,
    coup: number,
    kind,
    state,
    /** The outcome that the cards make; null if they do not determine one. */
    outcome: outcomeOf(play),
    /** The last dealer; null if no dealer was signed on. */
    dealer,
    openedAt,
    /** The time of the event that ended it; null while it is open. */
    endedAt,
    detail: detailOf(play),
  };
}

/** Returns a coup as it is now. */
export const auditedCoup = (shoe: Shoe, coup: Coup): AuditedCoup => coupRow(playOf(shoe, coup));

/** Returns a coup that a correction took off the record: it remains as a void one without cards. */
export const goneCoup = (shoe: Shoe, coup: Coup): AuditedCoup => ({
  ...auditedCoup(shoe, withoutPlay(coup)),
  endedAt: coup.opening.time,
});

const withoutPlay = (coup: Coup): Coup => ({
  ...coup,
  state: 'void',
  ...{ cards: [], player: [], banker: [], bettingClosed: null },
  ...{ declarations: [], wagers: [], entries: [] },
});

function detailOf(play: CoupPlay): CoupDetail {
  const { callers, cards, bettingClosed, declared, bets } = play;
  return { callers, cards, bettingClosed, declared, bets, commission: commissionOf(play) };
}

function playOf(shoe: Shoe, coup: Coup): CoupPlay {
  const { ref, number, kind, state, opening, player, banker, bettingClosed, entries } = coup;
  const since = msSince(opening.time);
  return {
    dealer: dealerOf(coup),
    openedAt: opening.time,
    endedAt: endOf(shoe, coup),
    callers: coup.callers.slice(),
    cards: coup.cards.map((laid) => cardRow(laid, since)),
    bettingClosed: bettingClosed && { ms: since(bettingClosed.time) },
    declared: coup.declarations.map(({ event }) => ({
      outcome: event.data.outcome,
      by: event.data.by,
      ms: since(event.time),
    })),
    bets: coup.wagers.map((wager) => betRow(wager, since)),
    ...{ ref, number, kind, state, player, banker, entries },
  };
}

type Since = ReturnType<typeof msSince>;

const cardRow = ({ event, card, place, moved, exposed, carried }: Laid, since: Since): CardRow => ({
  ref: referenceOf(event),
  card,
  to: place,
  moved,
  exposed,
  carried,
  ms: since(event.time),
});

function outcomeOf(hands: SeenHands): string | null {
  if (hands.player.length < 2 || hands.banker.length < 2) return null;
  const [outcome, other] = outcomesOfReadings(hands);
  return other === undefined ? (outcome ?? null) : null;
}

/** Returns the last dealer of a coup. */
export const dealerOf = (coup: Coup): string | null => coup.dealers.at(-1) ?? null;

function betRow(wager: Coup['wagers'][number], since: Since): BetRow {
  const { seat, bet, settlements } = wager;
  const { stands, late } = stakesOf(wager);
  const last = settlements.at(-1);
  if (!last) return { seat, bet, stands, late, settled: null };
  const settled = { stake: last.data.stake, paid: 0, commissionTaken: 0, commissionMarked: 0 };
  for (const { data } of settlements) {
    settled.paid += data.paid;
    settled.commissionTaken += data.commissionTaken ?? 0;
    settled.commissionMarked += data.commissionMarked ?? 0;
  }
  return { seat, bet, stands, late, settled: { ...settled, ms: since(last.time) } };
}

function commissionOf({ entries }: CoupPlay): CoupCommissionRow[] {
  const seats = new Map<number, { seat: number; due: number; taken: number; marked: number }>();
  for (const { seat, due, taken, marked } of entries) {
    const line = seats.get(seat);
    if (!line) seats.set(seat, { seat, due, taken, marked });
    else {
      line.due += due;
      line.taken += taken;
      line.marked += marked;
    }
  }
  return [...seats.values()]
    .filter(({ due, taken, marked }) => due !== 0 || taken !== 0 || marked !== 0)
    .sort((a, b) => a.seat - b.seat);
}

const ENDINGS: ReadonlySet<AnyEvent['type']> = new Set([
  'coup-closed',
  'coup-voided',
  'coup-opened',
  'shoe-closed',
  'shoe-opened',
]);

function endOf(shoe: Shoe, coup: Coup): string | null {
  if (coup.state === 'open') return null;
  const entry: Entry | undefined = shoe.played[coup.to];
  if (entry === undefined) return null;
  if (entry.type !== 'gap') return entry.time;
  // a late event that a correction entered
  return entry.late.find(({ type }) => ENDINGS.has(type))?.time ?? null;
}
