import { simulate } from '#audit';
import { rulesNamed } from '../simulate/simulated.js';
import type { Sent } from './audit.js';

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
  const kept: Sent[] = [];
  const owed = new Map<unknown, number>();
  let opened = 0;
  const placed = faults.map((code, i) => (OF_A_SHOE.has(code) ? code : `${code}@${i + 2}`));
  const options = { rules: rulesNamed(rules), seed, bets, shoes, faults: placed };
  for (const line of simulate(options).lines) {
    const event = JSON.parse(line) as Sent;
    const name = (event.type as string).replace(/^shoeprint\.|\.v1$/g, '');
    if (name === 'shoe-opened') {
      opened = 0;
      owed.clear();
    }
    if (name === 'coup-opened') opened += 1;
    if (name === 'shoe-closed') kept.push({ ...event, data: { reason: 'end' } });
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
