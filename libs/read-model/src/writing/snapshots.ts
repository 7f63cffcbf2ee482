import type { SnapshotRow } from './batch.js';
import { keyOf } from '../database/schema-keys.js';
import { TABLE_STATE } from '../entities/index.js';
import type { WriterPool } from './pool.js';
import type { Statement } from './statements.js';

/** A table of a partition, without its saved state. */
export interface ListedTable {
  readonly table: string;
  /** The saved state includes everything before this offset. Null if none was saved. */
  readonly snapshotNext: number | null;
  /** Whether the table waited for missing numbers then; null if that is not known. */
  readonly snapshotWaits: boolean | null;
  /**
   * The offset after the last record that changed the table. If it is not beyond `snapshotNext`,
   * the saved state is up to date.
   */
  readonly lastNext: number;
  /** The event that it is parked at, or null. */
  readonly parked: { readonly offset: number; readonly line: number } | null;
}

/** A table with its saved state. Without one, it must be folded from offset 0. */
export interface SavedTable extends Pick<ListedTable, 'snapshotNext' | 'lastNext'> {
  readonly snapshot: Uint8Array | null;
}

interface ListedColumns extends Omit<ListedTable, 'parked'> {
  readonly offset: number | null;
  readonly line: number;
}

/**
 * Returns the tables of a partition, in no particular order. Only the owner of the partition may
 * rely on them.
 */
export async function tablesOf(pool: WriterPool, partition: number): Promise<ListedTable[]> {
  const rows = await pool.query<ListedColumns>(
    'tables-of',
    `select coalesce(t.name, k.name) as "table",
            ${TABLE_STATE.select('t', ['snapshotNext', 'snapshotWaits'])},
            coalesce(t.changed, 0) as "lastNext", k."offset", k.line
     from (select * from ${pool.sql}.table_state where partition = $1) t
     full join (select * from ${pool.sql}.parked where partition = $1) k on k."table" = t."table"`,
    [partition],
  );
  return rows.map(({ offset, line, ...table }) => ({
    ...table,
    parked: offset === null ? null : { offset, line },
  }));
}

/**
 * Returns a table as the owner of its partition finds it, or undefined if nothing of it was
 * written.
 */
export async function savedTable(pool: WriterPool, name: string): Promise<SavedTable | undefined> {
  const [row] = await pool.query<SavedTable>(
    'saved-table',
    `select ${TABLE_STATE.select('t', ['snapshot', 'snapshotNext'])}, t.changed as "lastNext"
     from ${pool.sql}.table_state t where t."table" = $1 and t.name = $2`,
    [keyOf(name), name],
  );
  return row;
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
