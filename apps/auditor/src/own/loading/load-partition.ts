import { BrokenLog } from '#event-log';
import type { Claimed, ParkedEvent } from '#read-model';
import { recordDigest, PartitionFold } from '../../fold/partition-fold.js';
import { lineKey } from '../../fold/record-lines.js';
import type { TableRun } from '../../fold/table-run.js';
import { parkedAt, reload, runFrom, type Loading, type Reloaded } from './load-table.js';
import { recordsBetween, refold } from './refold.js';

/** The tables of a partition as their snapshots hold them. */
interface Saved {
  /** Each table, and the offset from which the log is folded onto it. */
  readonly tables: Map<string, { readonly run: TableRun; readonly from: number }>;
  readonly parked: readonly ParkedEvent[];
  readonly released: ReadonlySet<string>;
  /** The lowest offset from which any table needs folding. */
  readonly from: number;
}

/** The result of folding the log onto snapshots. */
interface Refolded {
  readonly bytes: number;
  readonly newlyParked: readonly (Reloaded & { readonly row: ParkedEvent })[];
}

/**
 * Loads a claimed partition: its snapshots, with the log folded onto them up to the position.
 * Writes none of it again. Returns undefined once `isHeld` returns false. Throws `BrokenLog` if the
 * log is not the one that the rows were made from.
 */
export async function loadPartition(
  loading: Loading,
  claimed: Claimed,
  isHeld: () => boolean,
): Promise<PartitionFold | undefined> {
  await verify(loading, claimed);
  const saved = await loadSnapshots(loading, claimed, isHeld);
  const refolded = saved && (await refoldOnto(saved, loading, claimed, isHeld));
  if (!refolded) return undefined;
  const { parked, released } = saved;
  const tables = [...saved.tables.values()].map(({ run }) => run);
  const resumed = { tables, parked, released, bytes: refolded.bytes };
  const fold = new PartitionFold(claimed, loading.judging, resumed);
  for (const { run, row, state } of refolded.newlyParked) fold.park(run, row, state);
  return fold;
}

async function loadSnapshots(
  { rows, judging }: Loading,
  { partition, next }: Claimed,
  isHeld: () => boolean,
): Promise<Saved | undefined> {
  const released = new Set((await rows.released(partition)).map(lineKey));
  const tables: Saved['tables'] = new Map();
  const parked: ParkedEvent[] = [];
  let from = next;
  for await (const saved of rows.tablesOf(partition)) {
    if (!isHeld()) return undefined;
    const { table, lastNext } = saved;
    if (saved.parked) {
      parked.push({ table, partition, ...saved.parked, reason: '' });
      continue;
    }
    const loaded = runFrom(saved, table, judging, 0);
    tables.set(table, loaded);
    if (lastNext > loaded.from) from = Math.min(from, loaded.from);
  }
  return { tables, parked, released, from };
}

async function refoldOnto(
  { tables, released, from }: Saved,
  loading: Loading,
  { partition, next }: Claimed,
  isHeld: () => boolean,
): Promise<Refolded | undefined> {
  const newlyParked: Refolded['newlyParked'][number][] = [];
  let bytes = 0;
  for await (const records of recordsBetween(loading.log, partition, from, next)) {
    if (!isHeld()) return undefined;
    for (const record of records) {
      const { key: table, offset, value } = record;
      bytes += value.length;
      const saved = tables.get(table);
      if (!saved || offset < saved.from) continue;
      const refused = refold(saved.run, record, loading.decoder, { released });
      if (!refused) continue;
      // An earlier version folded this event and this one cannot, so park the table here.
      const asked = { partition, table, released, first: 0, gatherFrom: next };
      const again = await reload(loading, asked, refused);
      tables.delete(table);
      newlyParked.push({ ...again, row: parkedAt(partition, again.refused ?? refused) });
    }
    for (const { run } of tables.values()) run.takeChanges(); // the rows already hold these changes
  }
  return { bytes, newlyParked };
}

/**
 * Checks that the log reaches as far as the rows and that its last record there is the one that was
 * folded. Throws `BrokenLog` if not.
 */
async function verify({ log }: Loading, { partition, next, lastDigest }: Claimed): Promise<void> {
  const head = await log.head(partition, next);
  if (head < next)
    throw new BrokenLog(
      `the rows are at ${next} and the log ends at ${head}: they were made from another log`,
      partition,
      head,
    );
  if (next === 0) return;
  const [record] = await log.read(partition, next - 1, 1);
  if (record && lastDigest && recordDigest(record.value).equals(lastDigest)) return;
  throw new BrokenLog(
    `record ${next - 1} is not the one that the rows were made from`,
    partition,
    next - 1,
  );
}
