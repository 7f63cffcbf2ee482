import type { Decoder } from '#audit';
import type { EventLog, StoredRecord } from '#event-log';
import type { ParkedRow, RowStore, TableAtHand } from '#read-model';
import type { PartitionFold, Refused } from '../fold/partition-fold.js';
import { lineKey, UnknownEvent } from '../fold/record-lines.js';
import { TableRun, type Judging, type LineAt } from '../fold/table-run.js';
import { Touched } from '../fold/touched.js';
import { recordsBetween, refold } from './refold.js';

/** What loading a table again needs. */
export interface Loading {
  readonly log: EventLog;
  readonly rows: RowStore;
  readonly judging: Judging;
  readonly decoder: Decoder;
}

/** What of a table is loaded. */
interface Asked {
  readonly partition: number;
  readonly table: string;
  readonly released: ReadonlySet<string>;
  /** An offset before which nothing of it lies, where it was never saved. */
  readonly first: number;
  /** What the records from here on changed is gathered to be drawn. */
  readonly gatherFrom: number;
}

/** A table as it was before an event. */
export interface Reloaded {
  readonly run: TableRun;
  /** Its state before the event's record, to be saved; undefined where that was nothing yet. */
  readonly state: Uint8Array | undefined;
  /** Where it refused an event before the one asked for. */
  readonly refused: Refused | undefined;
}

/** A table from its saved state and the log, folded up to an event, which is left out; or, where it refuses one before, up to that. */
export async function reload(loading: Loading, asked: Asked, until: LineAt): Promise<Reloaded> {
  const { run, state, refused } = await reloadOnce(loading, asked, until);
  if (!refused) return { run, state, refused };
  return { ...(await reload(loading, asked, refused)), refused };
}

async function reloadOnce(
  { log, rows, judging, decoder }: Loading,
  { partition, table, released, first, gatherFrom }: Asked,
  until: LineAt,
): Promise<Reloaded> {
  const { run, from } = loaded(await rows.table(table), table, judging, first);
  let isGathering = false;
  let state: Uint8Array | undefined;
  for await (const records of recordsBetween(log, partition, from, until.offset + 1)) {
    for (const record of records) {
      if (record.key !== table) continue;
      if (!isGathering && record.offset >= gatherFrom) {
        run.touched = new Touched();
        isGathering = true;
      }
      const isLast = record.offset === until.offset;
      if (isLast && run.lastTime !== '') state = run.save();
      const refused = refold(run, record, decoder, {
        released,
        to: isLast ? until.line : undefined,
      });
      if (refused) return { run, state, refused };
    }
  }
  if (!isGathering) run.touched = new Touched();
  return { run, state, refused: undefined };
}

/** A table from its saved state, and the offset from which the log is folded onto it. */
export function loaded(
  saved: TableAtHand | undefined,
  table: string,
  judging: Judging,
  first: number,
): { readonly run: TableRun; readonly from: number } {
  const run = saved?.snapshot ? TableRun.load(saved.snapshot, judging) : undefined;
  const from = run ? (saved?.snapshotNext ?? 0) : saved && saved.lastNext > 0 ? 0 : first;
  return { run: run ?? TableRun.fresh(table, judging), from };
}

/**
 * Settles what a table refused: loads the table as it was before the event and tries once more, since a fault may pass;
 * then parks it. Gives what was parked. The partition is not drawn meanwhile, and passes the record.
 */
export async function settle(
  loading: Loading,
  fold: PartitionFold,
  record: StoredRecord,
  refused: Refused,
): Promise<ParkedRow | undefined> {
  const asked = {
    partition: fold.partition,
    table: refused.table,
    released: fold.released,
    first: fold.written,
    gatherFrom: fold.written,
  };
  const tried = new Set<string>();
  for (let now: Refused | undefined = refused; now;) {
    const { run, state, refused: earlier } = await reload(loading, asked, now);
    const at: Refused = earlier ?? now;
    if (at === now && !tried.has(lineKey(now)) && !(now.why instanceof UnknownEvent)) {
      tried.add(lineKey(now));
      fold.replace(run);
      now = fold.resume(record, loading.decoder, now.line);
      continue;
    }
    const row = parkedAt(fold.partition, at);
    fold.park(run, row, state);
    fold.resume(record, loading.decoder, now.line);
    return row;
  }
  return undefined;
}

export const parkedAt = (partition: number, { table, offset, line, why }: Refused): ParkedRow => ({
  table,
  partition,
  offset,
  line,
  reason: why.message,
});

/** A parked table folded on: with the event that it stopped at, or, where it is released, without. */
export interface Onward {
  readonly run: TableRun;
  /** The offset up to which it is folded. */
  next: number;
  readonly released: ReadonlySet<string>;
}

/** Loads a parked table as it was before the event that it stopped at. What is folded from there on is gathered. */
export async function beginOnward(
  loading: Loading,
  fold: PartitionFold,
  row: ParkedRow,
  isReleased: boolean,
): Promise<
  Onward & { readonly refused: Refused | undefined; readonly state: Uint8Array | undefined }
> {
  const released = new Set(fold.released);
  if (isReleased) released.add(lineKey(row));
  const { run, state, refused } = await reload(
    loading,
    {
      partition: fold.partition,
      table: row.table,
      released,
      first: row.offset,
      gatherFrom: row.offset,
    },
    row,
  );
  return { run, next: row.offset, released, refused, state };
}

/** Folds a table on to an offset, from a line of its first record on. Gives what it refused, if it did: then `run` is spent. */
export async function goOnward(
  { log, decoder }: Loading,
  partition: number,
  onward: Onward,
  to: number,
  firstLine = 0,
): Promise<Refused | undefined> {
  let from = firstLine;
  for await (const records of recordsBetween(log, partition, onward.next, to)) {
    for (const record of records) {
      if (record.key === onward.run.table) {
        const refused = refold(onward.run, record, decoder, { from, released: onward.released });
        if (refused) return refused;
      }
      from = 0;
      onward.next = record.offset + 1;
    }
  }
  return undefined;
}
