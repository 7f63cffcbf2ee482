import type { Found } from './findings/finding.js';
import {
  UNCHANGED,
  type Coup,
  type FindingChange,
  type Shoe,
  type ShoeChanges,
  type TableChanges,
  type TableState,
} from './state.js';

/** Returns the changes of a table that has none. */
export const noTableChanges = (): TableChanges => ({
  receipt: { mark: 0, received: null },
  left: [],
  spent: [],
  outside: new Map(),
  news: [],
  reviews: [],
  items: new Map(),
});

/** Returns the changes of a shoe that has none, or that opens with the mark `opened`. */
export const noShoeChanges = (table: TableChanges, opened = UNCHANGED): ShoeChanges => ({
  table,
  opened,
  mark: UNCHANGED,
  sums: false,
  coups: new Set(),
  gone: new Map(),
  findings: new Map(),
  unjudgeable: new Map(),
});

/** Marks the shoe itself: its opening or closing, its coups or its cards. */
export function markShoe({ changes }: Shoe): void {
  changes.mark = changes.table.receipt.mark;
}

/** Marks the ledger of a shoe, and what its coups add up to. */
export function markSums({ changes }: Shoe): void {
  changes.sums = true;
}

/** Marks a coup and, if it is over, what the coups of its shoe add up to. */
export function markCoup({ changes }: Shoe, coup: Coup): void {
  if (coup.changed === UNCHANGED) changes.coups.add(coup);
  coup.changed = changes.table.receipt.mark;
  if (coup.state !== 'open') changes.sums = true;
}

/** Marks an entry of what could not be judged. A new one is the last. */
export function markUnjudgeable({ changes }: Shoe, key: string, isNew: boolean): void {
  if (isNew) changes.unjudgeable.delete(key);
  changes.unjudgeable.set(key, changes.table.receipt.mark);
}

/** How a finding changed. A withdrawn one names the event that withdrew it. */
export type FindingNews = 'raised' | 'amended' | { readonly because: string };

/** Marks a finding of a shoe. */
export function markFinding({ changes }: Shoe, found: Found, news: FindingNews): void {
  mark(changes.findings, found, news, changes.table);
}

/**
 * Marks a finding about no shoe within reach. It is listed with the shoe that its event names, if
 * that one is within reach.
 */
export function markOutside(state: TableState, found: Found, news: FindingNews): void {
  const { changes, open, before } = state;
  const named = [open, before].find((shoe) => shoe?.name === found.finding.shoe);
  mark(named?.changes.findings ?? changes.outside, found, news, changes);
}

function mark(
  findings: Map<string, FindingChange>,
  found: Found,
  news: FindingNews,
  { receipt, news: ofTable }: TableChanges,
): void {
  const { id } = found.finding;
  ofTable.push({ found, isGone: typeof news === 'object' });
  const known = findings.get(id);
  if (news === 'raised') findings.delete(id);
  findings.set(id, {
    found,
    withdrawnBecause: typeof news === 'object' ? news.because : null,
    received: known?.received ?? (news === 'raised' ? receipt.received : null),
    mark: receipt.mark,
  });
}

/**
 * Passes the changes of a shoe to the same shoe as a correction leaves it, and marks all of it,
 * because any part may differ.
 */
export function markReplaced(former: Shoe, fresh: Shoe): void {
  const { changes } = former;
  const { mark } = changes.table.receipt;
  fresh.changes = changes;
  markShoe(fresh);
  markSums(fresh);
  changes.coups.clear();
  for (const coup of former.coups) changes.gone.set(coup.ref, { coup, mark });
  for (const coup of fresh.coups) {
    coup.changed = mark;
    changes.coups.add(coup);
    changes.gone.delete(coup.ref);
  }
  for (const key of former.unjudgeable.keys()) markUnjudgeable(fresh, key, false);
  for (const key of fresh.unjudgeable.keys())
    markUnjudgeable(fresh, key, !former.unjudgeable.has(key));
}
