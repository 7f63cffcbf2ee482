import type { Decoder } from '#audit';
import type { EventLog } from '#event-log';
import { asError } from '#process';
import type { ParkedEvent, RowStore, SavedTable } from '#read-model';
import type { PartitionFold, Refused } from '../../fold/partition-fold.js';
import type { LeftOut } from '../../fold/record-lines.js';
import { TableRun, type Judging, type LineAt, type SavedRun } from '../../fold/table-run.js';
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

/** A table as its snapshot holds it, and the offset from which the log is folded onto it. */
interface Begun {
  readonly run: TableRun;
  readonly from: number;
}

/** A table as it was before an event. */
export interface Reloaded {
  readonly run: TableRun;
  /** The table before the event's record; undefined if it had no events before that. */
  readonly saved: SavedRun | undefined;
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
  return foldUpTo(until, loading, asked, await begun(loading, asked));
}

/** Returns the table as its snapshot holds it. */
async function begun(loading: Loading, { table, first }: TableToLoad): Promise<Begun> {
  return runFrom(await loading.rows.savedTable(table), table, loading, first);
}

/** Folds the log onto a table. Begins again if it refuses an event before `until`. */
async function foldUpTo(
  until: LineAt,
  loading: Loading,
  asked: TableToLoad,
  from: Begun,
): Promise<Reloaded> {
  const { run, saved, refused } = await foldOnce(until, loading, asked, from);
  if (!refused) return { run, saved, refused };
  return { ...(await reload(loading, asked, refused)), refused };
}

async function foldOnce(
  until: LineAt,
  { log, decoder, slices }: Loading,
  { partition, table, leftOut, gatherFrom }: TableToLoad,
  { run, from }: Begun,
): Promise<Reloaded> {
  let isGathering = false;
  let saved: SavedRun | undefined;
  for await (const records of recordsBetween(log, partition, from, until.offset + 1)) {
    for (const record of records) {
      if (record.key !== table) continue;
      await slices.giveWay();
      if (!isGathering && record.offset >= gatherFrom) {
        run.takeChanges();
        isGathering = true;
      }
      const isLast = record.offset === until.offset;
      if (isLast && run.lastTime !== '') saved = run.save();
      const lines = isLast ? { leftOut, to: until.line } : { leftOut };
      const refused = refold(run, record, decoder, lines);
      if (refused) return { run, saved, refused };
    }
  }
  if (!isGathering) run.takeChanges();
  return { run, saved, refused: undefined };
}

/**
 * Loads a table of a partition, up to the partition's position: its snapshot, with its tail folded
 * onto it. If the snapshot cannot be used, folds all of its log. Stops at an event that the table
 * refuses.
 */
export async function load(
  loading: Loading,
  { partition, leftOut, next, unloaded }: PartitionFold,
  table: string,
): Promise<Reloaded> {
  const asked = { partition, table, leftOut, first: 0, gatherFrom: next };
  const snapshot = await begun(loading, asked);
  if (!snapshot.run.isLoaded)
    return foldUpTo({ offset: next - 1, line: Infinity }, loading, asked, snapshot);
  const { run, from } = snapshot;
  for (const record of unloaded.get(table) ?? []) {
    if (record.offset < from) continue;
    await loading.slices.giveWay();
    const refused = refold(run, record, loading.decoder, { leftOut });
    if (refused) return { ...(await reload(loading, asked, refused)), refused };
  }
  run.takeChanges();
  return { run, saved: undefined, refused: undefined };
}

/**
 * Returns a table as its snapshot holds it, and the offset from which the log is folded onto it. A
 * snapshot only saves time: if it cannot be used, the table is folded from the log alone.
 */
function runFrom(
  saved: SavedTable | undefined,
  table: string,
  { judging, unusable }: Loading,
  first: number,
): Begun {
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
