import type { Decoder } from '#audit';
import type { EventLog } from '#event-log';
import { asError } from '#process';
import type { ParkedEvent, RowStore, TableAtHand } from '#read-model';
import type { Refused } from '../../fold/partition-fold.js';
import type { LeftOut } from '../../fold/record-lines.js';
import { TableRun, type Judging, type LineAt } from '../../fold/table-run.js';
import { recordsBetween, refold } from './refold.js';
import type { TimeSlices } from './time-slices.js';

/** What tables are loaded from and judged by. */
export interface Loading {
  readonly log: EventLog;
  readonly rows: RowStore;
  readonly judging: Judging;
  readonly decoder: Decoder;
  /** Divides the work, so that it yields to the renewal of leases. */
  readonly slices: TimeSlices;
  /** Reports a snapshot that cannot be used: a bug of ours, or damage. */
  readonly unusable: (table: string, why: Error) => void;
}

/** Selects a table to reload. */
export interface TableToLoad {
  readonly partition: number;
  readonly table: string;
  readonly leftOut: LeftOut;
  /** An offset before which the table has no records, for a table that was never saved. */
  readonly first: number;
  /** The offset from which changes are kept for projection. */
  readonly gatherFrom: number;
}

/** A table as it was before an event. */
export interface Reloaded {
  readonly run: TableRun;
  /** The snapshot before the event's record; undefined if the table had no events before it. */
  readonly state: Uint8Array | undefined;
  /** An event before the requested one that the table refused, if any. */
  readonly refused: Refused | undefined;
}

/**
 * Loads a table from its snapshot and the log, up to but not including an event. Stops earlier at
 * an event that the table refuses.
 */
export async function reload(
  loading: Loading,
  asked: TableToLoad,
  until: LineAt,
): Promise<Reloaded> {
  const { run, state, refused } = await reloadOnce(loading, asked, until);
  if (!refused) return { run, state, refused };
  return { ...(await reload(loading, asked, refused)), refused };
}

async function reloadOnce(
  loading: Loading,
  { partition, table, leftOut, first, gatherFrom }: TableToLoad,
  until: LineAt,
): Promise<Reloaded> {
  const { log, rows, decoder, slices } = loading;
  const { run, from } = runFrom(await rows.table(table), table, loading, first);
  let isGathering = false;
  let state: Uint8Array | undefined;
  for await (const records of recordsBetween(log, partition, from, until.offset + 1)) {
    for (const record of records) {
      if (record.key !== table) continue;
      await slices.giveWay();
      if (!isGathering && record.offset >= gatherFrom) {
        run.takeChanges();
        isGathering = true;
      }
      const isLast = record.offset === until.offset;
      if (isLast && run.lastTime !== '') state = run.save();
      const lines = isLast ? { leftOut, to: until.line } : { leftOut };
      const refused = refold(run, record, decoder, lines);
      if (refused) return { run, state, refused };
    }
  }
  if (!isGathering) run.takeChanges();
  return { run, state, refused: undefined };
}

/**
 * Returns a table as its snapshot holds it, and the offset from which the log is folded onto it. A
 * snapshot only saves time: if it cannot be used, the table is folded from the log alone.
 */
export function runFrom(
  saved: TableAtHand | undefined,
  table: string,
  { judging, unusable }: Loading,
  first: number,
): { readonly run: TableRun; readonly from: number } {
  let run: TableRun | undefined;
  try {
    run = saved?.snapshot ? TableRun.load(saved.snapshot, judging) : undefined;
  } catch (error) {
    unusable(table, asError(error));
  }
  const from = run ? (saved?.snapshotNext ?? 0) : saved && saved.lastNext > 0 ? 0 : first;
  return { run: run ?? TableRun.fresh(table, judging), from };
}

/** Returns the row of a table that is parked at the event that it refused. */
export const parkedAt = (
  partition: number,
  { table, offset, line, why }: Refused,
): ParkedEvent => ({
  table,
  partition,
  offset,
  line,
  reason: why.message,
});
