import { COUP_COLUMNS, coupLine, type CoupLine, type CoupRead } from '../coups/coups.js';
import {
  FINDING_COLUMNS,
  findingLine,
  type FindingLine,
  type FindingRowRead,
} from '../findings/findings.js';
import { keyOf } from '../database/schema-keys.js';
import { SHOE_COLUMNS, shoeLine, type ShoeLine, type ShoeRead } from '../shoes/shoes.js';
import { positionsText, type Positions, type Snapshot } from '../reading/snapshot-read.js';
import { Where } from '../reading/where.js';

/** A table on which something happened. */
export interface TableChange {
  readonly table: string;
  readonly shoeRef: string | null;
  readonly dealer: string | null;
  readonly lastEventTime: string;
  readonly lastReceived: string | null;
}

/** Something as it now stands, and the offset after the record that last changed it. */
export type Change = { readonly partition: number; readonly changed: number } & (
  | { readonly is: 'shoe'; readonly shoe: ShoeLine }
  /** A coup that is over or void; again if its record changes after that. */
  | { readonly is: 'coup'; readonly coup: CoupLine }
  /** A finding that was raised, changed or withdrawn. */
  | { readonly is: 'finding'; readonly finding: FindingLine }
  | { readonly is: 'table'; readonly table: TableChange }
);

export interface Changes {
  /** In each partition in the order of the log. A thing that changed twice is told once, as it stands. */
  readonly changes: readonly Change[];
  /** Where to go on: all that changed before these positions has been told. As `positionsFrom` reads them. */
  readonly positions: string;
  /** Whether some of what has changed is still to be told. */
  readonly more: boolean;
}

interface Changed {
  readonly partition: number;
  readonly changed: number;
}

type OfPartition = (row: string) => { readonly lateral: string; readonly parameters: unknown[] };

/**
 * What changed since the positions given (a partition that they do not name is told from its beginning), about `limit` things of each kind and
 * partition at a time, and whole records always. Nothing that commits later is missed: whatever changes a row moves
 * the position of its partition past where this reading ends, in the same transaction.
 */
export async function changesSince(
  read: Snapshot,
  since: Positions,
  { scope, limit }: { readonly scope?: readonly string[]; readonly limit: number },
): Promise<Changes> {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError(`changes are told by at least one, not ${limit}`);
  const behind = [...read.positions].filter(
    ([partition, next]) => (since.get(partition) ?? 0) < next,
  );
  const moved: OfPartition = (row) => {
    const where = new Where([
      behind.map(([partition]) => partition),
      behind.map(([partition]) => since.get(partition) ?? 0),
    ]);
    where
      .and(`${row}.partition = w.partition`)
      .and(`${row}.changed > w.since`)
      .given(`${row}."table" = any(?)`, scope?.map(keyOf));
    if (row === 'c') where.and(`c.state <> 'open'`);
    return {
      lateral: `${where.sql} order by ${row}.changed fetch first ${limit} rows with ties`,
      parameters: where.parameters,
    };
  };
  const found =
    behind.length === 0
      ? []
      : [
          ...(await shoesMoved(read, moved)),
          ...(await coupsMoved(read, moved)),
          ...(await findingsMoved(read, moved)),
          ...(await tablesMoved(read, moved)),
        ];
  return cut(found, read.positions, since, limit);
}

/** Ends each partition where the first kind that has more than was read ends: what lies beyond is told with the rest of its record. */
function cut(
  found: readonly Change[],
  reached: Positions,
  since: Positions,
  limit: number,
): Changes {
  const ends = new Map(
    [...reached].map(([partition, next]) => [partition, Math.max(next, since.get(partition) ?? 0)]),
  );
  const kinds = new Map<string, Change[]>();
  for (const change of found) {
    const key = `${change.partition} ${change.is}`;
    kinds.set(key, [...(kinds.get(key) ?? []), change]);
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

const FROM = 'from unnest($1::integer[], $2::bigint[]) as w(partition, since) cross join lateral';

async function shoesMoved(read: Snapshot, moved: OfPartition): Promise<Change[]> {
  const { lateral, parameters } = moved('s');
  const rows = await read.rows<ShoeRead & Changed>(
    `select m.* ${FROM} (select ${SHOE_COLUMNS}, s.partition, s.changed from shoe s ${lateral}) m order by m.partition, m.changed`,
    parameters,
  );
  return rows.map((row) => ({
    partition: row.partition,
    changed: row.changed,
    is: 'shoe',
    shoe: shoeLine(row),
  }));
}

async function coupsMoved(read: Snapshot, moved: OfPartition): Promise<Change[]> {
  const { lateral, parameters } = moved('c');
  const rows = await read.rows<CoupRead & Changed>(
    `select m.* ${FROM} (select ${COUP_COLUMNS}, c.partition, c.changed from coup c ${lateral}) m order by m.partition, m.changed`,
    parameters,
  );
  return rows.map((row) => ({
    partition: row.partition,
    changed: row.changed,
    is: 'coup',
    coup: coupLine(row),
  }));
}

async function findingsMoved(read: Snapshot, moved: OfPartition): Promise<Change[]> {
  const { lateral, parameters } = moved('f');
  const rows = await read.rows<FindingRowRead & Changed>(
    `select m.* ${FROM} (select ${FINDING_COLUMNS}, f.partition, f.changed from finding f ${lateral}) m order by m.partition, m.changed`,
    parameters,
  );
  return rows.map((row) => ({
    partition: row.partition,
    changed: row.changed,
    is: 'finding',
    finding: findingLine(row),
  }));
}

interface TableMoved extends Changed {
  readonly name: string;
  readonly shoe_ref: string | null;
  readonly dealer: string | null;
  readonly last_event_time: Date;
  readonly last_received: Date | null;
}

async function tablesMoved(read: Snapshot, moved: OfPartition): Promise<Change[]> {
  const { lateral, parameters } = moved('t');
  const rows = await read.rows<TableMoved>(
    `select m.* ${FROM} (select t.name, t.shoe_ref, t.dealer, t.last_event_time, t.last_received, t.partition, t.changed from table_state t ${lateral}) m order by m.partition, m.changed`,
    parameters,
  );
  return rows.map((row) => ({
    partition: row.partition,
    changed: row.changed,
    is: 'table',
    table: {
      table: row.name,
      shoeRef: row.shoe_ref,
      dealer: row.dealer,
      lastEventTime: row.last_event_time.toISOString(),
      lastReceived: row.last_received?.toISOString() ?? null,
    },
  }));
}
