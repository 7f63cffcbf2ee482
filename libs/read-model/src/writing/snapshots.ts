import type { SnapshotRow } from './batch.js';
import { keyOf } from '../database/schema-keys.js';
import { TABLE_STATE } from '../entities/index.js';
import type { WriterPool } from './pool.js';
import type { Statement } from './statements.js';

/** A table of a partition, for the owner that takes the partition over. */
export interface TableAtHand {
  readonly table: string;
  /**
   * The saved state, which includes everything before the offset `snapshotNext`. Both are null if
   * none was saved, and the table must then be folded from offset 0.
   */
  readonly snapshot: Uint8Array | null;
  readonly snapshotNext: number | null;
  /**
   * The offset after the last record that changed the table. If it is not beyond `snapshotNext`,
   * the snapshot is up to date.
   */
  readonly lastNext: number;
  /** The event that it is parked at, or null. */
  readonly parked: { readonly offset: number; readonly line: number } | null;
}

/**
 * A table whose saved state is up to date, and which waits for nothing: it needs to be loaded only
 * when its next event comes.
 */
export interface DormantTable {
  readonly table: string;
  readonly isDormant: true;
}

/** The most bytes of snapshots to fetch at once. One state may be a megabyte. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;
const TABLES_AT_ONCE = 200;

interface Listed {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly isDormant: boolean;
}

interface TableColumns extends Omit<TableAtHand, 'parked'> {
  readonly offset: number | null;
  readonly line: number;
}

/**
 * Yields the tables of a partition, in no particular order: first dormant ones, without their
 * states, then the others, fetched a few at a time. Only the owner of the partition may rely on
 * them.
 */
export async function* tablesOf(
  pool: WriterPool,
  partition: number,
): AsyncGenerator<TableAtHand | DormantTable> {
  const listed = await pool.query<Listed>(
    'tables-of',
    `select coalesce(t."table", k."table") as key, coalesce(t.name, k.name) as name,
            coalesce(octet_length(t.snapshot), 0) as bytes,
            coalesce(k."table" is null and t.changed <= t.snapshot_next
              and not t.snapshot_waits, false) as "isDormant"
     from (select * from ${pool.sql}.table_state where partition = $1) t
     full join (select * from ${pool.sql}.parked where partition = $1) k on k."table" = t."table"`,
    [partition],
  );
  for (const { name: table, isDormant } of listed) if (isDormant) yield { table, isDormant };
  const others = listed.filter(({ isDormant }) => !isDormant);
  for (const keys of groups(others)) yield* await tablesNamed(pool, keys);
}

/**
 * Returns one table as the owner of its partition finds it, or undefined if nothing of it was
 * written.
 */
export async function tableNamed(pool: WriterPool, name: string): Promise<TableAtHand | undefined> {
  const found = await tablesNamed(pool, [keyOf(name)]);
  return found.find(({ table }) => table === name);
}

/** Groups tables, in order, so that each group is small enough to fetch at once. */
function groups(listed: readonly Listed[]): string[][] {
  const all: string[][] = [];
  let bytesLeft = 0;
  for (const { key, bytes } of listed) {
    const group = all.at(-1);
    if (group && bytes <= bytesLeft && group.length < TABLES_AT_ONCE) group.push(key);
    else {
      all.push([key]);
      bytesLeft = BYTES_AT_ONCE;
    }
    bytesLeft -= bytes;
  }
  return all;
}

async function tablesNamed(pool: WriterPool, keys: readonly string[]): Promise<TableAtHand[]> {
  const rows = await pool.query<TableColumns>(
    'tables-named',
    `select coalesce(t.name, k.name) as "table",
              ${TABLE_STATE.select('t', ['snapshot', 'snapshotNext'])},
              coalesce(t.changed, 0) as "lastNext", k."offset", k.line
     from unnest($1::text[]) wanted ("table") left join ${pool.sql}.table_state t using ("table") left join ${pool.sql}.parked k using ("table")`,
    [keys],
  );
  return rows.map(({ offset, line, ...table }) => ({
    ...table,
    parked: offset === null ? null : { offset, line },
  }));
}

/**
 * Returns the statement that saves a state in the table's row. The row must exist or be in the same
 * batch.
 */
export const saving = (schema: string, { table, next, state, waits }: SnapshotRow): Statement => ({
  name: 'save',
  text: `update ${schema}.table_state set snapshot = $2, snapshot_next = $3, snapshot_waits = $4
    where "table" = $1`,
  values: [
    keyOf(table),
    Buffer.from(state.buffer, state.byteOffset, state.byteLength),
    next,
    waits,
  ],
});
