import { noShoeChanges } from './changes.js';
import type { ChangesAhead } from './lane/shoe-lane.js';
import { coupsChanged } from './rows/shoe-sums.js';
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

/** A shoe and its changes. */
export interface ChangedShoe extends Omit<ShoeChanges, 'table' | 'coups'> {
  readonly shoe: Shoe;
  readonly coups: readonly { readonly coup: Coup; readonly mark: number }[];
  /** What only its lane has seen; null if that has seen nothing. */
  readonly ahead: ChangesAhead | null;
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
  /** The review of each finding that was raised, or whose review changed, as it now stands. */
  readonly items: readonly ItemChange[];
}

/**
 * Takes all changes of a table. The table no longer keeps them. No shoe steps through lawful play
 * for that. Rows of a shoe out of reach must be drawn before changes of the table are taken again.
 */
export function takeChanges(state: TableState): Changes {
  const { changes, open, before } = state;
  const shoes = [...takeLeft(changes), before, open].filter((shoe) => shoe !== null);
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
 * there is nothing. The rows must be drawn before changes of the table are taken again.
 */
export function takeFinalChanges(state: TableState): Changes | undefined {
  const { changes, foundOutside } = state;
  const { left, reviews } = changes;
  if (changes.spent.length > 0) giveBackSpent(changes);
  if (left.length === 0 && reviews.length === 0 && changes.outside.size <= foundOutside.size)
    return undefined;
  const outside = [...changes.outside].filter(([id]) => !foundOutside.has(id));
  for (const [id] of outside) changes.outside.delete(id);
  return {
    shoes: takeLeft(changes).map(taken),
    outside: outside.map(([, change]) => change),
    reviews: reviews.splice(0),
    items: takeItems(changes),
  };
}

/** Keeps the changes of a shoe that goes out of reach until they are taken. */
export function leaveReach({ changes }: TableState, shoe: Shoe): void {
  if (hasChanged(shoe)) changes.left.push(shoe);
  else changes.spent.push(shoe);
}

/** Takes the shoes that went out of reach. The lines of those taken before are needed no more. */
function takeLeft(changes: TableChanges): Shoe[] {
  giveBackSpent(changes);
  const left = changes.left.splice(0);
  changes.spent.push(...left);
  return left;
}

function giveBackSpent({ spent }: TableChanges): void {
  for (const { lane } of spent.splice(0)) lane?.tail.giveBack();
}

const hasChanged = ({
  changes: { mark, sums, coups, gone, findings, unjudgeable },
  lane,
}: Shoe): boolean =>
  lane?.hasChanged === true ||
  mark !== UNCHANGED ||
  sums ||
  coups.size > 0 ||
  gone.size > 0 ||
  findings.size > 0 ||
  unjudgeable.size > 0;

function taken(shoe: Shoe): ChangedShoe {
  const { table, coups, ...changes } = shoe.changes;
  shoe.changes = noShoeChanges(table);
  coupsChanged(shoe, [...coups]);
  const ahead = shoe.lane?.takeChanges() ?? null;
  const mark = ahead && ahead.mark !== UNCHANGED ? ahead.mark : changes.mark;
  const sums = changes.sums || ahead?.sums === true;
  return { shoe, coups: [...coups].map(takenCoup), ahead, ...changes, mark, sums };
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
