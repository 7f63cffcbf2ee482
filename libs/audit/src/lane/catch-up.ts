import { record } from '../history/journal.js';
import { UNCHANGED, type SeatAccount, type Shoe } from '../state.js';
import { step } from '../step.js';
import type { ShoeLane } from './shoe-lane.js';

/**
 * Thrown if a shoe that catches up raises something that the lane passed over, or ends in another
 * state than the lane: a bug of ours. The shoe must no longer be used. Holds the shoe, and the lane
 * with the lines that it took.
 */
export class LanesDiffer extends Error {
  constructor(
    readonly lane: ShoeLane,
    said: readonly string[],
  ) {
    const lines = lane.tail.text();
    const what = said.length > 0 ? said.join(', ') : 'another state';
    super(
      `the lane and the fold differ about shoe ${lane.shoe.name} of table ${lane.shoe.table}: the fold says ${what} about ${lane.tail.count} lines that the lane took as lawful, from ${lines.slice(0, 200)}`,
    );
  }
}

/**
 * Lets a shoe step through the lines that only its lane has seen. The fold may report only that
 * coups ended, the ledger moved and the shoe closed. Throws `LanesDiffer` otherwise.
 * Returns the number of lines.
 */
export function catchUp(lane: ShoeLane): number {
  const { shoe, tail } = lane;
  const { count } = tail;
  if (count === 0) return 0;
  const { changes } = shoe;
  const { table } = changes;
  const { receipt } = table;
  const news = table.news.length;
  shoe.changes = { ...changes, gone: new Map(), findings: new Map(), unjudgeable: new Map() };
  if (lane.closing) shoe.closed = false;
  tail.play((event, mark, line) => {
    if (line > 0 && line === lane.taken) forgetTaken(shoe);
    table.receipt = { mark, received: null };
    record(shoe, event);
    step(shoe, event, shoe.played.length - 1);
  });
  if (count === lane.taken) forgetTaken(shoe);
  table.receipt = receipt;
  const { gone, findings, unjudgeable } = shoe.changes;
  const said = [...gone.keys(), ...unjudgeable.keys()];
  for (const { found } of findings.values()) said.push(found.finding.code);
  if (said.length > 0 || table.news.length > news || !isSame(lane))
    throw new LanesDiffer(lane, said);
  shoe.changes = {
    ...shoe.changes,
    ...{ gone: changes.gone, findings: changes.findings, unjudgeable: changes.unjudgeable },
  };
  lane.caughtUp();
  return count;
}

/** Forgets the changes that were taken from the lane already. */
function forgetTaken({ changes, changes: { coups } }: Shoe): void {
  for (const coup of coups) coup.changed = UNCHANGED;
  coups.clear();
  changes.mark = UNCHANGED;
  changes.sums = false;
}

/** Returns whether a shoe that has stepped through all lines is in the state of its lane. */
function isSame({ shoe, ...lane }: ShoeLane): boolean {
  return (
    shoe.coups.length === lane.coups &&
    shoe.drawn === lane.drawn &&
    shoe.coupsLeft === lane.coupsLeft &&
    shoe.closed === lane.isClosed &&
    (shoe.coup !== null) === lane.isCoupOpen &&
    lane.copies.every((count, card) => count === shoe.copies[card]) &&
    isSameLedger(shoe, lane.ledger)
  );
}

const isSameLedger = ({ ledger }: Shoe, other: ReadonlyMap<number, SeatAccount>): boolean =>
  ledger.size === other.size &&
  [...ledger].every(([seat, account]) => {
    const { due, taken, marked, collected, waived } = account;
    const its = other.get(seat);
    return (
      its?.due === due &&
      its.taken === taken &&
      its.marked === marked &&
      its.collected === collected &&
      its.waived === waived
    );
  });
