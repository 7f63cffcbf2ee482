import { coupRow } from '../coup/coup.js';
import type { AnyEvent, CoupKind } from '../events/events.js';
import type { Coup, CoupRow, Entry, Shoe } from '../state.js';
import { standing } from '../coup/wagers.js';

/** A seat's bet in a coup with what was done about it: money adds up, the last stake counts; `settled` null while nothing was. */
interface BetRow {
  readonly seat: number;
  readonly bet: string;
  readonly stands: number;
  /** Staked too late to count. */
  readonly late: number;
  readonly settled: {
    readonly stake: 'returned' | 'taken';
    readonly paid: number;
    readonly commissionTaken: number;
    readonly commissionMarked: number;
  } | null;
}

/** A seat's commission of one coup, as the ledger has it of this coup. */
interface CoupCommissionRow {
  readonly seat: number;
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
}

/** A coup with everything that is kept of it; times as the events give them. */
export interface CoupReport {
  readonly ref: string;
  readonly coup: number;
  readonly kind: CoupKind;
  readonly state: Coup['state'];
  readonly outcome: string | null;
  /** Who dealt last in it; null where nobody had signed on. */
  readonly dealer: string | null;
  readonly openedAt: string;
  /** The time of the event that ended it; null while it is open. */
  readonly endedAt: string | null;
  readonly detail: {
    readonly cards: CoupRow['cards'];
    readonly declared: CoupRow['declared'];
    readonly bets: readonly BetRow[];
    readonly commission: readonly CoupCommissionRow[];
  };
}

/** A coup as it stands, drawn whole. */
export function coupReport(shoe: Shoe, coup: Coup): CoupReport {
  const { ref, kind, state, opening, number } = coup;
  const { cards, declared, outcome } = coupRow(shoe, coup);
  return {
    ref,
    coup: number,
    kind,
    state,
    outcome,
    dealer: dealerOf(coup),
    openedAt: opening.time,
    endedAt: endOf(shoe, coup),
    detail: { cards, declared, bets: coup.wagers.map(betRow), commission: commissionOf(coup) },
  };
}

/** Who dealt last in a coup. */
export const dealerOf = (coup: Coup): string | null => coup.dealers.at(-1) ?? null;

function betRow(wager: Coup['wagers'][number]): BetRow {
  const { seat, bet, settlements } = wager;
  const { stands, late } = standing(wager);
  const last = settlements.at(-1);
  if (!last) return { seat, bet, stands, late, settled: null };
  const settled = { stake: last.data.stake, paid: 0, commissionTaken: 0, commissionMarked: 0 };
  for (const { data } of settlements) {
    settled.paid += data.paid;
    settled.commissionTaken += data.commissionTaken ?? 0;
    settled.commissionMarked += data.commissionMarked ?? 0;
  }
  return { seat, bet, stands, late, settled };
}

function commissionOf({ entries }: Coup): CoupCommissionRow[] {
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
  const entry: Entry | undefined = shoe.journal[coup.to];
  if (entry === undefined) return null;
  if (entry.type !== 'gap') return entry.time;
  return entry.late.find(({ type }) => ENDINGS.has(type))?.time ?? null; // a late event that a correction entered
}
