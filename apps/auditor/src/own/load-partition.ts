import { BrokenLog } from '#event-log';
import type { Claimed, TableAtHand } from '#read-model';
import { digestOf, type PartitionFold } from '../fold/partition-fold.js';
import { lineKey } from '../fold/record-lines.js';
import type { TableRun } from '../fold/table-run.js';
import { Touched } from '../fold/touched.js';
import { loaded, parkedAt, reload, type Loading } from './parking.js';
import { recordsBetween, refold } from './refold.js';

/**
 * Makes the state of a partition that was claimed: saved states, and the log folded onto them up to the position, without
 * writing any of it again. Gives how many events were folded. Ends early, with a state that is worth nothing, once `isHeld` says
 * that the partition is another's. Throws `BrokenLog` where the log is not the one that the rows were made from.
 */
export async function loadPartition(
  loading: Loading,
  claimed: Claimed,
  fold: PartitionFold,
  isHeld: () => boolean,
): Promise<number> {
  const { log, rows } = loading;
  const { partition, next } = claimed;
  await verify(loading, claimed);
  fold.digest = claimed.lastDigest ?? new Uint8Array(0);
  for (const event of await rows.released(partition)) fold.released.add(lineKey(event));
  const begins = new Map<string, number>();
  let from = next;
  for await (const table of rows.tablesOf(partition)) {
    if (!isHeld()) return 0;
    if (table.parked) {
      fold.parked.set(table.table, { table: table.table, partition, ...table.parked, reason: '' });
      continue;
    }
    const begin = take(loading, fold, table);
    begins.set(table.table, begin);
    if (table.lastNext > begin) from = Math.min(from, begin);
  }
  for await (const records of recordsBetween(log, partition, from, next)) {
    if (!isHeld()) return 0;
    for (const record of records) {
      fold.foldedBytes += record.value.length;
      const run = fold.tables.get(record.key);
      if (!run || record.offset < (begins.get(record.key) ?? 0)) continue;
      const refused = refold(run, record, loading.decoder, { released: fold.released });
      if (!refused) continue;
      // It was folded once, by other judges: it is parked where these stop.
      const again = await reload(
        loading,
        { partition, table: record.key, released: fold.released, first: 0, gatherFrom: next },
        refused,
      );
      fold.park(again.run, parkedAt(partition, again.refused ?? refused), again.state);
    }
    for (const run of fold.tables.values()) run.touched = new Touched(); // it is in the rows
  }
  const runs = [...fold.tables.values()];
  fold.folded = runs.reduce((sum, { unsaved }) => sum + unsaved, 0);
  for (const run of runs) {
    run.savedAt = run.unsaved > 0 ? 0 : fold.folded;
    run.savedAtBytes = run.unsaved > 0 ? 0 : fold.foldedBytes;
  }
  return fold.folded;
}

function take({ judging }: Loading, fold: PartitionFold, table: TableAtHand): number {
  const { run, from }: { run: TableRun; from: number } = loaded(table, table.table, judging, 0);
  run.savedNext = from;
  fold.tables.set(table.table, run);
  return from;
}

/** The log must reach as far as the rows, and its last record there must be the one that was folded. */
async function verify({ log }: Loading, { partition, next, lastDigest }: Claimed): Promise<void> {
  const head = await log.head(partition);
  if (head < next)
    throw new BrokenLog(
      `the rows stand at ${next}, and the log ends at ${head}: it is not the log that they were made from`,
      partition,
      head,
    );
  if (next === 0) return;
  const [record] = await log.read(partition, next - 1, 1);
  if (record && lastDigest && digestOf(record.value).equals(lastDigest)) return;
  throw new BrokenLog(
    `record ${next - 1} is not the one that the rows were made from`,
    partition,
    next - 1,
  );
}
