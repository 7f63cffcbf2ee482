import fc from 'fast-check';
import { simulate, SimulationRefusal, type SimulationOptions } from '#audit';
import { rulesNamed } from '../simulate/simulated.js';
import type { Sent } from './audit.js';
import { SMALL_BOOK } from './house.js';

/** What to simulate at a table with short shoes. */
export interface ShortTable {
  readonly rules: string;
  readonly seed: number;
  readonly bets: boolean;
  /** Codes of faults, one for each of the first coups of the first shoe. */
  readonly faults?: readonly string[];
  /** The number of coups of each shoe. */
  readonly coups: number;
  /** Default: 2. */
  readonly shoes?: number;
}

const OF_A_SHOE: ReadonlySet<string> = new Set(['SH-04', 'CM-05']);

/**
 * Returns the events of shoes that are closed after so many coups, at least two more than there
 * are faults.
 */
export function shortTable({
  rules,
  seed,
  bets,
  faults = [],
  coups,
  shoes = 2,
}: ShortTable): Sent[] {
  return eventsOf({ rules: rulesNamed(rules), seed, bets, shoes, coups, faults: placed(faults) });
}

const eventsOf = (options: SimulationOptions): Sent[] =>
  [...simulate(options).lines].map((line) => JSON.parse(line) as Sent);

/** Returns faults with one of the first coups for each that is about a coup. */
const placed = (faults: readonly string[]): string[] =>
  faults.map((code, i) => (OF_A_SHOE.has(code) ? code : `${code}@${i + 2}`));

/** What to simulate at a table with small shoes. */
export interface SmallTable extends Omit<ShortTable, 'shoes'> {
  /** A shoe of one deck shows its cut card after some six coups, one of two after some sixteen. */
  readonly decks: 1 | 2;
}

/** Few decks, because a shoe that costs little shows as much: mostly one. */
export const DECKS = fc.constantFrom<(1 | 2)[]>(...Array<1>(7).fill(1), 2);

/**
 * Returns the events of two shoes of one or two decks, for which `book` has the rules. Each
 * ends at its cut card, or is closed after so many coups as a short table is. The faults are in the
 * first coups of the first shoe, or in any of the few coups of shoes of one deck. Discards a
 * random table whose few cards do not allow them.
 */
export function smallTable(
  { rules: name, coups, faults = [], ...table }: SmallTable,
  book = SMALL_BOOK,
): Sent[] {
  const rules = book.get(name);
  if (!rules) throw new Error(`no rule document ${name}`);
  try {
    const among = table.decks === 1 ? faults : placed(faults);
    return eventsOf({ ...table, rules, coups, shoes: 2, faults: among });
  } catch (error) {
    if (!(error instanceof SimulationRefusal)) throw error;
    fc.pre(false);
    throw error;
  }
}
