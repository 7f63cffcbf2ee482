import fc from 'fast-check';
import { simulate, SimulationRefusal } from '#audit';
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
 * are faults. Before, each seat pays what it owes. What remains in them is not counted.
 */
export function shortTable({
  rules,
  seed,
  bets,
  faults = [],
  coups,
  shoes = 2,
}: ShortTable): Sent[] {
  const options = { rules: rulesNamed(rules), seed, bets, shoes, faults: placed(faults) };
  return cutShort(simulate(options).lines, coups);
}

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
    const options = { ...table, rules, shoes: 2 };
    const among = table.decks === 1 ? faults : placed(faults);
    return cutShort(simulate({ ...options, faults: among }).lines, coups);
  } catch (error) {
    if (!(error instanceof SimulationRefusal)) throw error;
    fc.pre(false);
    throw error;
  }
}

/** Closes each shoe after so many coups. */
function cutShort(lines: Iterable<string>, coups: number): Sent[] {
  const kept: Sent[] = [];
  const owed = new Map<unknown, number>();
  let opened = 0;
  for (const line of lines) {
    const event = JSON.parse(line) as Sent;
    const name = (event.type as string).replace(/^shoeprint\.|\.v1$/g, '');
    if (name === 'shoe-opened') {
      opened = 0;
      owed.clear();
    }
    if (name === 'coup-opened') opened += 1;
    if (name === 'shoe-closed' && opened > coups) kept.push({ ...event, data: { reason: 'end' } });
    else if (opened <= coups) kept.push(event);
    else if (name === 'commission-collected') kept.push(...paidInFull(event, owed));
    if (opened <= coups) owe(event, owed);
  }
  return kept;
}

type Amounts = Readonly<Record<string, number | undefined>>;

/** Keeps what each seat owes. */
function owe({ type, data }: Sent, owed: Map<unknown, number>): void {
  const { seat, commissionMarked = 0, amount = 0 } = data as Amounts;
  const paid = /commission-(collected|waived)/.test(type as string) ? amount : 0;
  owed.set(seat, (owed.get(seat) ?? 0) + commissionMarked - paid);
}

function paidInFull(event: Sent, owed: Map<unknown, number>): Sent[] {
  const { seat } = event.data as Amounts;
  const amount = owed.get(seat) ?? 0;
  owed.delete(seat);
  return amount > 0 ? [{ ...event, data: { seat, amount } }] : [];
}
