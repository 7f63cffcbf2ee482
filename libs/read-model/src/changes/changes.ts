import { HOUSE_TABLE } from '#audit';
import {
  COUP,
  FINDING,
  SHOE,
  TABLE_STATE,
  type Changed,
  type TableRow,
} from '../entities/index.js';
import { COUP_SELECT, coupLine, type CoupLine, type CoupRead } from '../coups/coups.js';
import {
  FINDING_SELECT,
  findingLine,
  type FindingLine,
  type FindingRead,
} from '../findings/findings.js';
import { keyOf } from '../database/schema-keys.js';
import { SHOE_SELECT, type ShoeLine } from '../shoes/shoes.js';
import { positionsText, type Positions, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';

const OF_TABLE = ['shoeRef', 'dealer', 'lastEventTime', 'lastReceived'] as const;

/** A table with new events, by its full id. */
export type TableChange = Pick<TableRow, 'table' | (typeof OF_TABLE)[number]>;
const TABLE_COLUMNS = `t.name as "table", ${TABLE_STATE.select('t', OF_TABLE)}`;

/**
 * The current state of something that changed, and the offset after the record that last changed
 * it.
 */
export type Change = Changed &
  (
    | { readonly is: 'shoe'; readonly shoe: ShoeLine }
    /** A coup that is over or void. It is repeated if it changes later. */
    | { readonly is: 'coup'; readonly coup: CoupLine }
    /** A finding that was raised, changed, reviewed or withdrawn, and who was involved in it. */
    | {
        readonly is: 'finding';
        readonly finding: FindingLine;
        readonly people: readonly string[];
      }
    | { readonly is: 'table'; readonly table: TableChange }
  );

/** A part of the changes, and the positions at which to continue. */
export interface ChangesPage {
  /**
   * Changes in the order of the log within each partition. Something that changed twice appears
   * once, in its current state.
   */
  readonly changes: readonly Change[];
  /**
   * Where to continue, in the format of `positionsFrom`. All changes before these positions have
   * been returned.
   */
  readonly positions: string;
  /** Whether more changes are waiting. */
  readonly more: boolean;
}

/**
 * Returns what changed since the given positions, at most about `limit` changes of each kind and
 * partition. A partition that the positions do not name starts at 0. Changes of one record are
 * never split. No later commit is missed: a transaction that changes a row also moves the position
 * of its partition past the end of this read.
 */
export async function changesSince(
  read: Snapshot,
  since: Positions,
  { scope, limit }: { readonly scope?: readonly string[]; readonly limit: number },
): Promise<ChangesPage> {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`limit must be a whole number of at least 1, not ${limit}`);
  const behind = [...read.positions].filter(
    ([partition, next]) => (since.get(partition) ?? 0) < next,
  );
  if (behind.length === 0) return cut([], read.positions, since, limit);
  const changedIn = async <Row>(
    { name }: { readonly name: string },
    row: string,
    columns: string,
  ): Promise<(Row & Changed)[]> => {
    const where = new Where([
      behind.map(([partition]) => partition),
      behind.map(([partition]) => since.get(partition) ?? 0),
    ])
      .and(`${row}.partition = w.partition`)
      .and(`${row}.changed > w.since`)
      .given(`${row}."table" = any(?)`, scope?.map(keyOf));
    if (row === 'c') where.and(`c.state <> 'open'`);
    return read.rows<Row & Changed>(
      `select m.* from unnest($1::integer[], $2::bigint[]) as w(partition, since) cross join lateral
         (select ${columns}, ${row}.partition, ${row}.changed from ${name} ${row} ${where.sql}
          order by ${row}.changed fetch first ${limit} rows with ties) m order by m.partition, m.changed`,
      where.parameters,
    );
  };
  const found: Change[] = [];
  for (const { partition, changed, ...shoe } of await changedIn<ShoeLine>(SHOE, 's', SHOE_SELECT))
    found.push({ partition, changed, is: 'shoe', shoe });
  for (const { partition, changed, ...coup } of await changedIn<CoupRead>(COUP, 'c', COUP_SELECT))
    found.push({ partition, changed, is: 'coup', coup: coupLine(coup) });
  for (const { partition, changed, ...row } of await changedIn<FindingRead>(
    FINDING,
    'f',
    FINDING_SELECT,
  ))
    found.push({
      partition,
      changed,
      is: 'finding',
      finding: findingLine(row),
      people: row.people,
    });
  for (const { partition, changed, ...table } of await changedIn<TableChange>(
    TABLE_STATE,
    't',
    TABLE_COLUMNS,
  ))
    if (table.table !== HOUSE_TABLE) found.push({ partition, changed, is: 'table', table });
  return cut(found, read.positions, since, limit);
}

/**
 * Ends each partition where the first kind that has more changes ends. Later changes are left for
 * the next read, so that no record is split.
 */
function cut(
  found: readonly Change[],
  reached: Positions,
  since: Positions,
  limit: number,
): ChangesPage {
  const ends = new Map(
    [...reached].map(([partition, next]) => [partition, Math.max(next, since.get(partition) ?? 0)]),
  );
  const kinds = new Map<string, Change[]>();
  for (const change of found) {
    const key = `${change.partition} ${change.is}`;
    const of = kinds.get(key);
    if (of) of.push(change);
    else kinds.set(key, [change]);
  }
  for (const of of kinds.values()) {
    const { partition, changed } = of.at(-1) as Change;
    if (of.length >= limit) ends.set(partition, Math.min(ends.get(partition) as number, changed));
  }
  const changes = found
    .filter(({ partition, changed }) => changed <= (ends.get(partition) as number))
    .sort((a, b) => a.partition - b.partition || a.changed - b.changed);
  return {
    changes,
    positions: positionsText(ends),
    more: [...reached].some(([partition, next]) => (ends.get(partition) as number) < next),
  };
}
