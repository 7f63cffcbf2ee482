import type { Found } from './findings/finding.js';
import { catchUp } from './lane/catch-up.js';
import type { ItemChange, ReviewChange } from './review/desk.js';
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

/** A shoe and its changes. */
export interface ChangedShoe extends Omit<ShoeChanges, 'table' | 'coups'> {
  readonly shoe: Shoe;
  readonly coups: readonly { readonly coup: Coup; readonly mark: number }[];
}

/**
 * The shoes, and the findings about no shoe, that changed at a table since its changes were last
 * taken.
 */
export interface Changes {
  readonly shoes: readonly ChangedShoe[];
  readonly outside: readonly FindingChange[];
  /** In the order in which they happened. */
  readonly reviews: readonly ReviewChange[];
  /** Where the review of each finding now stands that was raised, or whose review changed. */
  readonly items: readonly ItemChange[];
}

/** Takes all changes of a table. The table no longer keeps them. */
export function takeChanges(state: TableState): Changes {
  state.lane.catchUp(state);
  return allChanges(state);
}

/**
 * Takes all changes of a table that takes no further events. Unlike `takeChanges`, it lets no shoe
 * step through lawful play unless its coups or sums are drawn.
 */
export function takeLastChanges(state: TableState): Changes {
  return allChanges(state);
}

function allChanges(state: TableState): Changes {
  const { changes, open, before } = state;
  const shoes = [...changes.left.splice(0), before, open].filter((shoe) => shoe !== null);
  const outside = [...changes.outside.values()];
  changes.outside.clear();
  return {
    shoes: shoes.filter(hasChanged).map(taken),
    outside,
    reviews: changes.reviews.splice(0),
    items: takeItems(changes),
  };
}

function takeItems({ items }: TableChanges): ItemChange[] {
  const all = [...items.values()];
  items.clear();
  return all;
}

/**
 * Takes the changes of shoes that went out of reach, and of findings outside any shoe that are no
 * longer kept: those can no longer change. Takes what changed in reviews too. Returns undefined if
 * there is nothing.
 */
export function takeFinalChanges(state: TableState): Changes | undefined {
  const { changes, foundOutside } = state;
  const { left, reviews } = changes;
  if (left.length === 0 && reviews.length === 0 && changes.outside.size <= foundOutside.size)
    return undefined;
  const outside = [...changes.outside].filter(([id]) => !foundOutside.has(id));
  for (const [id] of outside) changes.outside.delete(id);
  return {
    shoes: left.splice(0).map(taken),
    outside: outside.map(([, change]) => change),
    reviews: reviews.splice(0),
    items: takeItems(changes),
  };
}

/** Keeps the changes of a shoe that goes out of reach until they are taken. */
export function leaveReach({ changes }: TableState, shoe: Shoe): void {
  if (hasChanged(shoe)) changes.left.push(shoe);
}

const hasChanged = ({
  changes: { mark, sums, coups, gone, findings, unjudgeable },
  lane,
}: Shoe): boolean =>
  lane?.isAhead === true ||
  mark !== UNCHANGED ||
  sums ||
  coups.size > 0 ||
  gone.size > 0 ||
  findings.size > 0 ||
  unjudgeable.size > 0;

function taken(shoe: Shoe): ChangedShoe {
  const { table, coups, ...changes } = shoe.changes;
  const { lane } = shoe;
  shoe.changes = noShoeChanges(table);
  const mark = lane?.isAhead && lane.mark !== UNCHANGED ? lane.mark : changes.mark;
  const sums = changes.sums || (lane?.isAhead === true && lane.sums);
  return { shoe, ...changes, mark, sums, coups: [...coups].map(takenCoup) };
}

/**
 * Lets a changed shoe that is out of reach step through the lawful play that only its lane has
 * seen. Returns its changes with the coups of that.
 */
export function steppedThrough(changed: ChangedShoe): ChangedShoe {
  const { shoe } = changed;
  if (!shoe.lane?.isAhead) return changed;
  catchUp(shoe.lane);
  // one that was open when the shoe last caught up may be in both
  const coups = new Map([...changed.coups, ...taken(shoe).coups].map((each) => [each.coup, each]));
  return { ...changed, coups: [...coups.values()] };
}

function takenCoup(coup: Coup): ChangedShoe['coups'][number] {
  const mark = coup.changed;
  coup.changed = UNCHANGED;
  return { coup, mark };
}

/** Discards the changes of a shoe and connects it to this table. */
export function forgetChanges(shoe: Shoe, table: TableChanges): void {
  taken(shoe);
  shoe.changes = noShoeChanges(table);
}
