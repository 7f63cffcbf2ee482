import type { Counts } from '../admission/admission.js';
import type { TableState } from '../state.js';

/** A table. */
interface AuditedTable extends Counts {
  readonly table: string;
  /** The open shoe, by the reference of its opening; null if none is open. */
  readonly shoeRef: string | null;
  /** The dealer on duty. */
  readonly dealer: string | null;
}

/** Returns a table as it is now. */
export const auditedTable = ({ table, open, duty, admission }: TableState): AuditedTable => ({
  table,
  shoeRef: open && !open.closed ? open.ref : null,
  dealer: duty.dealer,
  ...admission.counts,
});

/**
 * Returns the references of the shoes of a table that can still change: the open or last one, and
 * the one before.
 */
export const shoesInReach = ({ open, before }: TableState): string[] =>
  [open, before].flatMap((shoe) => shoe?.ref ?? []);

/**
 * A hole that a table waits for: the numbers still missing of a source's session, and the time of
 * the event that skipped them.
 */
export interface Hole {
  readonly source: string;
  readonly session: string;
  readonly missing: readonly (readonly [from: number, to: number])[];
  /** As its source gave it. */
  readonly time: string;
}

/** Returns the hole that a table waits for; null if it does not wait. */
export function holeOf({ admission: { wait } }: TableState): Hole | null {
  const head = wait?.queue[0];
  if (!wait || !head) return null;
  return {
    source: head.source,
    session: head.session as string,
    missing: wait.missing,
    time: head.time,
  };
}
