import type { Rules } from '#baccarat';
import type { Report } from '../events/events.js';

/** Thrown if a simulation is impossible. The message names the wrong option and the reason. */
export class SimulationRefusal extends Error {
  override readonly name = 'SimulationRefusal';
}

/** Amounts in minor units. */
export type Limits = Readonly<Record<string, { readonly min: number; readonly max: number }>>;

/** What stays the same while a table is simulated. */
export interface Setting {
  readonly rules: Rules;
  readonly decks: number;
  /** The last coup of each shoe, if it is closed before its cut card shows. */
  readonly coups: number | undefined;
  /** Whether bets are taken: they were requested, and the document has some. */
  readonly bets: boolean;
  readonly table: string;
  readonly currency: string;
  readonly limits: Limits;
  readonly reports: readonly Report[];
  /** Seats that patrons hold. `FAULT_SEATS` has further ones. */
  readonly seats: number;
}

/**
 * Seats beyond the ordinary ones, counted from them. Only faults use them, so that no two faults
 * share a ledger line.
 */
export const FAULT_SEATS = { newcomer: 1, neverCollected: 2, overcollected: 3, waived: 4 } as const;

const WITH_BETS: readonly Report[] = [
  'outcomes',
  'bets',
  'settlements',
  'commission',
  'burns',
  'cut-card',
  'dealers',
];
const CARDS_ONLY: readonly Report[] = ['outcomes', 'burns', 'cut-card', 'dealers'];

/**
 * Returns what a table reports: every kind if bets are taken, otherwise what the cards and people
 * alone show.
 */
export const reportsOf = (bets: boolean): readonly Report[] => (bets ? WITH_BETS : CARDS_ONLY);

/**
 * Returns the least and greatest bets of an average table: 10 to 10,000 on the two hands, 5 to
 * 1,000 on everything else.
 */
export const limitsOf = (rules: Rules): Limits =>
  Object.fromEntries(
    [...rules.bets.keys()].map((bet) => [
      bet,
      bet === 'player' || bet === 'banker'
        ? { min: 1000, max: 1_000_000 }
        : { min: 500, max: 100_000 },
    ]),
  );

/**
 * Returns the default number of decks: 8 if the document allows it, otherwise the most that it
 * allows.
 */
export const usualDecks = ({ document: { decks } }: Rules): number =>
  decks.includes(8) ? 8 : Math.max(...decks);
